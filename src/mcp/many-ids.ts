/** Many ids in one call of a tool: one question to the person, and a row for each id, in the order in which they were named. */
import { type Bought, endOfAnswer } from '../book/buyer.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { type Billed, PdiError, UsageError } from '../errors.ts';
import { comparedWith } from '../road/lookup.ts';
import { statusOf } from '../road/stop-rule.ts';
import type { Outcome } from '../rows/result-row.ts';
import { idsArgument, idTexts, maxIds, shown } from './listing.ts';
import type { WantedAnswers } from './obtain.ts';
import { questionAboutMany } from './question.ts';
import { type AnswerView, resultText, warningOf, wayOnWithFields } from './result.ts';
import type { AskedCall, Found, FoundBySubject, ToolSession } from './session.ts';
import type { GivenArguments } from './tool.ts';

/** Gives the ids of a call that names several, in `ids` or in the argument of one. @throws UsageError */
export function manyIdsIn(given: GivenArguments, name: string): readonly string[] | undefined {
  const isList = Array.isArray(given[name]);
  if (!(idsArgument in given || isList)) return undefined;
  const argument = isList ? name : idsArgument;
  const mistake = (words: string, hint: string) => new UsageError(words, { item: argument, hint: `nothing was sent; ${hint}` });
  if (idsArgument in given && name in given)
    throw mistake(`${name} and ${idsArgument} exclude each other`, `name all ids in ${idsArgument}`);
  const value = given[argument];
  const texts = idTexts(value);
  if (texts.length === 0) throw mistake(`${argument}: expected a list of ids, got ${shown(value)}`, 'give 1 to 50 ids');
  const at = texts.indexOf(undefined);
  if (at >= 0 && Array.isArray(value)) throw mistake(`${argument}: expected texts, got ${shown(value[at])}`, 'give 1 to 50 ids');
  if (texts.length > maxIds) throw mistake(`${argument}: ${texts.length} ids, and one call takes ${maxIds} at most`, 'make more calls');
  return texts.filter((text) => text !== undefined);
}

interface IdRow {
  readonly input: string;
  readonly asked: AskedCall;
}

export const wantedByIds = (session: ToolSession, endpoint: Endpoint, rows: readonly IdRow[], view: AnswerView): WantedAnswers => ({
  endpoint,
  calls: new Map(rows.map(({ asked }) => [asked.subject, asked])),
  refuseInVain: async (known, missing) => {
    // What is there already may be too much by itself.
    rowsText(session, endpoint, rows, view, known);
    await session.refuseBeyondLimits(missing.length);
  },
  question: (missing, kept) => questionAboutMany(endpoint, missing, kept, session),
  textOf: (found) => {
    refuseNothing(found);
    return rowsText(session, endpoint, rows, view, found);
  },
});

/** @throws PdiError what kept every id from being sent */
function refuseNothing(found: FoundBySubject): void {
  const failures = [...found.values()].map(({ bought: { result } }) => (result instanceof PdiError ? result : undefined));
  if (failures.some((failure) => failure === undefined || statusOf(failure) !== 'skipped')) return;
  const cause = failures.find((failure) => failure?.code !== 'interrupted') ?? failures[0];
  if (cause !== undefined) throw cause;
}

/** @throws TooLargeResult, with `fields` as the way on */
function rowsText({ callsLeft }: ToolSession, endpoint: Endpoint, rows: readonly IdRow[], view: AnswerView, found: FoundBySubject): string {
  const told = new Set<string>();
  const shownRows = rows.flatMap((row) => {
    const { subject } = row.asked;
    const one = found.get(subject);
    if (one === undefined) return [];
    // An id that is named twice is bought once.
    const billed = told.has(subject) ? 'no' : billedFor(endpoint, one);
    told.add(subject);
    return [shownRow(row, one, billed, view)];
  });
  const billed = (['yes', 'unknown'] as const).find((word) => shownRows.some((row) => row.billed === word)) ?? 'no';
  const troubles = [...found.values()].map(({ bought: { result } }) => (result instanceof PdiError ? undefined : result.trouble));
  const warning = warningOf(troubles.find((trouble) => trouble !== undefined));
  return resultText(shownRows, { billed, calls_left: callsLeft, warning }, wayOnWithFields(endpoint));
}

function shownRow({ input, asked }: IdRow, { bought, source }: Found, billed: Billed, view: AnswerView) {
  const { status, error, record } = outcomeOf(asked, bought);
  return {
    input,
    pdi_status: status,
    pdi_error: error,
    billed,
    // Only an answer has a source: what was not sent has none.
    source: source ?? (bought.fetchedAt === undefined ? undefined : 'service'),
    fetched_at: bought.fetchedAt,
    result: record && view.content(record),
  };
}

function outcomeOf(asked: AskedCall, { result }: Bought<unknown>): Outcome {
  if (result instanceof PdiError) return { status: statusOf(result), error: result.details.reason ?? result.message };
  return comparedWith(asked.endpoint, asked, { status: 'ok', record: result.record });
}

function billedFor(endpoint: Endpoint, { bought: { result }, source }: Found): Billed {
  if (result instanceof PdiError) return result.details.billed ?? 'no';
  return source === undefined ? endOfAnswer(endpoint, result.body).billed : 'no';
}
