/** `pdi sandbox` runs the invented service until it is stopped. */
import { type Command, command } from '../cli/command.ts';
import { wholeNumberReader } from '../cli/options.ts';
import { sandboxFlagNames } from '../cli/root.ts';

export const sandboxCommand = (operations: number): Command =>
  command({
    words: 'sandbox',
    summary: 'run the invented service on 127.0.0.1 until stopped',
    brief: 'an invented service',
    description: `Run the sandbox: all ${operations} operations over invented data, on loopback only. Prints its base URL and keys; the root options ${sandboxFlagNames} shape it (see \`pdi help sandbox\`). GET /sandbox/bill tells what it billed.`,
    examples: [
      ['pdi sandbox --port 8080', 'the invented service on a port'],
      ['pdi sandbox --credits 10 --rate-limit 5 --fault reset:0.1', 'with few credits, a rate limit, and lost connections'],
    ],
    changes: true,
    exits: ['hung_up', 'interrupted', 'terminated'],
    takes: (parser) => parser.option('--port <number>', 'port to listen on (default: a free one)', wholeNumberReader({ most: 65_535 })),
    run: async (choices, tools, { port }) =>
      (await import('../road/sandbox.ts')).runSandbox(choices.show(), tools, { ...choices.sandboxOptions(), port }),
  });
