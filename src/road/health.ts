import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from '../client/client.ts';
import { Deadline } from '../client/pace.ts';
import { checkHealth } from '../contract/health.ts';
import { interruption, PdiError, ServiceError } from '../errors.ts';
import { isObject } from '../json/exact.ts';
import { memoize } from '../rows/memoize.ts';
import { ApiRecord } from '../rows/row.ts';
import { printRecords } from './delivery.ts';
import type { CallRules, Plan } from './plan.ts';
import { formatting } from './shape.ts';
import type { Tools } from './tools.ts';

/** `wait` limits the polling, in seconds. @throws PdiError `unavailable` unless the service is OK */
export async function runHealth(
  { show, calls }: Pick<Plan, 'show' | 'calls'>,
  tools: Tools,
  wait: number | undefined,
): Promise<void> {
  const shape = { endpoint: checkHealth, columns: checkHealth.columns, isSingle: true };
  const answered = memoize(() => answerOf(calls, tools, wait));
  // With --quiet only the exit code answers, because cron mails all output. A file from --out is still written.
  if (show.quiet && show.out === undefined) await formatting(show, tools, shape);
  else
    await printRecords(show, tools, shape, async () => [new ApiRecord(reportIn(await answered()))]);
  const answer = await answered();
  if (!isOk(answer)) throw notOk(answer, wait);
}

async function answerOf(calls: CallRules, tools: Tools, wait: number | undefined): Promise<Answer> {
  const timeoutMs = Math.min(
    calls.timeoutMs,
    wait === undefined ? Number.POSITIVE_INFINITY : wait * 1000,
  );
  const client = await tools.clientOf(await tools.service(), { ...calls, timeoutMs });
  const ask = () => client.call(checkHealth, { path: {} });
  return wait === undefined ? ask() : untilOk(tools, ask, wait).finally(() => client.finish());
}

/** The client gives no answer of another shape. */
export const reportIn = ({ record: { value } }: Answer) => (isObject(value) ? value : {});

/** A gateway may put its 503 on a report from a better time. */
const isOk = (answer: Answer): boolean => reportIn(answer).status === 'OK' && answer.status !== 503;

const pollMs = 1000;

async function untilOk({ stop }: Tools, ask: () => Promise<Answer>, wait: number): Promise<Answer> {
  const timer = new AbortController();
  const deadline = new Deadline(wait * 1000, performance.now.bind(performance), () =>
    timer.abort(),
  );
  const end = AbortSignal.any([stop, timer.signal]);
  const ended = new Promise<undefined>((resolve) =>
    end.addEventListener('abort', () => resolve(undefined), { once: true }),
  );
  let last: Answer | PdiError | undefined;
  try {
    while (!end.aborted) {
      last = (await Promise.race([answerOrRefusal(ask), ended])) ?? last;
      if (last !== undefined && !(last instanceof PdiError) && isOk(last)) return last;
      await delay(pollMs, undefined, { signal: end }).catch(() => {});
    }
  } finally {
    deadline.cancel();
  }
  if (stop.aborted) throw interruption('stopped while waiting for the service');
  if (last === undefined) throw outOfTime(wait);
  if (last instanceof PdiError) throw new PdiError('unavailable', last.message, last.details);
  return last;
}

/** A gateway that has no service yet may answer with any status. */
const answerOrRefusal = (ask: () => Promise<Answer>): Promise<Answer | PdiError> =>
  ask().catch((error: unknown) => {
    if (error instanceof ServiceError) return error;
    throw error;
  });

const outOfTime = (wait: number): PdiError =>
  new PdiError('unavailable', `the service did not answer within ${wait} s`, {
    billed: 'no',
    retryable: true,
    hint: 'try again later',
  });

function notOk(answer: Answer, wait: number | undefined): PdiError {
  const { status } = answer;
  const report = reportIn(answer);
  const failing = Object.entries(report).filter(
    ([name, value]) => name !== 'status' && typeof value === 'string' && value !== 'OK',
  );
  const stores = failing.map(([name, value]) => `${name} ${String(value)}`).join(', ');
  const despite = report.status === 'OK' ? ` with status ${status}` : '';
  const waited = wait === undefined ? '' : ` after ${wait} s`;
  return new PdiError(
    'unavailable',
    `the service reports ${report.status}${despite}${waited}${stores === '' ? '' : `: ${stores}`}`,
    {
      status,
      billed: 'no',
      retryable: true,
      hint:
        wait === undefined
          ? 'try again later, or poll with --wait SECONDS'
          : 'try again later, or wait longer',
    },
  );
}
