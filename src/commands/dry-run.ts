/** `--dry-run`: what would be sent, without the key and without sending it. */
import { type PlannedRequest, planRequest } from '../client/request.ts';
import type { Context } from '../context.ts';
import type { Billing, Endpoint, RequestOf } from '../contract/endpoint.ts';
import type { JobPlan } from '../jobs/plan.ts';
import { jsonText, parseJson } from '../json.ts';
import { cleanForTerminal } from '../output/clean.ts';
import { openSink } from '../output/sink.ts';

/** A request that would be sent. */
export interface PlannedCall<E extends Endpoint> {
  readonly endpoint: E;
  readonly request: RequestOf<E>;
}

type Printed = PlannedRequest & { readonly billing: Billing };

/** Prints the first requests of a run and, of a job, its counts: a JSON object, or lines for people. */
export async function printPlan<E extends Endpoint>(context: Context, calls: readonly PlannedCall<E>[], plan?: JobPlan): Promise<void> {
  const { baseUrl } = await context.service();
  const requests = calls.map(
    ({ endpoint, request }): Printed => ({ ...planRequest(baseUrl, endpoint, request), billing: endpoint.billing }),
  );
  const sink = await openSink({ stdout: context.io.stdout, force: false });
  await sink.write(context.jsonErrors() ? asJson(requests, plan) : asLines(requests, plan));
  await sink.commit();
}

function asJson(requests: readonly Printed[], plan: JobPlan | undefined): string {
  const shown = requests.map(({ body, ...request }) => ({ ...request, ...(body !== undefined && { body: parseJson(body) }) }));
  return `${jsonText({ dry_run: true, requests: shown, ...(plan !== undefined && { job: plan }) }, 2)}\n`;
}

function asLines(requests: readonly Printed[], plan: JobPlan | undefined): string {
  const lines = requests.flatMap(({ method, url, billing, body }) => [
    `${method} ${url} (${billing})`,
    ...(body === undefined ? [] : [`  ${body}`]),
  ]);
  return ['dry run: nothing is sent', ...lines, ...(plan === undefined ? [] : planLines(plan))]
    .map((line) => `${cleanForTerminal(line)}\n`)
    .join('');
}

function planLines({ rows, distinct, invalid, in_journal, requests, billable }: JobPlan): readonly string[] {
  const calls = billable === 0 ? 'none that may be billed' : `${billable} that may be billed`;
  return [`${rows} rows: ${distinct} distinct, ${invalid} invalid, ${in_journal} already in the journal`, `${requests} requests, ${calls}`];
}
