/** Numbers as they were sent. */

/** A number that a double cannot hold as it was sent (past 2^53, many decimals): its digits, untouched. */
export class ExactNumber {
  constructor(readonly source: string) {}

  /** Lets `String` and `Number` take it as they take any number. */
  toString(): string {
    return this.source;
  }
}

/** Whether an answer's value is a number, whichever way it is held. */
export const isNumber = (value: unknown): value is number | ExactNumber => typeof value === 'number' || value instanceof ExactNumber;
