/** The answers of a run by item, so that identical identifiers are asked for once; with a journal, those of earlier runs too. */
import type { PdiError } from '../errors.ts';
import type { InputRow } from '../input/row.ts';
import { jsonText, readJson } from '../json.ts';
import type { ItemOutcome, Journal } from '../money/journal.ts';
import type { RowStatus } from '../row.ts';
import type { JobRow } from './job-row.ts';

/** What became of one item. */
export interface Outcome {
  readonly status: RowStatus;
  readonly record?: unknown;
  /** The record as it was sent, where that is JSON on one line. */
  readonly json?: string | undefined;
  readonly error?: string | undefined;
  readonly failure?: PdiError | undefined;
}

export interface AnswersOptions {
  readonly journal?: Journal | undefined;
  /**
   * Items kept in memory, the oldest dropped first. A free item that comes again after so many others is asked again,
   * which costs nothing and keeps memory level; charged ones are kept without bound where no journal holds them.
   */
  readonly capacity: number;
}

export class Answers {
  /** Answers on their way; once arrived, as text, which takes less room than objects and is read again only if the item comes again. */
  private readonly recent = new Map<string, Promise<Outcome> | ItemOutcome>();
  /** The items of `recent` as a ring: asking a map for its oldest key takes longer with every key that it has lost. */
  private readonly ring: string[] = [];
  private oldest = 0;

  constructor(private readonly options: AnswersOptions) {}

  /** The answer to an item that was asked in this run, or bought in an earlier one. */
  find(item: string): Promise<Outcome> | undefined {
    const known = this.recent.get(item) ?? this.options.journal?.known(item);
    return known === undefined || known instanceof Promise ? known : Promise.resolve(outcomeFrom(known));
  }

  /** Remembers an answer that is on its way. */
  expect(item: string, outcome: Promise<Outcome>): void {
    this.recent.set(item, outcome);
    const { capacity } = this.options;
    if (capacity === Number.POSITIVE_INFINITY) return;
    const forgotten = this.ring[this.oldest];
    if (this.recent.size > capacity && forgotten !== undefined) this.recent.delete(forgotten);
    this.ring[this.oldest] = item;
    this.oldest = (this.oldest + 1) % capacity;
  }

  /** Records that a call about these items is about to be sent. @throws PdiError `internal`: then send nothing */
  sending(...items: readonly string[]): void {
    this.options.journal?.sent(...items);
  }

  /** Puts answers on disk, before they are used. @throws PdiError `internal` */
  arrived(answers: readonly (readonly [item: string, outcome: Outcome])[]): void {
    for (const [item, { status, json, error }] of answers) {
      if (json !== undefined && this.recent.has(item)) this.recent.set(item, { status, error, record: json });
    }
    this.options.journal?.answeredAll(answers.map(([item, outcome]) => [item, asText(outcome)]));
  }
}

const asText = ({ status, record, json, error }: Outcome): ItemOutcome => ({
  status,
  error,
  ...(record !== undefined && { record: json ?? jsonText(record) }),
});

function outcomeFrom({ status, error, record }: ItemOutcome): Outcome {
  if (record === undefined) return { status, error };
  const { value, sent } = readJson(record);
  return { status, error, record: value, json: sent?.whole };
}

/** A row of the output from a row of the input and its item's outcome. */
export function jobRow(input: Pick<InputRow, 'text' | 'label' | 'own'>, outcome: Outcome): JobRow {
  const { status, record, json, error, failure } = outcome;
  return {
    input: input.text ?? input.label ?? '',
    ...(input.own !== undefined && { own: input.own }),
    status,
    ...(record !== undefined && { record, json }),
    ...(Array.isArray(record) && { shown: record[0] }),
    ...(error !== undefined && { error }),
    failure,
  };
}
