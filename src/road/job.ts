/** A job takes many identifiers and gives one row for each. This file has what differs between jobs, and what every job runs with. */
import type { Buyer } from '../book/buyer.ts';
import type { JobFile } from '../book/job-file.ts';
import type { Client } from '../client/client.ts';
import type { Endpoint, RequestOf } from '../contract/endpoint.ts';
import type { Invalid } from '../contract/identifier.ts';
import { type InputRow, noIdentifier } from '../rows/input-row.ts';
import type { Outcome } from '../rows/result-row.ts';
import type { StopRule } from './stop-rule.ts';

export interface Keyed {
  readonly key: string;
  readonly linkInText?: true;
}

export interface Job<E extends Endpoint, Q extends Keyed> {
  readonly endpoint: E;
  readonly identifierColumns: readonly string[];
  readonly ask: (text: string, row: InputRow) => Q | Invalid;
  /** To find nothing is a good answer, after which a row is asked about by its next column, where the user named several. */
  readonly mayMiss?: true;
  readonly perRequest: number;
  readonly requests: (questions: readonly Q[]) => readonly RequestOf<E>[];
  /** Gives what asks at most `perRequest` questions, and has an outcome for each: a failure is one too, only a bug rejects. */
  readonly sender: (run: JobRun) => (questions: readonly Q[]) => Promise<readonly Outcome[]>;
  /** Holds an answer against its question. */
  readonly compared?: (question: Q, outcome: Outcome) => Outcome;
}

export interface JobRun {
  readonly client: Client;
  readonly input: AsyncIterable<readonly InputRow[]>;
  readonly buyer: Buyer;
  /** It keeps answers that are paid for, this run's and those of runs before. */
  readonly journal: JobFile | undefined;
  readonly stopRule: StopRule;
  readonly concurrency: number;
  /** So many columns were named for the identifier; 1 where none was. */
  readonly columns: number;
}

/** A row that is not asked about has its outcome already. */
export class NoQuestion {
  constructor(
    readonly status: 'invalid' | 'not_found' | 'skipped',
    readonly error: string,
    readonly hint?: string,
  ) {}
}

/** Gives what `row` asks; `ask` never sees a broken row. A row that an earlier command passed on without a record is `not_found`. */
export function questionOf<Q extends object>(row: InputRow, ask: (text: string, row: InputRow) => Q | Invalid): Q | NoQuestion {
  if (row.unread !== undefined) return new NoQuestion('skipped', row.unread);
  const objection = row.invalid ?? objectionTo(row.text);
  const question = objection === undefined ? ask(row.text ?? '', row) : { invalid: objection };
  if (!isInvalid(question)) return question;
  return new NoQuestion(row.foundNothing === true ? 'not_found' : 'invalid', question.invalid, question.hint);
}

/** A formula without a result shows this in the languages of Excel, `#NV`, or in LibreOffice, `Err:502`. To ask for it may be billed. */
const formulaError = /^(?:#(?:N\/[AD]|NV|DIV\/0!|GETTING_DATA|[\p{L}_]+[!?])|Err:\d{3})$/iu;

function objectionTo(text: string | undefined): string | undefined {
  if (text === undefined) return noIdentifier;
  const mayBeError = text.startsWith('#') || text.startsWith('Err:');
  return mayBeError && formulaError.test(text) ? 'an error of a spreadsheet formula, not an identifier' : undefined;
}

const isInvalid = (question: object): question is Invalid => 'invalid' in question;
