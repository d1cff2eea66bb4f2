/** The journal of a job whose calls cost nothing has a line a request. Only the run that goes on with it makes an index of it. */
import { PdiError } from '../errors.ts';
import { gather } from '../files/gather.ts';
import type { FileState } from '../files/private.ts';
import type { Outcome } from '../rows/result-row.ts';
import { Journal, type JournalFile, type JournalLine } from './journal.ts';
import { type JournalEntry, readAnswers, requestLine } from './journal-lines.ts';
import { isBought, type LinePlace, type LoadedJournal, lineAt } from './journal-load.ts';
import { LineIndex } from './line-index.ts';

export class RequestIndex implements LoadedJournal {
  private readonly lines: LinePlace[] = [];
  private readonly lineOf = new LineIndex();
  readonly files: FileState[] = [];
  /** The rows of a job come in much the same order again, so a line is read once for all its items. */
  private latest: { readonly place: LinePlace; readonly answers: ReadonlyMap<string, Outcome> } | undefined;

  constructor(private readonly fileDescriptor: number) {}

  take(entry: JournalEntry, place: LinePlace): void {
    const line = this.lines.push(place) - 1;
    if ('items' in entry) {
      for (const [at, item] of entry.items.entries()) if (isBought(entry.statuses[at])) this.lineOf.set(item, line);
    } else if (isBought(entry.state)) this.lineOf.set(entry.item, line);
  }

  get answers(): number {
    return this.lineOf.size;
  }

  /** It is undefined too where the line is damaged or is of an item with the same hash, because asking again costs nothing. */
  known(item: string): Outcome | undefined {
    const place = this.lines[this.lineOf.get(item) ?? -1];
    if (place === undefined) return undefined;
    if (this.latest?.place !== place) this.latest = { place, answers: readAnswers(lineAt(this.fileDescriptor, place)) };
    return this.latest.answers.get(item);
  }
}

export class FreeJournal extends Journal {
  /** An item that comes again much later is asked for again, which costs nothing, so its answer needs no place in memory. */
  readonly answersThisRun = false;
  readonly unclaimed = 0;
  private requests = 0;
  private readonly write = gather((lines: readonly JournalLine[]) => this.append(lines));

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

  async sent(): Promise<void> {}

  get isEmpty(): boolean {
    return this.requests + this.index.answers === 0;
  }

  async answeredAll(items: readonly string[], outcomes: readonly Outcome[]): Promise<void> {
    const place = await this.write({ items, text: requestLine(items, outcomes), loss: { words: 'its answer is lost', billed: 'no' } });
    if (place instanceof PdiError) throw place;
    this.requests += 1;
  }
}
