/** `--dry-run` prints what would be sent. It needs no key and sends nothing. */

import type { Bookmark } from '../book/bookmark.ts';
import { type BudgetUse, budgetUses, Cap, refusalOfPlan } from '../book/budget.ts';
import { type PlannedRequest, planRequest } from '../client/request.ts';
import type { Endpoint, Question } from '../contract/endpoint.ts';
import { type Billing, mayCost } from '../contract/price.ts';
import { PdiError, pluralize, thousands } from '../errors.ts';
import { jsonText, parseJson } from '../json/exact.ts';
import { cleanForTerminal } from '../output/clean.ts';
import { dayOf } from '../rows/days.ts';
import type { InputRow } from '../rows/row.ts';
import { type Job, type Keyed, NoQuestion, questionOf } from './ask.ts';
import { printText } from './delivery.ts';
import { DistinctTexts } from './distinct-texts.ts';
import type { Plan, Rules } from './plan.ts';
import { plannedBudgetUse } from './spending.ts';
import { describeUse } from './summary.ts';
import type { Tools } from './tools.ts';

type Printed = PlannedRequest & { readonly billing: Billing };

interface Printout {
  readonly job?: PlannedJob;
  readonly fate?: 'answered' | 'lost' | undefined;
  /** Of pages nobody knows how many follow. */
  readonly omitted: number | null;
  readonly lastRun?: Bookmark['cost'];
}

/** Prints the counts of a job, then its first requests. @throws PdiError `credits` after a plan that cap or budget do not allow */
export async function printPlan(
  { show, rules }: Plan,
  tools: Tools,
  calls: readonly Question[],
  plan: Printout,
): Promise<void> {
  const { baseUrl } = await tools.service();
  const requests = calls.map(
    ({ endpoint, request }): Printed => ({
      ...planRequest(baseUrl, endpoint, request),
      billing: endpoint.billing,
    }),
  );
  // Of pages only the first counts, because a run is refused only if there is no room for one.
  const needed = plan.job?.billable ?? (requests.some(mayCost) ? 1 : undefined);
  const { allowance, refusal } =
    needed === undefined ? {} : await allowanceOf(rules, tools, needed);
  const text = tools.say.expectsJson()
    ? asJson(requests, plan, allowance, show.format === 'ndjson' ? 0 : 2)
    : asLines(requests, plan, rules, needed === 0 ? undefined : allowance);
  // The key may have been typed in place of an identifier.
  await printText(tools.say.redact(text), tools);
  if (refusal !== undefined) throw refusal;
}

function asJson(
  requests: readonly Printed[],
  { job, fate, omitted, lastRun }: Printout,
  allowance: Allowance | undefined,
  indent: number,
): string {
  const shown = requests.map(({ body, ...request }) => ({
    ...request,
    ...(body !== undefined && { body: parseJson(body) }),
  }));
  const whole = {
    dry_run: true,
    ...(job === undefined ? allowance : { job: { ...job, ...allowance } }),
    ...(fate !== undefined && { in_book: fate }),
    ...(lastRun !== undefined && { last_run: lastRun }),
    requests: shown,
    requests_omitted: omitted,
  };
  return `${jsonText(whole, indent)}\n`;
}

function asLines(
  requests: readonly Printed[],
  { job, fate, omitted, lastRun }: Printout,
  rules: Rules,
  allowance: Allowance | undefined,
): string {
  const lines = requests.flatMap(({ method, url, billing, body }) => [
    `${method} ${url} (${billing})`,
    ...(body === undefined ? [] : [`  ${body}`]),
  ]);
  return [
    'dry run: nothing is sent',
    ...(fate === undefined ? [] : [knownWords[fate]]),
    ...(job === undefined ? [] : planLines(job, rules)),
    ...(allowance === undefined ? [] : allowanceLines(allowance, omitted !== null)),
    ...(lastRun === undefined ? [] : [costWords(lastRun)]),
    ...lines,
    ...omittedLine(omitted),
  ]
    .map((line) => `${cleanForTerminal(line)}\n`)
    .join('');
}

const costWords = ({
  calls_new: pages,
  calls_look_back: more,
}: NonNullable<Bookmark['cost']>): string =>
  `the last run of this bookmark cost ${pluralize(pages + more, 'page')}: ${pages} for what was new, ${more} for days that had grown`;

const knownWords = {
  answered: 'no call: the book has the answer (--fresh buys it again)',
  lost: 'no call: it was sent earlier and its answer was lost (--retry-unknown sends it again)',
} as const;

function omittedLine(omitted: number | null): readonly string[] {
  if (omitted === null) return ['… and one request more a page, until a page is short'];
  return omitted === 0 ? [] : [`… and ${pluralize(omitted, 'request')} more`];
}

