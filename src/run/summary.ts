/** Prints the end of a job as one line on stderr: rows, billed calls, and how to resume. */

import type { BudgetUse } from '../book/budget.ts';
import { pluralize } from '../errors.ts';
import type { Reasons } from '../jobs/reasons.ts';
import { describeTally, isAskedAgain, isUnfinished, rowsIn, type Tally } from '../jobs/tally.ts';
import { cleanForTerminal } from '../output/clean.ts';
import type { Context } from './context.ts';
import { type OriginCounts, originWords } from './origins.ts';
import type { LookBack } from './page-reader.ts';
import { costOfNewRun, type RunCost } from './run-cost.ts';

interface SummaryOptions {
  readonly lost?: boolean;
  readonly resume?: string | undefined;
  readonly origins?: OriginCounts;
  readonly isTrial?: boolean;
  readonly reasons?: Reasons;
  readonly budget?: readonly BudgetUse[];
  /** So many different items may have been billed without an answer, in this run or before. */
  readonly unknownItems?: number;
  /** So many rows hold a record about another id than the one asked for. */
  readonly aboutAnother?: number;
  /** So many identifiers are links that were read out of a text. */
  readonly linksInTexts?: number;
  readonly onlyNew?: boolean;
  readonly lookBack?: LookBack | undefined;
}

const maxReasons = 3;

/** Prints nothing with `--quiet`, and one JSON object if errors are JSON. */
export function reportSummary(context: Context, tally: Tally, runCost: RunCost, options: SummaryOptions): void {
  if (context.flags.quiet === true) return;
  const resume = options.resume ?? howToGoOn(tally, runCost, options, context.flags.out);
  const said = { ...options, tally, spent: runCost.spent, resume };
  context.writeStderr(context.jsonErrors() ? asJson(said) : asLine(said));
}

interface Said extends Omit<SummaryOptions, 'resume'> {
  readonly tally: Tally;
  readonly spent: RunCost['spent'];
  readonly resume: string | null;
}

function asJson({
  tally,
  spent,
  resume,
  isTrial,
  reasons,
  origins,
  budget,
  onlyNew,
  lookBack,
  aboutAnother = 0,
  linksInTexts = 0,
}: Said): string {
  const summary = {
    rows: rowsIn(tally),
    ...(isTrial === true && { first: rowsIn(tally) }),
    ...(onlyNew === true && { new_signals: tally.ok }),
    ...tally,
    ...(reasons !== undefined && { reasons: Object.fromEntries(cleaned(reasons.commonest(maxReasons))) }),
    ...(aboutAnother > 0 && { about_another_id: aboutAnother }),
    ...(linksInTexts > 0 && { links_in_texts: linksInTexts }),
    ...origins,
    calls_billed: spent.billed,
    ...(lookBack !== undefined && { calls_look_back: lookBack.calls() }),
    calls_unknown: spent.unknown,
    resume,
    ...budgetFields(budget),
  };
  return `${JSON.stringify({ summary })}\n`;
}

function asLine({
  tally,
  spent,
  resume,
  isTrial,
  reasons,
  origins,
  budget = [],
  onlyNew,
  lookBack,
  aboutAnother = 0,
  linksInTexts = 0,
}: Said): string {
  const origin = origins === undefined ? '' : originWords(origins, ', ', String);
  const parts = [
    onlyNew === true ? pluralize(tally.ok, 'new signal') : `${isTrial === true ? 'the first ' : ''}${describeTally(tally)}`,
    ...(reasons === undefined ? [] : reasonWords(reasons)),
    ...(aboutAnother > 0 ? [`${aboutAnother} about another id`] : []),
    ...(linksInTexts > 0 ? [`${pluralize(linksInTexts, 'link')} read out of a text`] : []),
    ...(origin === '' ? [] : [origin]),
    `${pluralize(spent.billed, 'call')} billed${lookBackWords(lookBack)}${spent.unknown > 0 ? `, ${spent.unknown} that may have been` : ''}`,
    ...(resume === null ? [] : [resume]),
    ...budget.map(describeUse),
  ];
  return `pdi: ${parts.join('; ')}\n`;
}

/** `, 27 for the look-back of 7 days`. */
function lookBackWords(lookBack: LookBack | undefined): string {
  const calls = lookBack?.calls() ?? 0;
  return lookBack === undefined || calls === 0 ? '' : `, ${calls} for the look-back of ${pluralize(lookBack.days, 'day')}`;
}

/** Reasons may hold words of the service or of the input. */
const cleaned = (reasons: ReturnType<Reasons['commonest']>) => reasons.map(([reason, rows]) => [cleanForTerminal(reason), rows] as const);

/** `reasons: 136 blank, 94 not a URL`, and dots where there are more than are shown. */
function reasonWords(reasons: Reasons): readonly string[] {
  const words = cleaned(reasons.commonest(maxReasons + 1)).map(([reason, rows], at) => (at < maxReasons ? `${rows} ${reason}` : '…'));
  return words.length === 0 ? [] : [`reasons: ${words.join(', ')}`];
}

export const withRest = (use: BudgetUse) => ({ ...use, left: Math.max(0, use.limit - use.used) });

/** `budget: 60 of 500 calls a month used, 440 left`. */
export function describeUse(use: BudgetUse): string {
  const { period, limit, used, left } = withRest(use);
  return `budget: ${used} of ${pluralize(limit, 'call')} a ${period} used, ${left} left`;
}

const budgetFields = (budget: readonly BudgetUse[] = []) => (budget.length === 0 ? {} : { budget: budget.map(withRest) });

/** Gives null if nothing is left. It adds the cost to what leads to a new run. */
function howToGoOn(tally: Tally, runCost: RunCost, options: SummaryOptions, out: string | undefined): string | null {
  const { isTrial, lost } = options;
  const rest = isUnfinished(tally) || lost === true ? howToResume(tally, runCost, options, out) : null;
  // A trial that ended early has to be made again before the whole job.
  if (isTrial !== true || lost === true || tally.skipped > 0) return rest;
  const onward = 'leave --first out to go on with all rows';
  const calls = callsOf(runCost);
  if (runCost.foundBy !== 'any run' && calls > 0)
    return `${onward}, which may bill again what was bought: ${pluralize(calls, 'call')}; ${withOut}`;
  return rest === null ? onward : `${onward}; ${rest}`;
}

const withOut = 'with --out FILE, a file on a disk, a job goes on where it ended';

function howToResume(tally: Tally, runCost: RunCost, { lost, unknownItems = 0 }: SummaryOptions, out: string | undefined): string {
  if (runCost.foundBy === 'any run') {
    return lost === true || isAskedAgain(tally)
      ? 'run the same command again: it asks only for the rest'
      : `--retry-unknown sends again what may have been billed: up to ${pluralize(unknownItems, 'call')}`;
  }
  if (callsOf(runCost) > 0) return `${costOfNewRun(runCost)}; ${withOut}`;
  return out === undefined ? 'use --out FILE to make a job resumable' : 'a job is resumable where --out is a file on a disk';
}

const callsOf = ({ spent: { billed, unknown } }: RunCost): number => billed + unknown;
