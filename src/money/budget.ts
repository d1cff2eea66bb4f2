/**
 * The budget: the most calls that are not free, over all runs and processes of one machine. It takes no lock. Every call appends a
 * line to the ledger before it is sent, and the lines stand in one order for all processes: a call counts those before its own. A call
 * past the budget is written down as not billed, and not sent.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { PdiError, pluralize, systemCodeOf } from '../errors.ts';
import { diskFailure } from '../files/private.ts';
import { dayOf, monthOf } from '../rows/days.ts';
import { lineOpening } from './ledger-lines.ts';

/** The most calls in a month and in a day of UTC; undefined where there is no such limit. */
export interface Limits {
  readonly month?: number | undefined;
  readonly day?: number | undefined;
}

const periods = ['month', 'day'] as const satisfies readonly (keyof Limits)[];
type BudgetPeriod = (typeof periods)[number];

/** How the month and the day of a time are named. */
const nameOf: Readonly<Record<BudgetPeriod, (at: string) => string>> = { month: monthOf, day: dayOf };

/** What is used of a limit. */
export interface BudgetUse {
  readonly period: BudgetPeriod;
  readonly limit: number;
  readonly used: number;
}

export interface BudgetOptions {
  readonly limits: Limits;
  /** Names base URL and account in the ledger: only their calls count. */
  readonly owner: string;
  /** The file of the ledger that holds the calls of a time. */
  readonly fileOf: (at: string) => string;
}

export class Budget {
  private readonly counts = new Map<string, LedgerCount>();

  constructor(private readonly options: BudgetOptions) {}

  /**
   * Why a call must not be sent; undefined where it is within the budget. It is asked once a call, right after its line was written.
   * @throws PdiError `internal` where the ledger cannot be read
   */
  refusalOf(id: string, at: string): PdiError | undefined {
    const over = this.uses(at, this.countOf(at).before(id)).find(({ used, limit }) => used >= limit);
    return over === undefined ? undefined : refusal(over);
  }

  /** What is used of each limit at a time. @throws as `refusalOf` */
  useAt(at: string): readonly BudgetUse[] {
    return this.uses(at, this.countOf(at).now());
  }

  close(): void {
    for (const count of this.counts.values()) count.close();
    this.counts.clear();
  }

  private uses(at: string, used: ReadonlyMap<string, number>): readonly BudgetUse[] {
    return periods.flatMap((period) => {
      const limit = this.options.limits[period];
      return limit === undefined ? [] : [{ period, limit, used: used.get(nameOf[period](at)) ?? 0 }];
    });
  }

  private countOf(at: string): LedgerCount {
    const path = this.options.fileOf(at);
    const count = this.counts.get(path) ?? new LedgerCount(path, this.options.owner);
    this.counts.set(path, count);
    return count;
  }
}

function refusal({ period, limit }: BudgetUse): PdiError {
  const when = period === 'month' ? 'this month' : 'today';
  return new PdiError('credits', `the budget of ${pluralize(limit, 'call')} a ${period} is used up ${when} (UTC)`, {
    billed: 'no',
    retryable: true,
    rerun: `raise it with --budget, or run the command again in the next ${period}`,
  });
}

const pieceSize = 256 * 1024;

/** What the ledger's lines begin with. To parse them takes longer than all else that the budget does. */
const lineStart = /^\{"id":"([^"]+)","event":"([a-z_]+)","at":"([^"]+)"/;

/** Counts the calls of one owner in one file of the ledger, and goes on where it stopped. */
class LedgerCount {
  private readonly ownerField: string;
  private fileDescriptor: number | undefined;
  private offset = 0;
  /** Half a line at the end of what was read. */
  private rest = '';
  /** Calls by month and by day, but for those that were not billed. */
  private readonly counts = new Map<string, number>();
  /** The times of the calls that count, by id. */
  private readonly times = new Map<string, string>();

  constructor(
    private readonly path: string,
    owner: string,
  ) {
    this.ownerField = `"owner":"${owner}"`;
  }

  now(): ReadonlyMap<string, number> {
    this.read(() => undefined);
    return this.counts;
  }

  /** The counts where the line of a call stands. */
  before(id: string): ReadonlyMap<string, number> {
    const start = `${lineOpening}${id}"`;
    let found: ReadonlyMap<string, number> | undefined;
    this.read((line) => {
      if (line.startsWith(start)) found ??= new Map(this.counts);
    });
    if (found === undefined) throw new Error(`the ledger has no line of the call ${id}`);
    return found;
  }

  close(): void {
    if (this.fileDescriptor !== undefined) closeSync(this.fileDescriptor);
    this.fileDescriptor = undefined;
  }

  private read(seen: (line: string) => void): void {
    try {
      this.fileDescriptor ??= openSync(this.path, 'r');
      const { size } = fstatSync(this.fileDescriptor);
      const room = Buffer.allocUnsafe(Math.min(pieceSize, Math.max(0, size - this.offset)));
      while (this.offset < size) {
        const read = readSync(this.fileDescriptor, room, 0, Math.min(room.length, size - this.offset), this.offset);
        if (read === 0) return;
        this.offset += read;
        this.takeText(room.toString('latin1', 0, read), seen);
      }
    } catch (error) {
      if (systemCodeOf(error) !== 'ENOENT') throw diskFailure('cannot read the spend ledger', this.path, error);
    }
  }

  private takeText(text: string, seen: (line: string) => void): void {
    const lines = `${this.rest}${text}`.split('\n');
    this.rest = lines.pop() ?? '';
    for (const whole of lines) {
      // It may stand behind half a line of a run whose disk was full.
      const line = whole.slice(Math.max(0, whole.lastIndexOf(lineOpening)));
      seen(line);
      this.takeLine(line);
    }
  }

  private takeLine(line: string): void {
    const [, id, event, at] = lineStart.exec(line) ?? [];
    if (id === undefined || at === undefined) return;
    if (event === 'sent' && line.includes(this.ownerField)) {
      this.times.set(id, at);
      this.add(at, 1);
    } else if (event === 'not_billed') {
      const sentAt = this.times.get(id);
      if (sentAt !== undefined) this.add(sentAt, -1);
      this.times.delete(id);
    }
  }

  private add(at: string, calls: number): void {
    for (const period of periods) {
      const name = nameOf[period](at);
      this.counts.set(name, (this.counts.get(name) ?? 0) + calls);
    }
  }
}