function planLines(job: PlannedJob, rules: Rules): readonly string[] {
  const withId = job.rows - job.invalid - job.not_found;
  const parts = [
    [job.not_found, 'not found'],
    [job.invalid, 'without a usable id'],
    [job.in_journal, 'already in the journal'],
    [job.in_book, 'in the book'],
    [job.lost ?? 0, 'without an answer (--retry-unknown sends them again)'],
  ] as const;
  const others = parts.flatMap(([count, words]) =>
    count === 0 ? [] : [`${thousands(count)} ${words}`],
  );
  const ids = `${thousands(withId)} ${withId === 1 ? 'row' : 'rows'} with an id, ${thousands(job.distinct)} different`;
  return [
    [ids, ...(others.length > 0 ? [others.join(', ')] : [])].join('; '),
    callWords(job, rules),
  ];
}

function callWords(job: PlannedJob, rules: Rules): string {
  const calls = pluralize(job.billable, 'call');
  if (job.free_requests !== undefined)
    return `${pluralize(job.free_requests, 'free request')} to resolve, then at most ${calls} that may be billed`;
  const second = secondBill(job, rules);
  return (
    pluralize(job.requests, 'request') +
    (second === undefined ? plannedCalls(job.billable) : `; ${calls} may be billed; ${second}`)
  );
}

const plannedCalls = (calls: number): string =>
  calls === 0 ? ', none that may be billed' : `, ${thousands(calls)} that may be billed`;

/** `all 1,142 were bought on 2026-11-28 and are no longer kept (max-age 12h)`; undefined for what was never bought. */
export function secondBill(
  { bought_before: before, billable }: Pick<PlannedJob, 'bought_before' | 'billable'>,
  { fresh, maxAge, keptFor }: Pick<Rules, 'fresh' | 'maxAge' | 'keptFor'>,
): string | undefined {
  if (before === undefined) return undefined;
  const { calls, first, last } = before;
  const [was, are, them] = calls === 1 ? ['was', 'is', 'it'] : ['were', 'are', 'them'];
  const which =
    calls < billable
      ? `${thousands(calls)} of them`
      : calls === 1
        ? 'it'
        : `all ${thousands(calls)}`;
  const when = first === last ? `on ${first}` : `between ${first} and ${last}`;
  if (fresh) return `${which} ${was} bought ${when}, and --fresh buys ${them} again`;
  const why =
    keptFor === 0 && maxAge.milliseconds > 0
      ? 'not kept (sandbox)'
      : `no longer kept (max-age ${maxAge})`;
  return `${which} ${was} bought ${when} and ${are} ${why}`;
}

/** Gives the refusal with what would be bought a second time. */
export function withSecondBill(refusal: PdiError, plan: PlannedJob, rules: Rules): PdiError {
  const second = secondBill(plan, rules);
  return second === undefined
    ? refusal
    : new PdiError(refusal.code, `${refusal.message}; ${second}`, refusal.details);
}

/** Without a key it is not known whose calls count: then `used` and `allowed` are null. */
type PlannedUse =
  | (BudgetUse & { readonly allowed: boolean })
  | (Omit<BudgetUse, 'used'> & { readonly used: null; readonly allowed: null });

interface Allowance {
  readonly cap: { readonly limit: number | null; readonly allowed: boolean };
  readonly budget?: readonly PlannedUse[];
}

/** If nothing may be billed, nobody is asked for a key. */
async function allowanceOf(
  rules: Rules,
  tools: Tools,
  calls: number,
): Promise<{ allowance: Allowance; refusal: PdiError | undefined }> {
  const overCap = new Cap(rules.cap).refusalOfJob(calls);
  const uses = calls === 0 ? [] : await plannedBudgetUse(rules.limits, tools);
  const budget: readonly PlannedUse[] =
    uses?.map((use) => ({ ...use, allowed: use.used + calls <= use.limit })) ??
    budgetUses(rules.limits, () => 0).map((use) => ({
      ...use,
      used: null,
      allowed: null,
    }));
  const cap = {
    limit: rules.cap === 'unlimited' ? null : rules.cap,
    allowed: overCap === undefined,
  };
  return {
    allowance: { cap, ...(budget.length > 0 && { budget }) },
    refusal: overCap ?? refusalOfPlan(uses ?? [], calls),
  };
}

/** With `isWhole` the calls are all that the run makes, so that there can be enough room for them. */
function allowanceLines({ cap, budget = [] }: Allowance, isWhole: boolean): readonly string[] {
  const verdict = (allowed: boolean): string =>
    !allowed ? ': too few' : isWhole ? ': enough' : '';
  return [
    cap.limit === null || (cap.allowed && !isWhole)
      ? `cap: ${cap.limit === null ? 'unlimited' : pluralize(cap.limit, 'call')}`
      : `${cap.allowed ? 'within' : 'more than'} the cap of ${cap.limit}`,
    ...budget.map((use) =>
      use.used === null
        ? `budget: ${pluralize(use.limit, 'call')} a ${use.period}; a key tells whose calls are used of it`
        : `${describeUse(use)}${verdict(use.allowed)}`,
    ),
  ];
}

