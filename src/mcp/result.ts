/** Decides what a tool shows of an answer, and writes it: safe to show, with what it cost, and no larger than a context can bear. */
import type { Purchased } from '../book/buyer.ts';
import { columnAt, recordSchema } from '../contract/columns.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { mayCost } from '../contract/price.ts';
import { defaultLimit } from '../contract/service.ts';
import { type Billed, beginningOf, PdiError, UsageError } from '../errors.ts';
import { isObject, type JsonObject, jsonText } from '../json/exact.ts';
import { cleanForTerminal } from '../output/clean.ts';
import { contentReader } from '../output/json.ts';
import { chooseColumns } from '../output/layout.ts';
import { describeFailure } from '../road/report.ts';
import { ApiRecord, type ResultRow } from '../rows/row.ts';
import { fieldsArgument, isPagedHere } from './listing.ts';

export interface AnswerView {
  readonly content: (row: ResultRow) => unknown;
  /** What to do about a result that is too large. */
  readonly wayOn: string;
  /** The result is undefined for an answer without a body. */
  readonly shown: (answer: Purchased) => {
    readonly result?: unknown;
    readonly next_page?: number | undefined;
  };
}

/** @throws UsageError for an unknown field */
export function viewOf(endpoint: Endpoint, input: JsonObject): AnswerView {
  const { result, maxLimit, members } = endpoint;
  const content = contentReader(chosenColumns(endpoint, input[fieldsArgument]));
  const contentOf = (record: ApiRecord) => content({ record, status: 'ok' });
  const page = Number(input.page ?? 0);
  const limit = Math.min(Number(input.limit ?? defaultLimit), maxLimit ?? Number.POSITIVE_INFINITY);
  // Without a documented maximum the service may give fewer than asked for, but no fewer than its default.
  const fullPage = Math.min(limit, maxLimit ?? defaultLimit);
  const isCutHere = isPagedHere(endpoint);
  const first = page * limit;
  // The service does not say how many there are, so a full page of it may have another one behind it.
  const pageOf = <T>(all: readonly T[]) =>
    isCutHere
      ? {
          shown: all.slice(first, first + limit),
          next_page: all.length > first + limit ? page + 1 : undefined,
        }
      : { shown: all, next_page: all.length >= fullPage ? page + 1 : undefined };
  return {
    content,
    wayOn: wayOnWithFields(endpoint),
    shown: ({ record, records }) => {
      if (result === 'list') {
        const { shown, next_page } = pageOf(records);
        return { result: shown.map(contentOf), next_page };
      }
      const body = record.value;
      if (body === undefined || body === null) return {};
      const all =
        isCutHere && members !== undefined && isObject(body) ? body[members.field] : undefined;
      if (members === undefined || !isObject(body) || !Array.isArray(all))
        return { result: contentOf(record) };
      const { shown, next_page } = pageOf(all);
      return { result: contentOf(new ApiRecord({ ...body, [members.field]: shown })), next_page };
    },
  };
}

/** The message names the argument of the tool, not the flag, nor a page of help that an agent cannot open. */
function chosenColumns(endpoint: Endpoint, fields: unknown): ReturnType<typeof chooseColumns> {
  const chosen = fields === undefined ? undefined : String(fields);
  try {
    return chooseColumns(chosen, endpoint.columns, (path) =>
      columnAt(recordSchema(endpoint), path),
    );
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const [names = ''] = (error.details.hint ?? '').split('; --help');
    throw new UsageError(error.message.replace('--fields', fieldsArgument), {
      item: fieldsArgument,
      hint: `nothing was sent; ${names}`,
    });
  }
}

const wayOnWithFields = (endpoint: Endpoint): string => {
  const { columns, identity, members } = endpoint;
  const short = columns.filter(
    ({ name, inTable }) => (inTable || name === identity) && name !== members?.field,
  );
  const few = short.map(({ name }) => name);
  const kept = mayCost(endpoint)
    ? '; the answer is kept for some minutes, so that costs nothing'
    : '';
  return `call again with the same arguments and ${fieldsArgument}, such as "${few.join(',')}"${kept}`;
};

/** Two things that an agent must not take for one: a call of unstated price was answered, and may be repeated. */
export type ToldBilled = Exclude<Billed, 'unknown'> | 'price unknown' | 'answer lost';

interface ResultFacts {
  readonly billed: ToldBilled;
  readonly source?: 'book' | 'session' | undefined;
  readonly fetched_at?: string | undefined;
  /** Calls that may be billed and that the cap still allows; null where there is no cap. */
  readonly calls_left?: number | null | undefined;
  readonly next_page?: number | undefined;
  readonly warning?: string | undefined;
}

const maxBytes = 64_000;

export class TooLargeResult extends UsageError {}

/** @throws TooLargeResult, with `way` on as its hint */
export function resultText(result: unknown, facts: ResultFacts, way: string): string {
  // What is undefined is left out. The result comes last, so that the price is read first.
  const text = jsonText({ ...facts, result: cleaned(result) });
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return text;
  const kilobytes = Math.ceil(bytes / 1000);
  throw new TooLargeResult(
    `the result has ${kilobytes} kB, and a tool gives ${maxBytes / 1000} kB at most`,
    {
      // An answer that is too large has arrived.
      billed:
        facts.billed === 'price unknown' || facts.billed === 'answer lost'
          ? 'unknown'
          : facts.billed,
      hint: way,
    },
  );
}

/** Without escape sequences, and without control and invisible characters, in which instructions could hide. */
function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return cleanForTerminal(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [cleanForTerminal(name), cleaned(field)]),
  );
}

export const failureText = (error: unknown, advice: (hint: string) => string): string =>
  describeFailure(bounded(error), { json: true, verbose: false }, undefined, advice).trimEnd();

const [longestMessage, longestItem] = [2000, 500];

/** An argument of some megabytes would come back in the error about it. */
function bounded(error: unknown): unknown {
  if (!(error instanceof PdiError)) return error;
  const { code, message, details } = error;
  return new PdiError(code, shortened(message, longestMessage), {
    ...details,
    item: details.item && shortened(details.item, longestItem),
  });
}

/** What an error is about stands at its beginning, and the reason at its end. Both are of whole characters. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = text.slice(-most / 2).replace(/^[\udc00-\udfff]/, '');
  return `${beginningOf(text, most / 2)}…${end}`;
}

export const warningOf = (trouble: PdiError | undefined): string | undefined =>
  trouble === undefined
    ? undefined
    : cleanForTerminal(`${trouble.message}; ${trouble.details.hint ?? ''}`);
