/**
 * The spend ledger: one line before each call that may be billed, one after it, in `ledger-YYYY-MM.ndjson` of the state folder. A
 * call stands in the month (UTC) in which it was sent, with its outcome, so that each month can be read alone.
 *
 * Any number of processes append at once: the lines of one moment are one `write()` in append mode, which the system does not mix
 * with another's. A line survives kill -9 as soon as it is written. It is not forced to the disk: a few seconds' lines can be
 * lost to a power cut, and are on the service's own bill; forcing costs from 0.1 ms a line to many on a slow disk.
 *
 * No profile data: neither answers nor what was typed as free text is kept, only identifiers and the hash of the rest.
 */
import { createHash, randomUUID } from 'node:crypto';
import { type Billed, PdiError } from '../errors.ts';
import { diskFailure, type Write, writeToDisk } from '../files/private.ts';
import { makePrivateFolder } from '../files/replace.ts';
import { mendingOf, reasonOf } from '../files/system-reasons.ts';
import { monthOf } from '../rows/days.ts';
import { LedgerFile, ledgerPath } from './ledger-file.ts';
import { type CallOutcome, outcomeText, type SentLine, sentText } from './ledger-lines.ts';

/** A call about to be sent. Of its base URL only the origin is kept. */
export interface SentCall extends Omit<SentLine, 'id' | 'at' | 'item'> {
  /** The service's identifier asked for, or a page such as `page:3`: kept as it is, to be held against the bill. */
  readonly item?: string | undefined;
  /** What was asked for in free text, such as an investor's name: only a hash of it is kept. */
  readonly query?: string | undefined;
}

export interface LedgerOptions {
  /** The state folder; created (0700) if need be. */
  readonly directory: string;
  readonly clock?: () => Date;
  /** Takes keys out of an item: somebody may have typed one in an identifier's place. */
  readonly redact?: (text: string) => string;
  readonly write?: Write;
}

/** A call that stands in the ledger. */
interface NotedCall {
  readonly id: string;
  /** The time in its line, ISO 8601 in UTC. */
  readonly at: string;
}

/** Opens the ledger for writing. Throws PdiError `internal` where it cannot be written: then nothing may be bought. */
export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  const ledger = new Ledger(options);
  ledger.open();
  return ledger;
}

/** A ledger open for writing; made by `openLedger`. */
export class Ledger {
  private readonly directory: string;
  private readonly clock: () => Date;
  private readonly redact: (text: string) => string;
  private readonly write: Write;
  /** Begins the ids of this run's calls, which are numbered: random ones take longer to make. */
  private readonly runId = randomUUID();
  private calls = 0;
  /** By month: a run may go on past midnight, and a clock may be set back. */
  private readonly files = new Map<string, LedgerFile>();
  private readonly underWay = new Map<string, LedgerFile>();
  /** The latest time written: calls come many in a millisecond. */
  private written = { at: Number.NaN, text: '' };
  private origin = { of: '', text: '' };

  constructor({ directory, clock = () => new Date(), redact = (text) => text, write = writeToDisk }: LedgerOptions) {
    this.directory = directory;
    this.clock = clock;
    this.redact = redact;
    this.write = write;
  }

  open(): void {
    this.fileAt(this.now());
  }

  /** Records a call that is about to be sent. @throws PdiError `internal`: then the call must not be sent */
  async sent(call: SentCall): Promise<NotedCall> {
    this.calls += 1;
    const id = `${this.runId}.${this.calls}`;
    const at = this.now();
    const file = this.fileAt(at);
    const { profile, command, operation, baseUrl, owner, billing, sandbox } = call;
    const names = { profile: short(profile), command: short(command), operation: short(operation), billing, sandbox, owner };
    const line = sentText({ id, at, ...names, baseUrl: this.originOf(baseUrl), item: this.itemOf(call) });
    await append(file, line, 'this call was not sent', 'no');
    this.underWay.set(id, file);
    return { id, at };
  }

  /**
   * Records how the call ended. @throws PdiError `internal` with `billed`: what the run says of the call, which is less for a 404 than
   * its outcome says. The call then stands without an outcome.
   */
  async outcome(id: string, outcome: CallOutcome, billed: Billed = billedFor[outcome]): Promise<void> {
    const at = this.now();
    const file = this.underWay.get(id) ?? this.fileAt(at);
    this.underWay.delete(id);
    await append(file, outcomeText(id, outcome, at), 'the last call stands there without its outcome', billed);
  }

  close(): void {
    for (const file of this.files.values()) file.close();
  }

  private fileAt(at: string): LedgerFile {
    const month = monthOf(at);
    const found = this.files.get(month);
    if (found !== undefined) return found;
    const path = ledgerPath(this.directory, at);
    try {
      makePrivateFolder(this.directory);
      const file = new LedgerFile(path, this.write);
      this.files.set(month, file);
      return file;
    } catch (error) {
      throw diskFailure('cannot open the spend ledger', path, error);
    }
  }

  private now(): string {
    const now = this.clock();
    if (now.getTime() !== this.written.at) this.written = { at: now.getTime(), text: now.toISOString() };
    return this.written.text;
  }

  private itemOf({ item, query }: SentCall): string | undefined {
    if (query !== undefined) return hashOf(query);
    return item === undefined || identifierShape.test(this.redact(item)) ? item : hashOf(item);
  }

  private originOf(baseUrl: string): string {
    if (baseUrl !== this.origin.of) this.origin = { of: baseUrl, text: new URL(baseUrl).origin };
    return this.origin.text;
  }
}

const billedFor = { billed: 'yes', not_billed: 'no', lost: 'unknown', unpriced: 'unknown' } as const satisfies Record<CallOutcome, Billed>;

async function append(file: LedgerFile, line: string, consequence: string, billed: Billed): Promise<void> {
  const cause = await file.append(line);
  if (cause === undefined) return;
  throw new PdiError('internal', `cannot write the spend ledger ${file.path}: ${reasonOf(cause)}`, {
    item: file.path,
    billed,
    retryable: false,
    hint: `${consequence}; ${mendingOf(cause)}`,
    cause,
  });
}

/** Lines stay short, whatever was typed: those of one moment are appended in one piece. */
const maxFieldLength = 200;
const short = (text: string): string => text.slice(0, maxFieldLength);

/** What the service's identifiers look like; anything else typed in their place (a name, an address) is hashed. */
const identifierShape = /^[\w:=.-]{1,128}$/;

/** Enough to recognise what one already knows. */
const hashOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
