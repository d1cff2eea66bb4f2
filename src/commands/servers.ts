/** `pdi mcp` serves the operations as tools to agents, and `pdi sandbox` runs the invented service. Both run until they are stopped. */
import { Option } from '@commander-js/extra-typings';
import type { Choices } from '../cli/choices.ts';
import type { McpClient } from '../cli/client-config.ts';
import { type Command, command, stops } from '../cli/command.ts';
import { wholeNumberReader, wordsOf } from '../cli/options.ts';
import { sandboxFlagNames } from '../cli/root.ts';
import type { OperationWords } from '../contract/operations.ts';
import { UsageError } from '../errors.ts';
import { ownToolNames, toolNameOf } from '../mcp/tool.ts';
import type { Tools } from '../road/tools.ts';

const clients = ['claude', 'cursor', 'vscode'] as const satisfies readonly McpClient[];

export const mcpCommand = (commands: OperationWords): Command => {
  const names = [...Object.values(commands).map(({ words }) => toolNameOf(words)), ...ownToolNames];
  return command({
    words: 'mcp',
    summary: 'tools for agents: a Model Context Protocol server on stdin and stdout',
    brief: 'tools for agents',
    description:
      'Serve every operation as a tool to an agent, over the Model Context Protocol, until stdin ends. Calls that may be billed are put to the person first, in the client; --max-billable caps those of the session; budget and book are those of every command. See `pdi help mcp`.',
    examples: [
      ['pdi mcp --config claude', 'what to paste into a client'],
      ['pdi --sandbox mcp --read-only', 'invented data, and no tool that changes anything'],
      [
        'pdi mcp --tools resolve,person,plan,budget --max-billable 20',
        'four tools, and 20 calls at most',
      ],
    ],
    changes: true,
    exits: stops,
    takes: (parser) =>
      parser
        .addOption(
          new Option(
            '--confirm <when>',
            'calls to ask the person about: charged means all that are not free, and deletions (default charged)',
          ).choices(['always', 'charged', 'never'] as const),
        )
        .option('--allow-changes', 'let agents change and delete lists')
        .option('--read-only', 'do not even list the tools that change and delete lists')
        .option(
          '--tools <names>',
          'tools to list, separated by commas (default all)',
          wordsOf(names),
        )
        .addOption(
          new Option(
            '--config <client>',
            'print what to paste into the settings of a client, with the other flags given',
          ).choices(clients),
        ),
    run: async (choices, tools, { config, ...flags }) => {
      if (flags.allowChanges === true && flags.readOnly === true)
        throw new UsageError('--allow-changes and --read-only exclude each other', {
          item: '--read-only',
        });
      if (config !== undefined) return printClientConfig(choices, tools, config);
      await (await import('../mcp/serve.ts')).runMcp(choices.plan(), tools, commands, flags);
    },
  });
};

async function printClientConfig(choices: Choices, tools: Tools, client: McpClient): Promise<void> {
  const [{ clientConfig }, { printText }] = await Promise.all([
    import('../cli/client-config.ts'),
    import('../road/delivery.ts'),
  ]);
  const { text, remark } = clientConfig(
    choices,
    client,
    (value) => tools.say.redact(value) !== value,
  );
  await printText(text, tools, choices.flags);
  tools.say.notice(remark);
}

const sandbox = command({
  words: 'sandbox',
  summary: 'run the invented service on 127.0.0.1 until stopped',
  brief: 'an invented service',
  description: `Run the sandbox: all operations over invented data, on loopback only. Prints its base URL and keys; the root options ${sandboxFlagNames} shape it (see \`pdi help sandbox\`). GET /sandbox/bill tells what it billed.`,
  examples: [
    ['pdi sandbox --port 8080', 'the invented service on a port'],
    [
      'pdi sandbox --credits 10 --rate-limit 5 --fault reset:0.1',
      'with few credits, a rate limit, and lost connections',
    ],
  ],
  changes: true,
  exits: stops,
  takes: (parser) =>
    parser.option(
      '--port <number>',
      'port to listen on (default: a free one)',
      wholeNumberReader({ most: 65_535 }),
    ),
  run: async (choices, tools, { port }) =>
    (await import('../road/sandbox.ts')).runSandbox(choices.show(), tools, {
      ...choices.sandboxOptions(),
      port,
    }),
});

const signal = command({
  words: 'sandbox signal',
  summary: 'make a signal of this moment in a running sandbox, to try a hook',
  description:
    'Make a signal of this moment, about the first person, in the `pdi sandbox` that runs at the base URL, and print it as JSON: the next `feed --since-last` delivers it. It is free, and on loopback only. See `pdi help sandbox`.',
  examples: [
    ['pdi sandbox signal', 'in the sandbox that PDI_BASE_URL names'],
    ['pdi sandbox signal | jq -r .signal_id', 'and its id'],
  ],
  changes: true,
  exits: ['unavailable', ...stops],
  takes: (parser) => parser,
  run: async (choices, tools) =>
    (await import('../road/sandbox.ts')).makeSignal(choices.show(), tools),
});

export const sandboxCommands: readonly Command[] = [sandbox, signal];
