/** Counts the calls of one owner in one file of the ledger, by month and by day, and goes on where it stopped. */
import { closeSync, openSync, readSync } from 'node:fs';
import { systemCodeOf } from '../errors.ts';
import { diskFailure } from '../files/private.ts';
import { dayOf, monthOf } from '../rows/days.ts';
import { lineEnding, lineOpening, newerLedger, parseLedgerLine } from './ledger-lines.ts';

/** A call without an outcome for so many milliseconds may be of a process that was killed, so nobody waits for it. */
export const longestUnderWay = 10_000;

/** It was under way when somebody counted, and `state` tells what has become of it since. */
interface CountedCall {
  readonly at: string;
  state: 'under way' | 'not_billed' | 'counts';
}

/** Holds what stands in the ledger before a line, such as that of a call. Only outcomes change it, because later calls stand behind. */
class LedgerPlace {
  constructor(
    private readonly counts: ReadonlyMap<string, number>,
    private readonly calls: readonly CountedCall[],
  ) {}

  /** Counts the calls of a month or day without those that were not billed. */
  used(name: string): number {
    return (this.counts.get(name) ?? 0) - this.callsOf(name, 'not_billed').length;
  }

  /** Counts the calls that may still turn out not billed. A clock that was set back makes no call recent. */
  mayBeFreed(name: string): number {
    return this.callsOf(name, 'under way').filter(({ at }) => Math.abs(Date.now() - Date.parse(at)) < longestUnderWay).length;
  }

  private callsOf(name: string, wanted: CountedCall['state']): readonly CountedCall[] {
    return this.calls.filter(({ at, state }) => state === wanted && at.startsWith(name));
  }
}

const pieceSize = 256 * 1024;

/** The lines of the ledger begin like this. To parse whole lines takes longer than all else that the budget does. */
const lineStart = /^\{"id":"([^"]+)","event":"([a-z_]+)","at":"([^"]+)"/;

export class LedgerCount {
  private readonly ownerField: string;
  private fileDescriptor: number | undefined;
  private offset = 0;
  private readonly piece = Buffer.allocUnsafe(pieceSize);
  private rest = '';
  private readonly counts = new Map<string, number>();
  private readonly underWay = new Map<string, CountedCall>();

  constructor(
    private readonly path: string,
    owner: string,
  ) {
    this.ownerField = `"owner":"${owner}"`;
  }

  endPlace(): LedgerPlace {
    this.refresh();
    return this.place();
  }

  /** Ask once a call, right after its line was written. */
  placeOf(id: string): LedgerPlace {
    const start = `${lineOpening}${id}"`;
    let place: LedgerPlace | undefined;
    this.refresh((line) => {
      if (line.startsWith(start)) place ??= this.place();
    });
    if (place === undefined) throw new Error(`the ledger has no line of the call ${id}`);
    return place;
  }

  /** Reads what was written since. The places that were given out learn the outcomes among it. */
  refresh(seen: (line: string) => void = () => undefined): void {
    try {
      this.fileDescriptor ??= openSync(this.path, 'r');
      let read: number;
      do {
        read = readSync(this.fileDescriptor, this.piece, 0, pieceSize, this.offset);
        this.offset += read;
        this.takeText(this.piece.toString('latin1', 0, read), seen);
      } while (read === pieceSize);
    } catch (error) {
      if (systemCodeOf(error) !== 'ENOENT') throw diskFailure('cannot read the spend ledger', this.path, error);
    }
  }

  close(): void {
    if (this.fileDescriptor !== undefined) closeSync(this.fileDescriptor);
    this.fileDescriptor = undefined;
  }

  private place(): LedgerPlace {
    return new LedgerPlace(new Map(this.counts), [...this.underWay.values()]);
  }

  private takeText(text: string, seen: (line: string) => void): void {
    const lines = `${this.rest}${text}`.split('\n');
    this.rest = lines.pop() ?? '';
    for (const whole of lines) {
      // The line may stand behind half a line of a run whose disk was full.
      const line = whole.slice(Math.max(0, whole.lastIndexOf(lineOpening)));
      seen(line);
      this.takeLine(line);
    }
  }

  private takeLine(line: string): void {
    if (!line.endsWith(lineEnding)) this.refuseNewer(line);
    const [, id, event, at] = lineStart.exec(line) ?? [];
    if (id === undefined || at === undefined) return;
    if (event === 'sent') this.takeSent(line, id, at);
    else this.takeOutcome(id, event === 'not_billed' ? event : 'counts');
  }

  /** This version cannot know what a newer version counts. */
  private refuseNewer(line: string): void {
    const read = parseLedgerLine(line);
    if (read !== undefined && 'newer' in read) throw newerLedger(this.path, read.newer);
  }

  private takeSent(line: string, id: string, at: string): void {
    if (!line.includes(this.ownerField)) return;
    this.underWay.set(id, { at, state: 'under way' });
    this.add(at, 1);
  }

  private takeOutcome(id: string, outcome: Exclude<CountedCall['state'], 'under way'>): void {
    const call = this.underWay.get(id);
    if (call === undefined) return;
    this.underWay.delete(id);
    call.state = outcome;
    if (outcome === 'not_billed') this.add(call.at, -1);
  }

  private add(at: string, calls: number): void {
    for (const name of [monthOf(at), dayOf(at)]) this.counts.set(name, (this.counts.get(name) ?? 0) + calls);
  }
}
