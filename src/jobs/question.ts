/** What a row asks, or why nothing: one rule for a job, for its plan, and for the commands that only read ids. */
import type { Invalid } from '../input/identifier.ts';
import type { InputRow } from '../rows/input-row.ts';

/** Why a row is not asked about, and what that makes of it: its outcome already. */
export class NoQuestion {
  constructor(
    readonly status: 'invalid' | 'not_found',
    readonly error: string,
    /** What to do instead, where that is known. */
    readonly hint?: string,
  ) {}
}

/**
 * What `row` asks in the terms of `ask`, which is not even called where the row itself is broken or has no identifier. A row
 * that an earlier command passed on without a record is `not_found`, as it was there: nobody wrote anything malformed.
 */
export function questionOf<Q extends object>(row: InputRow, ask: (text: string, row: InputRow) => Q | Invalid): Q | NoQuestion {
  const objection = row.invalid ?? (row.text === undefined ? 'the row has no identifier' : undefined);
  const question = objection === undefined ? ask(row.text ?? '', row) : { invalid: objection };
  if (!isInvalid(question)) return question;
  return new NoQuestion(row.foundNothing === true ? 'not_found' : 'invalid', question.invalid, question.hint);
}

const isInvalid = (question: object): question is Invalid => 'invalid' in question;
