/** Says on stderr what was counted of a run: where its rows are from, and at its end rows, billed calls, and how to resume. */

import type { BudgetUse } from '../book/budget.ts';
import type { FeedProgress } from '../book/feed-progress.ts';
import { pluralize, thousands } from '../errors.ts';
import { cleanForTerminal, cleanLine } from '../output/clean.ts';
import { isJsonFormat } from '../output/formats.ts';
import { fieldNamesIn } from '../output/layout.ts';
import { describeDays, lengthOf } from '../rows/days.ts';
import type { Delivered } from './delivery.ts';
import type { Show } from './plan.ts';
import { costOfNewRun, type FoundBy, type RunCost, withCaution } from './report.ts';
import type { RunCount } from './run-count.ts';
import { matchesColumn } from './shape.ts';
import type { Say } from './tools.ts';

interface SummaryOptions {
  /** A row is an identifier, not a record of a list: it may have come from the book, and may have failed. */
  readonly job: boolean;
  readonly fate: Delivered['fate'];
  readonly resume?: string | null | undefined;
  readonly isTrial?: boolean;
  /** Nothing is kept of its answers. */
  readonly isFree?: boolean;
  /** What a call of it costs is not documented. */
  readonly isUnpriced?: boolean;
  /** The same command sends again what this run lost. */
  readonly retriesLost?: boolean;
  /** Without a journal, the row that ended the run ends the next one too. */
  readonly stopsOnError?: boolean;
  readonly budget: readonly BudgetUse[] | undefined;
  readonly feed?: FeedProgress | undefined;
}

const maxReasons = 3;

/** Prints nothing with `--quiet`, and one JSON object if errors are JSON. */
export function reportSummary(
  show: Show,
  say: Say,
  count: RunCount,
  runCost: RunCost,
  options: SummaryOptions,
): void {
  if (show.quiet) return;
  const resume =
    options.resume ?? withCaution(howToGoOn(count, runCost, options, show.out), runCost);
  const file = options.fate === 'written' && !show.isForStdout ? show.out : undefined;
  say.write((say.isJson() ? asJson : asLine)(count, runCost, { ...options, file, resume }));
}

interface WholeSummary extends SummaryOptions {
  /** FILE, where it was written. */
  readonly file: string | undefined;
}

function asJson(
  count: RunCount,
  { spent, began }: RunCost,
  { file, job, resume, isTrial, isFree, isUnpriced, budget = [], feed }: WholeSummary,
): string {
  const { rows, tally, aboutAnother, linksInTexts } = count;
  const summary = {
    ...(file !== undefined && { file }),
    rows,
    ...(isTrial === true && { first: rows }),
    ...(feed !== undefined && { new_signals: tally.ok, late_signals: feed.late }),
    ...tally,
    ...(job && { reasons: Object.fromEntries(reasonsOf(count, maxReasons)) }),
    ...(aboutAnother > 0 && { about_another_id: aboutAnother }),
    ...(linksInTexts > 0 && { links_in_texts: linksInTexts }),
    ...(count.repeated > 0 && isFree !== true && { repeated: count.repeated }),
    ...(job && count.origins),
    calls_billed: spent.billed,
    ...feed?.cost,
    [isUnpriced === true ? 'calls_unpriced' : 'calls_unknown']: spent.unknown,
    seconds: Number(secondsSince(began).toFixed(3)),
    resume,
    ...(budget.length > 0 && { budget: budget.map(withRest) }),
  };
  return `${JSON.stringify({ summary })}\n`;
}

