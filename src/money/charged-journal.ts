/**
 * The journal of a job whose calls may be billed has a line before each call and one after it. Room for the answers on their way is taken
 * before a call is sent, so a disk that fills up stops the next call, not an answer that was paid for.
 */
import { PdiError } from '../errors.ts';
import { gather } from '../files/gather.ts';
import type { FileState } from '../files/private.ts';
import type { Outcome, RowStatus } from '../rows/result-row.ts';
import { Journal, type JournalFile } from './journal.ts';
import { answerLine, type JournalEntry, readEntry, sentLine } from './journal-lines.ts';
import { isBought, type LinePlace, type LoadedJournal, lineAt } from './journal-load.ts';
import { SpaceReservation } from './space-reservation.ts';

interface JournaledItem extends LinePlace {
  readonly state: RowStatus | 'sent';
  /** This run wrote it. Its failures are final for the run; those of an earlier run are asked again. */
  readonly thisRun: boolean;
  claimed?: boolean;
}

const isUnanswered = ({ state }: Pick<JournaledItem, 'state'>): boolean => state === 'sent' || state === 'unknown';
/** A later run could use it, or must be careful of it. */
const isWorthKeeping = (entry: JournaledItem): boolean => isBought(entry.state) || isUnanswered(entry);
const lostAnswer =
  'sent earlier, the answer was lost: it may have been billed (--retry-unknown sends it again, which may be billed a second time)';

/** Holds the state of each item and the place of its answer, never the answer itself. */
export class ChargedIndex implements LoadedJournal {
  private readonly entries = new Map<string, JournaledItem>();
  readonly files: FileState[] = [];

  constructor(
    private readonly fileDescriptor: number,
    private readonly retryUnknown: boolean,
  ) {}

  take(entry: JournalEntry, place: LinePlace): void {
    const { offset, length } = place;
    if ('items' in entry) {
      for (const [at, item] of entry.items.entries()) {
        const state = entry.statuses[at];
        if (state !== undefined) this.note(item, { state, offset, length, thisRun: false });
      }
    } else this.note(entry.item, { state: entry.state, offset, length, thisRun: false });
  }

  /** A later line without an answer never hides an answer that was bought. */
  note(item: string, entry: JournaledItem): void {
    const before = this.entries.get(item);
    if (before !== undefined && isBought(before.state) && !isBought(entry.state)) return;
    this.entries.set(item, entry);
  }

  known(item: string): Outcome | undefined {
    const entry = this.entries.get(item);
    if (entry === undefined || this.isAskedAgain(entry)) return undefined;
    entry.claimed = true;
    return this.outcome(item, entry);
  }

  /** Gives the outcome of an item that an earlier run sent without an answer, even if it is asked for again. */
  lost(item: string): Outcome | undefined {
    const entry = this.entries.get(item);
    return entry !== undefined && !entry.thisRun && isUnanswered(entry) ? this.outcome(item, entry) : undefined;
  }

  get isEmpty(): boolean {
    return this.entries.size === 0;
  }

  get answers(): number {
    let answers = 0;
    for (const entry of this.entries.values()) if (isWorthKeeping(entry)) answers += 1;
    return answers;
  }

  get unclaimed(): number {
    let unclaimed = 0;
    for (const entry of this.entries.values()) if (!entry.thisRun && entry.claimed !== true && isWorthKeeping(entry)) unclaimed += 1;
    return unclaimed;
  }

  private isAskedAgain(entry: JournaledItem): boolean {
    if (entry.thisRun || isBought(entry.state)) return false;
    return !isUnanswered(entry) || this.retryUnknown;
  }

  private outcome(item: string, entry: JournaledItem): Outcome {
    if (entry.state === 'sent') return { status: 'unknown', error: lostAnswer };
    const line = readEntry(lineAt(this.fileDescriptor, entry));
    if (line !== undefined && 'outcome' in line && line.item === item) {
      return entry.thisRun ? line.outcome : { ...line.outcome, source: 'journal' };
    }
    throw new PdiError('internal', `the journal was changed by someone else while in use, at the answer for ${item}`, { item });
  }
}

interface ItemAnswer {
  readonly item: string;
  readonly outcome: Outcome;
}

const notSent = { words: 'the call was not sent', billed: 'no' } as const;
const lost = { words: 'its answer is lost', billed: 'unknown' } as const;

/** An item that this run has sent and not yet answered is `unknown` to it. */
export class ChargedJournal extends Journal {
  readonly answersThisRun = true;
  private readonly room: SpaceReservation;
  private readonly awaited = new Set<string>();
  private readonly writeSent = gather((items: readonly string[]) => this.sentAll(items));
  private readonly writeAnswer = gather((answers: readonly ItemAnswer[]) => this.saveAll(answers));

  constructor(
    file: JournalFile,
    private readonly index: ChargedIndex,
  ) {
    super(file, index.files);
    this.room = new SpaceReservation(file.fileDescriptor, file.write);
  }

  known(item: string): Outcome | undefined {
    return this.index.known(item);
  }

  lost(item: string): Outcome | undefined {
    return this.index.lost(item);
  }

  get isEmpty(): boolean {
    return this.index.isEmpty;
  }

  get unclaimed(): number {
    return this.index.unclaimed;
  }

  async sent(item: string): Promise<void> {
    const failure = await this.writeSent(item);
    if (failure !== undefined) throw failure;
  }

  async answeredAll(items: readonly string[], outcomes: readonly Outcome[]): Promise<void> {
    const answers = outcomes.map((outcome, at) => this.writeAnswer({ item: items[at] ?? '', outcome }));
    const failure = (await Promise.all(answers)).find((one) => one !== undefined);
    if (failure !== undefined) throw failure;
  }

  private sentAll(items: readonly string[]): readonly (PdiError | undefined)[] {
    try {
      this.room.take(this.size, this.awaited.size + items.length);
    } catch (error) {
      return items.map((item) => this.failure([item], notSent, error));
    }
    const places = this.append(items.map((item) => ({ items: [item], text: sentLine(item), loss: notSent })));
    return places.map((place, at) => this.noted(items[at] ?? '', 'sent', place));
  }

  private saveAll(answers: readonly ItemAnswer[]): readonly (PdiError | undefined)[] {
    const places = this.append(answers.map(({ item, outcome }) => ({ items: [item], text: answerLine(item, outcome), loss: lost })));
    return answers.map(({ item, outcome }, at) => this.noted(item, outcome.status, places[at]));
  }

  private noted(item: string, state: JournaledItem['state'], place: LinePlace | PdiError | undefined): PdiError | undefined {
    if (place === undefined || place instanceof PdiError) return place;
    this.index.note(item, { state, ...place, thisRun: true });
    if (state === 'sent') this.awaited.add(item);
    else this.awaited.delete(item);
    return undefined;
  }
}
