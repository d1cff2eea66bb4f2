/** A job: many identifiers in, one row out for each. What is particular to one kind, and what every kind runs with. */
import type { Client } from '../client/client.ts';
import type { Endpoint, RequestOf } from '../contract/endpoint.ts';
import type { Invalid } from '../input/identifier.ts';
import type { AnswerStore } from '../money/store/answer-store.ts';
import { type InputRow, noIdentifier } from '../rows/input-row.ts';
import type { ResultRows } from '../rows/result-row.ts';
import type { Purchase } from './purchase.ts';
import type { ResultCache } from './result-cache.ts';
import type { StopRule } from './stop-rule.ts';

/** What a row asks for: the key is the same for rows that ask the same. */
export interface Keyed {
  readonly key: string;
}

/** One kind of job. */
export interface Job<E extends Endpoint, Q extends Keyed> {
  readonly endpoint: E;
  /** Columns or fields of the input that may hold the identifier, in the order they are looked for. */
  readonly identifierColumns: readonly string[];
  /** What a row asks for, or why it can be seen to be malformed. */
  readonly ask: (text: string, row: InputRow) => Q | Invalid;
  /** A row without a match is asked again by its next column, where several were named. */
  readonly triesNext?: true;
  readonly perRequest: number;
  readonly requests: (questions: readonly Q[]) => readonly RequestOf<E>[];
  /** Whether a row without a match is a good answer. */
  readonly emptyIsFine: boolean;
  /** Yields each input row once and in order. */
  readonly rows: (run: JobRun) => ResultRows;
}

/** What a job runs with. */
export interface JobRun {
  readonly client: Client;
  readonly input: AsyncIterable<readonly InputRow[]>;
  readonly purchase: Purchase;
  readonly results: ResultCache;
  /** Answers that earlier runs bought, and where those of this run are kept; undefined where nothing is. */
  readonly store?: AnswerStore | undefined;
  readonly stopRule: StopRule;
  readonly concurrency: number;
  /** So many columns were named for the identifier; 1 where none was. */
  readonly columns: number;
  /** How often a call is made again whose answer was lost: 0 unless `--retry-unknown`. */
  readonly retriesOfUnknown: number;
}

/** Why a row is not asked about, and what that makes of it: its outcome already. */
export class NoQuestion {
  constructor(
    readonly status: 'invalid' | 'not_found' | 'skipped',
    readonly error: string,
    readonly hint?: string,
  ) {}
}

/**
 * What `row` asks in the terms of `ask`, which is not even called where the row itself is broken or has no identifier. A row
 * that an earlier command passed on without a record is `not_found`, as it was there: nobody wrote anything malformed.
 */
export function questionOf<Q extends object>(row: InputRow, ask: (text: string, row: InputRow) => Q | Invalid): Q | NoQuestion {
  if (row.unread !== undefined) return new NoQuestion('skipped', row.unread);
  const objection = row.invalid ?? objectionTo(row.text);
  const question = objection === undefined ? ask(row.text ?? '', row) : { invalid: objection };
  if (!isInvalid(question)) return question;
  return new NoQuestion(row.foundNothing === true ? 'not_found' : 'invalid', question.invalid, question.hint);
}

/** What a formula without a result shows, in the languages of Excel: `#N/A`, `#NV`, `#REF!`. To ask for it may be billed. */
const formulaError = /^#(?:N\/[AD]|NV|DIV\/0!|[\p{L}_]+[!?])$/iu;

function objectionTo(text: string | undefined): string | undefined {
  if (text === undefined) return noIdentifier;
  return text.startsWith('#') && formulaError.test(text) ? 'an error of a spreadsheet formula, not an identifier' : undefined;
}

const isInvalid = (question: object): question is Invalid => 'invalid' in question;
