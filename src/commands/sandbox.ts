/** `pdi sandbox`: the invented service, until stopped. */

import { sandboxFlagNames } from '../cli/sandbox-flags.ts';
import type { Launch, Program } from '../run/launch.ts';

export function addSandbox(program: Program, launch: Launch): void {
  program
    .command('sandbox')
    .summary('run the invented service on 127.0.0.1 until stopped')
    .description(
      `Run the sandbox: all 15 operations over invented data, on loopback only. Prints its base URL and keys; the root options ${sandboxFlagNames} shape it (see \`pdi help sandbox\`). GET /sandbox/bill tells what it billed.`,
    )
    .option('--port <number>', 'port to listen on (default: a free one)')
    .action(({ port }) =>
      launch('sandbox', async (context) => {
        const [{ startSandbox }, { sandboxOptions }, { printText }, { jsonText }, { landmarks }] = await Promise.all([
          import('../sandbox/server.ts'),
          import('../cli/sandbox-options.ts'),
          import('../run/print-text.ts'),
          import('../json/write.ts'),
          import('../sandbox/landmarks.ts'),
        ]);
        const sandbox = await startSandbox(sandboxOptions(context.flags, port));
        context.onDispose(() => sandbox.stop());
        const { baseUrl, keys } = sandbox;
        const facts = { base_url: baseUrl, keys: { full: keys.full, no_permission: keys.noPermission, no_credits: keys.noCredits } };
        const lines = [
          `base URL       ${baseUrl}`,
          `full key       ${keys.full}`,
          `no permission  ${keys.noPermission}`,
          `no credits     ${keys.noCredits}`,
          `a person       ${landmarks.person.url}`,
        ];
        const text = context.jsonErrors() ? jsonText(facts, context.format() === 'json' ? 2 : 0) : lines.join('\n');
        await printText(context, `${text}\n`, context.flags.out);
        context.notice('the sandbox runs until it is stopped (Ctrl-C)');
        await new Promise<void>((resolve) => context.onInterrupt(resolve));
        throw context.interrupted();
      }),
    );
}
