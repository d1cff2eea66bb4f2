/** The journal of a job whose calls cost nothing: a line a request, and an index of it only in the run that goes on with it. */
import type { FileState } from '../files/private.ts';
import type { Outcome } from '../rows/result-row.ts';
import { Journal, type JournalFile } from './journal.ts';
import { type JournalEntry, readAnswers, requestLine } from './journal-lines.ts';
import { isBought, type LinePlace, type LoadedJournal, lineAt } from './journal-load.ts';

/** By item, the line that answers it: under 150 bytes an item, since those of a request share their place. */
export class RequestIndex implements LoadedJournal {
  private readonly places = new Map<string, LinePlace>();
  readonly files: FileState[] = [];
  /** The rows of a job come in much the same order again: a line is read once for all its items. */
  private latest: { readonly place: LinePlace; readonly answers: ReadonlyMap<string, Outcome> } | undefined;

  constructor(private readonly fileDescriptor: number) {}

  take(entry: JournalEntry, place: LinePlace): void {
    if ('items' in entry) {
      for (const [at, item] of entry.items.entries()) if (isBought(entry.statuses[at])) this.places.set(item, place);
    } else if (isBought(entry.state)) this.places.set(entry.item, place);
  }

  get answers(): number {
    return this.places.size;
  }

  /** Undefined too where the line was damaged: asking again costs nothing. */
  known(item: string): Outcome | undefined {
    const place = this.places.get(item);
    if (place === undefined) return undefined;
    if (this.latest?.place !== place) this.latest = { place, answers: readAnswers(lineAt(this.fileDescriptor, place)) };
    return this.latest.answers.get(item);
  }
}

export class FreeJournal extends Journal {
  /** An item that comes again much later is asked for again, which costs nothing: its answer needs no place in memory. */
  readonly answersThisRun = false;
  readonly unclaimed = 0;
  private requests = 0;

  constructor(
    file: JournalFile,
    private readonly index: RequestIndex,
  ) {
    super(file, index.files);
  }

  known(item: string): Outcome | undefined {
    return this.index.known(item);
  }

  lost(): undefined {}

  sent(): void {}

  get isEmpty(): boolean {
    return this.requests + this.index.answers === 0;
  }

  answeredAll(items: readonly string[], outcomes: readonly Outcome[]): void {
    const line = { items, text: requestLine(items, outcomes) };
    this.append([line], { words: 'its answer is lost', billed: 'no' }, () => {
      this.requests += 1;
    });
  }
}
