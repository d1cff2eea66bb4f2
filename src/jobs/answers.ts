/** The answers of a run by item, so that identical identifiers are asked for once; with a journal, those of earlier runs too. */
import { PdiError } from '../errors.ts';
import type { Journal } from '../money/journal.ts';
import type { InputRow } from '../rows/input-row.ts';
import type { Outcome, ResultRow } from '../rows/result-row.ts';
import type { Asked } from './asked.ts';
import type { Course } from './course.ts';

export interface AnswersOptions {
  readonly journal?: Journal | undefined;
  /**
   * So many items are kept in memory until one more comes; from then on a quarter of them at least, the latest. A free item
   * that comes again after that is asked again, which costs nothing and keeps memory level; charged ones are kept without
   * bound. Beside a journal only those are kept whose answers are not in it yet.
   */
  readonly capacity: number;
}

export class Answers {
  /** Forgotten a whole map at a time: deleting items one by one takes longer than asking for them. */
  private recent = new Map<string, Asked>();
  private older = new Map<string, Asked>();
  private room: number;

  constructor(private readonly options: AnswersOptions) {
    this.room = options.capacity;
  }

  /** The request of this run that asks, or asked, for an item. */
  asked(item: string): Asked | undefined {
    return this.recent.get(item) ?? this.older.get(item);
  }

  /** What an earlier run learned of an item, as far as it need not be asked for again. */
  known(item: string): Outcome | undefined {
    return this.options.journal?.known(item);
  }

  /** What became of an item that an earlier run sent without an answer: the mark stays where this run gets none either. */
  lost(item: string): Outcome | undefined {
    return this.options.journal?.lost(item);
  }

  /** Remembers that a request asks for an item. */
  expect(item: string, asked: Asked): void {
    if (this.recent.size >= this.room) {
      this.older = this.recent;
      this.recent = new Map();
      // What lives through many collections costs the collector more than all requests cost the rest of the program.
      this.room = Math.ceil(this.options.capacity / 4);
    }
    asked.items.push(item);
    this.recent.set(item, asked);
  }

  /** Records that a call about this item is about to be sent. @throws PdiError `internal`: then send nothing */
  sending(item: string): void {
    this.options.journal?.sent(item);
  }

  /** Puts the answers of a request on disk, before they are used: the journal knows them from then on. @throws PdiError `internal` */
  arrived({ items }: Asked, outcomes: readonly Outcome[]): void {
    const { journal } = this.options;
    if (journal === undefined) return;
    journal.answeredAll(outcomes.map((outcome, index) => [items[index] ?? '', outcome]));
    for (const item of items) this.recent.delete(item);
  }
}

/** Puts the answers of a request on disk before they are used; where the disk refuses, the run ends and these still go out. */
export function keep(
  { answers, course }: { readonly answers: Answers; readonly course: Course },
  asked: Asked,
  outcomes: readonly Outcome[],
): void {
  try {
    answers.arrived(asked, outcomes);
  } catch (error) {
    if (!(error instanceof PdiError)) throw error;
    course.failed(error);
  }
}

/** A row of the output from a row of the input and its item's outcome: by name, since a spread takes a third of a job of a million rows. */
export const jobRow = (input: Pick<InputRow, 'text' | 'label' | 'own'>, { status, record, error, failure }: Outcome): ResultRow => ({
  status,
  record,
  error,
  failure,
  input: input.text ?? input.label ?? '',
  own: input.own,
});