interface PlannedJob {
  readonly rows: number;
  readonly distinct: number;
  readonly invalid: number;
  /** An earlier command passed these rows on without a record, so there is nothing to ask. */
  readonly not_found: number;
  readonly in_journal: number;
  readonly in_book: number;
  /** Only `--retry-unknown` sends them again. It is left out where there are none. */
  readonly lost?: number;
  readonly requests: number;
  /** So many of them resolve first; where they find less, fewer may be billed. */
  readonly free_requests?: number;
  readonly billable: number;
  /** Of those that may be billed, what would be bought a second time, and on which days it was bought. Left out where there are none. */
  readonly bought_before?: {
    readonly calls: number;
    readonly first: string;
    readonly last: string;
  };
}

interface PlanOptions<Q> {
  readonly input: AsyncIterable<readonly InputRow[]> | Iterable<readonly InputRow[]>;
  readonly fate?:
    | ((question: Q) => Promise<'in_journal' | 'answered' | 'lost' | undefined>)
    | undefined;
  readonly boughtAt?: ((question: Q) => Promise<number | undefined>) | undefined;
  /** A plan of many more calls than these is not counted to its end. */
  readonly allowed?: number | undefined;
  readonly keep: number;
}

interface Unusable {
  readonly row: InputRow;
  readonly error: string;
  readonly hint: string | undefined;
}

/** These tell what the others are. */
const maxUnusable = 200;

/** A job of so many items is counted whole, so that its refusal says what would allow it. */
const alwaysCounted = 500_000;

export async function planJob<Q extends Keyed>(
  job: Pick<Job<Q>, 'ask' | 'perRequest' | 'mayMiss'> & {
    readonly endpoint: Pick<Endpoint, 'billing'>;
  },
  { input, fate, boughtAt, allowed = Number.POSITIVE_INFINITY, keep }: PlanOptions<Q>,
): Promise<{
  readonly plan: PlannedJob;
  readonly open: readonly Q[];
  readonly isCut: boolean;
  readonly unusable: readonly Unusable[];
}> {
  const { endpoint, perRequest } = job;
  const items = new DistinctTexts();
  const open: Q[] = [];
  const unusable: Unusable[] = [];
  const counts = { rows: 0, invalid: 0, not_found: 0, in_journal: 0, in_book: 0, lost: 0 };
  const before = new BoughtBefore();
  let [asked, isCut] = [0, false];
  for await (const batch of input) {
    for (const row of batch) {
      counts.rows += 1;
      const question = firstQuestion(row, job);
      if (question instanceof NoQuestion) {
        // Rows that are not read are followed by the mistake that ends the plan.
        if (question.status === 'invalid' || question.status === 'not_found')
          counts[question.status] += 1;
        if (question.status === 'invalid' && unusable.length < maxUnusable)
          unusable.push({ row, error: question.error, hint: question.hint });
      } else if (items.add(question.key)) {
        const place = await fate?.(question);
        if (place !== undefined) counts[place === 'answered' ? 'in_book' : place] += 1;
        else {
          asked += 1;
          if (open.length < keep) open.push(question);
          before.add(await boughtAt?.(question));
        }
      }
    }
    isCut = asked > alwaysCounted && asked / perRequest > allowed;
    if (isCut) break;
  }
  const requests = Math.ceil(asked / perRequest);
  const billable = mayCost(endpoint) ? requests : 0;
  const { lost, ...plan } = counts;
  return {
    plan: {
      ...plan,
      ...(lost > 0 && { lost }),
      distinct: items.size,
      requests,
      billable,
      ...before.told,
    },
    open,
    isCut,
    unusable,
  };
}

/** Gathers what of a plan would be bought a second time, and when it was bought. */
export class BoughtBefore {
  private readonly days = { calls: 0, first: Number.POSITIVE_INFINITY, last: 0 };

  add(at: number | undefined): void {
    if (at === undefined) return;
    const { days } = this;
    days.calls += 1;
    [days.first, days.last] = [Math.min(days.first, at), Math.max(days.last, at)];
  }

  get told(): Pick<PlannedJob, 'bought_before'> {
    const { calls, first, last } = this.days;
    const day = (at: number): string => dayOf(new Date(at).toISOString());
    return calls === 0 ? {} : { bought_before: { calls, first: day(first), last: day(last) } };
  }
}

/** Gives what a row asks first. Its next columns depend on the answers, unless this one is malformed. */
function firstQuestion<Q extends Keyed>(
  row: InputRow,
  job: Pick<Job<Q>, 'ask' | 'mayMiss'>,
): Q | NoQuestion {
  const question = questionOf(row, job.ask);
  if (!(question instanceof NoQuestion) || row.next === undefined || job.mayMiss !== true)
    return question;
  const next = firstQuestion(row.next, job);
  return next instanceof NoQuestion ? question : next;
}
