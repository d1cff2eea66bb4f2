import { jsonText } from '../json/exact.ts';
import { startSandbox } from '../sandbox/server.ts';
import type { SandboxOptions } from '../sandbox/world.ts';
import { printText } from './delivery.ts';
import type { Show } from './plan.ts';
import { type Tools, whenStopped } from './tools.ts';

export async function runSandbox(show: Show, tools: Tools, options: SandboxOptions): Promise<void> {
  const sandbox = await startSandbox(options);
  tools.atEnd(() => sandbox.stop());
  const { baseUrl, keys } = sandbox;
  const facts = { base_url: baseUrl, keys: { full: keys.full, no_permission: keys.noPermission, no_credits: keys.noCredits } };
  const lines = [
    `base URL       ${baseUrl}`,
    `full key       ${keys.full}`,
    `no permission  ${keys.noPermission}`,
    `no credits     ${keys.noCredits}`,
    'a person       https://www.profnet.example/in/ada-sample-1',
    ...(show.isForTerminal ? ['', `export PDI_BASE_URL=${baseUrl}`, `export PDI_API_KEY=${keys.full}`] : []),
  ];
  const text = tools.say.expectsJson() ? jsonText(facts, show.format === 'json' ? 2 : 0) : lines.join('\n');
  await printText(`${text}\n`, tools, show);
  tools.say.notice('the sandbox runs until it is stopped (Ctrl-C)');
  await new Promise<void>((resolve) => whenStopped(tools.stop, resolve));
  throw tools.interrupted();
}
