import { isLoopback } from '../config/base-url.ts';
import { onWindows, orFailure, PdiError, UsageError } from '../errors.ts';
import { jsonText } from '../json/exact.ts';
import { startSandbox } from '../sandbox/server.ts';
import type { SandboxOptions } from '../sandbox/world.ts';
import { printText } from './delivery.ts';
import type { Show } from './plan.ts';
import { type Tools, whenStopped } from './tools.ts';

/** A line that sets a variable, as the usual shell of the platform takes it. */
const toSet = (variable: string): string =>
  onWindows ? `$env:${variable.replace('=', ' = "')}"` : `export ${variable}`;

export async function runSandbox(show: Show, tools: Tools, options: SandboxOptions): Promise<void> {
  const sandbox = await startSandbox(options);
  tools.atEnd(() => sandbox.stop());
  const { baseUrl, keys, today } = sandbox;
  const facts = {
    base_url: baseUrl,
    keys: { full: keys.full, no_permission: keys.noPermission, no_credits: keys.noCredits },
  };
  const lines = [
    `base URL       ${baseUrl}`,
    `full key       ${keys.full}`,
    `no permission  ${keys.noPermission}`,
    `no credits     ${keys.noCredits}`,
    'a person       https://www.profnet.example/in/ada-sample-1',
    ...(show.isForTerminal
      ? ['', ...[`PDI_BASE_URL=${baseUrl}`, `PDI_API_KEY=${keys.full}`].map(toSet)]
      : []),
  ];
  const text = tools.say.expectsJson()
    ? jsonText(facts, show.format === 'json' ? 2 : 0)
    : lines.join('\n');
  await printText(`${text}\n`, tools, show);
  tools.say.notice(
    `the sandbox runs until it is stopped (Ctrl-C); its newest signal is of ${today()}, and \`pdi sandbox signal\` makes one now`,
  );
  await new Promise<void>((resolve) => whenStopped(tools.stop, resolve));
  throw tools.interrupted();
}

/** @throws UsageError where the base URL is none of a sandbox: what is made there is for nobody else */
export async function makeSignal(show: Show, tools: Tools): Promise<void> {
  const hint =
    'start `pdi sandbox` in another terminal, and copy the last two lines that it prints';
  if (tools.isSandbox)
    throw new UsageError(
      'the sandbox of --sandbox or PDI_SANDBOX ends with its command, and the signal with it',
      { hint },
    );
  const service = await orFailure(() => tools.service());
  if (service instanceof PdiError) throw service.with({ hint });
  const { baseUrl } = service;
  const refusal = new UsageError(`${baseUrl} is not a sandbox`, { item: baseUrl, hint });
  if (!isLoopback(baseUrl)) throw refusal;
  const limits = {
    signal: AbortSignal.any([tools.stop, AbortSignal.timeout(10_000)]),
    redirect: 'manual',
  } as const;
  const answer = await fetch(new URL('/sandbox/signal', baseUrl), {
    method: 'POST',
    ...limits,
  }).catch((cause: unknown) => {
    if (tools.stop.aborted) throw tools.interrupted();
    throw new PdiError('unavailable', `no sandbox answers at ${baseUrl}`, {
      item: baseUrl,
      billed: 'no',
      retryable: true,
      hint,
      cause,
    });
  });
  const made = answer.ok ? await answer.json().catch(() => undefined) : undefined;
  if (made === undefined) throw refusal;
  await printText(`${jsonText(made, show.isForTerminal ? 2 : 0)}\n`, tools, show);
}