function asLine(
  count: RunCount,
  { spent, began }: RunCost,
  { file, job, resume, isTrial, isFree, isUnpriced, budget = [], feed }: WholeSummary,
): string {
  const { tally, aboutAnother, linksInTexts } = count;
  const origin = job ? originWords(count.origins, ', ', String) : '';
  const parts = [
    feed !== undefined
      ? pluralize(tally.ok, 'new signal')
      : `${isTrial === true ? 'the first ' : ''}${count.words}`,
    ...(job ? reasonWords(count) : []),
    ...(aboutAnother > 0 ? [`${aboutAnother} about another id`] : []),
    ...(linksInTexts > 0 ? [`${pluralize(linksInTexts, 'link')} read out of a text`] : []),
    ...spentWords(spent, feed === undefined ? 'call' : 'page', isUnpriced === true),
    ...(count.repeated > 0 && isFree !== true ? [`${count.repeated} repeated`] : []),
    ...(origin === '' ? [] : [origin]),
    ...lookBackWords(feed?.counted ?? []),
    durationWords(secondsSince(began)),
    ...(resume ? [resume] : []),
    ...budget.map(describeUse),
  ];
  return `pdi: ${file === undefined ? '' : `${cleanLine(file)}: `}${parts.join('; ')}\n`;
}

const secondsSince = (began: number): number => (performance.now() - began) / 1000;

const durationWords = (seconds: number): string =>
  seconds < 9.95 ? `${Math.max(0.1, seconds).toFixed(1)} s` : `${thousands(Math.round(seconds))} s`;

function spentWords(
  { billed, unknown }: RunCost['spent'],
  unit: string,
  isUnpriced: boolean,
): readonly string[] {
  if (isUnpriced && billed === 0 && unknown > 0)
    return [`${pluralize(unknown, unit)} of unstated price`];
  const lost = `, ${pluralize(unknown, 'answer')} lost, which may have been billed`;
  return [
    `${pluralize(billed, unit)} billed${unknown > 0 ? (isUnpriced ? `, ${unknown} of unstated price` : lost) : ''}`,
  ];
}

/** Where no summary says it. */
export function tellOrigins({ notice }: Say, { origins, originUnit }: RunCount): void {
  const words = originWords(origins, ' and ', (rows) => pluralize(rows, originUnit));
  if (words !== '')
    notice(`${words}${origins.from_book > 0 ? '; --fresh buys again what the book has' : ''}`);
}

