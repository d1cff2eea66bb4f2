/** `pdi health`: whether the service is up. Free, no key needed, none sent. */
import { decimal, longestSeconds } from '../config/values.ts';
import type { Context } from '../context.ts';
import type { HealthReport } from '../contract/health.ts';
import { PdiError } from '../errors.ts';
import { flagReader } from './flag-reader.ts';
import type { Launch, Program } from './program.ts';

const readWait = flagReader('--wait', decimal({ above: 0, most: longestSeconds, expected: 'a number of seconds above 0' }));

export function addHealth(program: Program, launch: Launch): void {
  program
    .command('health')
    .summary('service health: 0 only for OK, else 5 (free, no key)')
    .description(
      'Check the health of the service and its two stores. Free; needs no key and sends none. Exits 0 for OK only. With --quiet there is no report: nothing is printed while the service is OK, one line on stderr otherwise.',
    )
    .option('--wait <seconds>', 'poll until the service is OK, so long at most', readWait)
    .action(({ wait }) =>
      launch('health', async (context) => {
        const { checkHealth } = await import('../contract/health.ts');
        const { call } = await import('./call.ts');
        if (context.flags.dryRun === true) return call(context, { endpoint: checkHealth, request: { path: {} } });
        const { openOutput } = await import('./open-output.ts');
        const output = await openOutput(context, { columns: checkHealth.columns, one: true, job: false });
        const client = await context.client();
        const ask = async () => (await client.call(checkHealth, { path: {} })).body;
        const report = wait === undefined ? await ask() : await untilOk(context, ask, wait);
        // The exit code is the whole answer: cron mails whatever is printed. A file was asked for, and is written.
        if (context.flags.quiet !== true || context.flags.out !== undefined) {
          const { failure } = await output.deliver(rowOf(report));
          if (failure !== undefined) throw failure.reason;
        }
        if (report.status !== 'OK') throw notOk(report, wait);
      }),
    );
}

async function* rowOf(report: HealthReport) {
  yield [{ record: report, status: 'ok' } as const];
}

/** Between two polls. */
const pollMs = 1000;

/** Asks until the report is OK or time is up: then the last report. @throws PdiError the last failure where there was no report */
async function untilOk(context: Context, ask: () => Promise<HealthReport>, wait: number): Promise<HealthReport> {
  const deadline = performance.now() + wait * 1000;
  const left = () => Math.max(0, deadline - performance.now());
  let last: HealthReport | PdiError = outOfTime(wait);
  for (;;) {
    const asked: Promise<HealthReport | PdiError | undefined> = ask().catch((error: unknown) => {
      if (error instanceof PdiError && error.code === 'unavailable') return error;
      throw error;
    });
    last = (await Promise.race([asked, pause(left(), context.stop)])) ?? last;
    if (!(last instanceof PdiError) && last.status === 'OK') return last;
    if (left() === 0 || context.stop.aborted) break;
    await pause(Math.min(pollMs, left()), context.stop);
  }
  if (context.stop.aborted) throw new PdiError('interrupted', 'stopped while waiting for the service', { retryable: true });
  if (last instanceof PdiError) throw last;
  return last;
}

/** Resolves after so many milliseconds, or at once when the run is stopped; never holds the process open. */
async function pause(milliseconds: number, stop: AbortSignal): Promise<undefined> {
  const { setTimeout } = await import('node:timers/promises');
  await setTimeout(milliseconds, undefined, { signal: stop, ref: milliseconds <= pollMs }).catch(() => {});
}

const outOfTime = (wait: number): PdiError =>
  new PdiError('unavailable', `the service did not answer within ${wait} s`, { billed: 'no', retryable: true, hint: 'try again later' });

function notOk(report: HealthReport, wait: number | undefined): PdiError {
  const failing = Object.entries(report).filter(([name, value]) => name !== 'status' && typeof value === 'string' && value !== 'OK');
  const stores = failing.map(([name, value]) => `${name} ${String(value)}`).join(', ');
  const waited = wait === undefined ? '' : ` after ${wait} s`;
  return new PdiError('unavailable', `the service reports ${report.status}${waited}${stores === '' ? '' : `: ${stores}`}`, {
    billed: 'no',
    retryable: true,
    hint: 'try again later, or poll with --wait SECONDS',
  });
}
