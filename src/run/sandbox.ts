/** `pdi sandbox` starts the invented service, says how to reach it, and waits until it is stopped. */
import { sandboxOptions } from '../cli/sandbox-options.ts';
import { jsonText } from '../json/write.ts';
import { landmarks } from '../sandbox/landmarks.ts';
import { startSandbox } from '../sandbox/server.ts';
import type { Context } from './context.ts';
import { printText } from './print.ts';

/** @throws UsageError for an invalid port; PdiError `interrupted` when it is stopped */
export async function runSandbox(context: Context, port: string | undefined): Promise<void> {
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
    ...(context.isForTerminal() ? ['', `export PDI_BASE_URL=${baseUrl}`, `export PDI_API_KEY=${keys.full}`] : []),
  ];
  const text = context.expectsJson() ? jsonText(facts, context.format() === 'json' ? 2 : 0) : lines.join('\n');
  await printText(context, `${text}\n`, context.flags.out);
  context.notice('the sandbox runs until it is stopped (Ctrl-C)');
  await new Promise<void>((resolve) => context.onInterrupt(resolve));
  throw context.interrupted();
}
