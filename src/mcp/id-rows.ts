/** Shows what came of many ids: a row for each, in the order in which they were named. */
import type { InputRequiredResult } from '@modelcontextprotocol/server';
import { type Bought, endOfAnswer } from '../book/buyer.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { type Billed, PdiError } from '../errors.ts';
import { comparedWith } from '../road/lookup.ts';
import { statusOf } from '../road/stop-rule.ts';
import type { Outcome } from '../rows/result-row.ts';
import { resultText, warningOf } from './result-text.ts';
import type { AskedCall } from './service-calls.ts';
import { type AnswerView, wayOnWithFields } from './view.ts';

/** What is known of one id. Without a source it was bought now. */
export interface Found {
  readonly bought: Bought<unknown>;
  readonly source?: 'book' | 'session' | undefined;
}

export type FoundByItem = ReadonlyMap<string, Found>;

export type ObtainedMany =
  | { readonly found: FoundByItem; readonly open?: undefined }
  | { readonly found?: undefined; readonly open: InputRequiredResult };

export interface ManyAsked {
  readonly endpoint: Endpoint;
  /** One for each id that was given, in that order. */
  readonly rows: readonly AskedCall[];
  readonly inputs: readonly string[];
}

export const itemIn = ({ request }: AskedCall): string => Object.values(request.path)[0] ?? '';

/** @throws TooLargeResult, with `fields` as the way on */
export function manyText({ endpoint, rows, inputs }: ManyAsked, found: FoundByItem, view: AnswerView, callsLeft: number | null): string {
  const shown = new Set<string>();
  const told = rows.flatMap((row, place) => {
    const item = itemIn(row);
    const one = found.get(item);
    if (one === undefined) return [];
    // An id that is named twice is bought once.
    const billed = shown.has(item) ? 'no' : billedFor(endpoint, one);
    shown.add(item);
    return [rowOf({ row, input: inputs[place] ?? item, one, billed }, view)];
  });
  const troubles = [...found.values()].map(({ bought: { result } }) => (result instanceof PdiError ? undefined : result.trouble));
  const facts = { billed: sumOf(told), calls_left: callsLeft, warning: warningOf(troubles.find((trouble) => trouble !== undefined)) };
  return resultText(told, facts, wayOnWithFields(endpoint));
}

interface TellingRow {
  readonly row: AskedCall;
  readonly input: string;
  readonly one: Found;
  readonly billed: Billed;
}

function rowOf({ row, input, one: { bought, source }, billed }: TellingRow, view: AnswerView) {
  const { status, error, record } = outcomeOf(row, bought);
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

function outcomeOf(row: AskedCall, { result }: Bought<unknown>): Outcome {
  if (result instanceof PdiError) return { status: statusOf(result), error: result.details.reason ?? result.message };
  return comparedWith(row.endpoint, row, { status: 'ok', record: result.record });
}

function billedFor(endpoint: Endpoint, { bought: { result }, source }: Found): Billed {
  if (result instanceof PdiError) return result.details.billed ?? 'no';
  return source === undefined ? endOfAnswer(endpoint, result.body).billed : 'no';
}

const sumOf = (rows: readonly { readonly billed: Billed }[]): Billed =>
  (['yes', 'unknown'] as const).find((word) => rows.some(({ billed }) => billed === word)) ?? 'no';

/** @throws PdiError what kept every id from being sent */
export function refuseNothing(found: FoundByItem): void {
  const failures = [...found.values()].map(({ bought: { result } }) => (result instanceof PdiError ? result : undefined));
  if (failures.some((failure) => failure === undefined || statusOf(failure) !== 'skipped')) return;
  const cause = failures.find((failure) => failure?.code !== 'interrupted') ?? failures[0];
  if (cause !== undefined) throw cause;
}
