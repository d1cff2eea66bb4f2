/** `--dry-run` prints what would be sent. It needs no key and sends nothing. */
import { type PlannedRequest, planRequest } from '../client/request.ts';
import type { Billing, Endpoint, RequestOf } from '../contract/endpoint.ts';
import { pluralize } from '../errors.ts';
import { parseJson } from '../json/parse.ts';
import { jsonText } from '../json/write.ts';
import { cleanForTerminal } from '../output/clean.ts';
import { type Allowance, allowanceLines, allowanceOf } from './allowance.ts';
import type { Plan } from './plan.ts';
import type { PlannedJob } from './planned-job.ts';
import { printText } from './print.ts';
import type { Tools } from './tools.ts';

interface PlannedCall<E extends Endpoint> {
  readonly endpoint: E;
  readonly request: RequestOf<E>;
}

type Printed = PlannedRequest & { readonly billing: Billing };

interface Printout {
  readonly job?: PlannedJob;
  /** Set where the book keeps a single call from being sent. */
  readonly known?: 'answered' | 'lost';
  readonly omitted: number | null;
}

/** Prints the first requests and the counts of a job. @throws PdiError `credits` after a plan that cap or budget do not allow */
export async function printPlan<E extends Endpoint>(
  { show, rules }: Pick<Plan, 'show' | 'rules'>,
  tools: Tools,
  calls: readonly PlannedCall<E>[],
  plan?: Printout,
): Promise<void> {
  const { baseUrl } = await tools.service();
  const requests = calls.map(
    ({ endpoint, request }): Printed => ({ ...planRequest(baseUrl, endpoint, request), billing: endpoint.billing }),
  );
  const needed = callsNeeded(requests, plan);
  const { allowance, refusal } = needed === undefined ? {} : await allowanceOf(rules, tools, needed);
  const text = tools.say.expectsJson()
    ? asJson(requests, plan, allowance, show.format === 'ndjson' ? 0 : 2)
    : asLines(requests, plan, needed === 0 ? undefined : allowance);
  // The key may have been typed in place of an identifier.
  await printText(tools.say.redact(text), tools);
  if (refusal !== undefined) throw refusal;
}

/** Counts the calls that may be billed: of pages only the first, because a run is refused only if there is no room for one. */
function callsNeeded(requests: readonly Printed[], plan: Printout | undefined): number | undefined {
  if (plan?.job !== undefined) return plan.job.billable;
  return requests.some(({ billing }) => billing !== 'free') ? 1 : undefined;
}

function asJson(requests: readonly Printed[], plan: Printout | undefined, allowance: Allowance | undefined, indent: number): string {
  const shown = requests.map(({ body, ...request }) => ({ ...request, ...(body !== undefined && { body: parseJson(body) }) }));
  const rest = plan && {
    requests_omitted: plan.omitted,
    ...(plan.job !== undefined && { job: { ...plan.job, ...allowance } }),
    ...(plan.known !== undefined && { in_book: plan.known }),
  };
  const allowed = plan?.job === undefined ? allowance : undefined;
  return `${jsonText({ dry_run: true, requests: shown, ...rest, ...allowed }, indent)}\n`;
}

function asLines(requests: readonly Printed[], plan: Printout | undefined, allowance: Allowance | undefined): string {
  const lines = requests.flatMap(({ method, url, billing, body }) => [
    `${method} ${url} (${billing})`,
    ...(body === undefined ? [] : [`  ${body}`]),
  ]);
  return [
    'dry run: nothing is sent',
    ...lines,
    ...(plan?.known === undefined ? [] : [knownWords[plan.known]]),
    ...omittedLine(plan?.omitted),
    ...(plan?.job === undefined ? [] : planLines(plan.job)),
    ...(allowance === undefined ? [] : allowanceLines(allowance, plan?.omitted !== null)),
  ]
    .map((line) => `${cleanForTerminal(line)}\n`)
    .join('');
}

const knownWords = {
  answered: 'no call: the book has the answer (--fresh buys it again)',
  lost: 'no call: it was sent earlier and its answer was lost (--retry-unknown sends it again)',
} as const;

function omittedLine(omitted: number | null = 0): readonly string[] {
  if (omitted === null) return ['… and one request more a page, until a page is short'];
  return omitted === 0 ? [] : [`… and ${pluralize(omitted, 'request')} more`];
}

function planLines({
  rows,
  distinct,
  invalid,
  not_found,
  in_journal,
  in_book,
  lost = 0,
  requests,
  billable,
}: PlannedJob): readonly string[] {
  const calls = billable === 0 ? 'none that may be billed' : `${billable} that may be billed`;
  const nothing = not_found === 0 ? '' : `${not_found} not found before, `;
  return [
    `${pluralize(rows, 'row')}: ${distinct} distinct, ${nothing}${invalid} invalid, ${in_journal} already in the journal${in_book === 0 ? '' : `, ${in_book} in the book`}${lost === 0 ? '' : `, ${lost} without an answer (--retry-unknown sends them again)`}`,
    `${pluralize(requests, 'request')}, ${calls}`,
  ];
}