/** `59 from the book, 2 from the journal, the oldest bought 3 hours ago`; empty where nothing was bought before. */
function originWords(
  counts: RunCount['origins'],
  and: string,
  counted: (rows: number) => string,
): string {
  const { from_book, from_journal, oldest_bought_at: oldest } = counts;
  const parts = [
    ...(from_book > 0 ? [`${counted(from_book)} from the book`] : []),
    ...(from_journal > 0 ? [`${counted(from_journal)} from the journal`] : []),
  ];
  const age =
    oldest === null ? '' : `, the oldest bought ${agoOf(Date.now() - Date.parse(oldest))}`;
  return parts.length === 0 ? '' : parts.join(and) + age;
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

function agoOf(milliseconds: number): string {
  for (const [unit, length] of units)
    if (milliseconds >= length) return `${pluralize(Math.floor(milliseconds / length), unit)} ago`;
  return 'less than a minute ago';
}

/** `foundBy` says what it takes to ask for the records once more; nothing where they need not be asked for. */
export function tellSeveral(
  { format, explode, fields }: Show,
  { notice }: Say,
  { several: rows }: RunCount,
  foundBy?: FoundBy,
): void {
  if (rows === 0 || (isJsonFormat(format) && explode === undefined)) return;
  const isNumberShown = fields === undefined || fieldNamesIn(fields).includes(matchesColumn.name);
  const number = `${isNumberShown ? 'see' : 'their number is in --fields'} ${matchesColumn.name}`;
  const several = `${pluralize(rows, 'row')} found several records, of which ${format} shows the first (${number})`;
  const price =
    foundBy === 'any run'
      ? 'costs nothing, the answers are kept'
      : `makes up to ${pluralize(rows, 'call')} that may be billed`;
  const asking =
    foundBy === undefined
      ? ''
      : `: asking again for ${rows === 1 ? 'that row' : 'those rows'} ${price}`;
  notice(
    `${several}; -o json or ndjson${explode === undefined ? '' : ' without --explode'} shows all${asking}`,
  );
}

/** Many days that grew are one part of the line. */
const maxGrown = 3;

function lookBackWords(counted: FeedProgress['counted']): readonly string[] {
  const [same, grown] = [
    counted.filter(({ found }) => found === 0),
    counted.filter(({ found }) => found > 0),
  ];
  const [pages, found] = [
    sumOf(grown.map((one) => one.pages)),
    sumOf(grown.map((one) => one.found)),
  ];
  const grew = (days: string, by: number, calls: number) =>
    `${days} grew by ${by}: ${pluralize(calls, 'page')} billed for it`;
  return [
    ...sameWords(same),
    ...(grown.length > maxGrown
      ? [grew(pluralize(grown.length, 'day'), found, pages)]
      : grown.map((one) => grew(describeDays(one.days), one.found, one.pages))),
  ];
}

function sameWords(same: FeedProgress['counted']): readonly string[] {
  const [{ days: first } = { days: undefined }, pages] = [
    same[0],
    sumOf(same.map((one) => one.pages)),
  ];
  if (first === undefined) return [];
  const span = describeDays({ from: first.from, to: same.at(-1)?.days.to ?? first.to });
  const cost = pages === 0 ? '' : `, ${pluralize(pages, 'page')} billed for it`;
  return [
    `${pluralize(sumOf(same.map(({ days }) => lengthOf(days))), 'day')} counted again (${span}): nothing came late${cost}`,
  ];
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

const reasonsOf = (count: RunCount, most: number) =>
  count.commonestReasons(most).map(([reason, rows]) => [cleanForTerminal(reason), rows] as const);

/** `reasons: 136 blank, 94 not a URL`, and dots where there are more than are shown. */
function reasonWords(count: RunCount): readonly string[] {
  const words = reasonsOf(count, maxReasons + 1).map(([reason, rows], at) =>
    at < maxReasons ? `${rows} ${reason}` : '…',
  );
  return words.length === 0 ? [] : [`reasons: ${words.join(', ')}`];
}

export const withRest = (use: BudgetUse) => ({ ...use, left: Math.max(0, use.limit - use.used) });

export function describeUse(use: BudgetUse): string {
  const { period, limit, used, left } = withRest(use);
  return `budget: ${used} of ${pluralize(limit, 'call')} a ${period} used, ${left} left`;
}

/** Gives null if nothing is left. It adds the cost to what leads to a new run. */
function howToGoOn(
  count: RunCount,
  runCost: RunCost,
  options: SummaryOptions,
  out: string | undefined,
): string | null {
  const { job, isTrial, fate } = options;
  const isLost = job && fate === 'lost';
  const rest = count.isUnfinished || isLost ? howToResume(count, runCost, options, out) : null;
  // A trial that ended early has to be made again before the whole job.
  if (isTrial !== true || isLost || count.tally.skipped > 0) return rest;
  const onward = 'leave --first out to go on with all rows';
  const calls = callsOf(runCost);
  if (runCost.foundBy !== 'any run' && calls > 0)
    return `${onward}, which may bill again what was bought: ${pluralize(calls, 'call')}; ${withOut}`;
  return rest === null ? onward : `${onward}; ${rest}`;
}

const withOut = 'with --out FILE, a file on a disk, a job goes on where it ended';

function howToResume(
  count: RunCount,
  runCost: RunCost,
  options: SummaryOptions,
  out: string | undefined,
): string {
  const { fate, isFree, retriesLost, stopsOnError } = options;
  if (isFree === true || runCost.foundBy === 'any run') {
    const again = `run the same command again: it asks ${isFree === true ? 'for all rows, which is free' : 'only for the rest'}`;
    const retry = `--retry-unknown sends again what may have been billed: up to ${pluralize(count.unknownItems.size, 'call')}, and more where answers are lost again`;
    if (fate !== 'lost' && !count.isAskedAgain) return retry;
    if (stopsOnError === true && out === undefined && count.tally.skipped > 0)
      return `${again}; --on-error continue goes past the row that ended this run`;
    return retriesLost === true && count.tally.unknown > 0 ? `${again}; ${retry}` : again;
  }
  if (callsOf(runCost) > 0) return `${costOfNewRun(runCost)}; ${withOut}`;
  return out === undefined
    ? 'use --out FILE to make a job resumable'
    : 'a job is resumable where --out is a file on a disk';
}

const callsOf = ({ spent: { billed, unknown } }: RunCost): number => billed + unknown;
