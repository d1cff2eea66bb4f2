/**
 * The spend ledger has one line before each call that may be billed and one after it, in `ledger-YYYY-MM.ndjson` of the state folder. A
 * call stands in the month (UTC) in which it was sent, with its outcome, so that each month can be read alone. Any number of processes
 * append at once: the lines of one moment are one `write()` in append mode, which the system does not mix with another's. A line survives
 * kill -9 as soon as it is written. It is not forced to the disk, which would cost from 0.1 ms a line to many: a power cut can lose the
 * lines of a few seconds, which are on the service's own bill. Neither answers nor free texts are kept, only identifiers and the hash of
 * the rest.
 */
import { createHash, randomUUID } from 'node:crypto';
import { type Billed, PdiError } from '../errors.ts';
import { diskFailure, type Write, writeToDisk } from '../files/private.ts';
import { makePrivateFolder } from '../files/replace.ts';
import { mendingOf, reasonOf } from '../files/system-reasons.ts';
import { monthOf } from '../rows/days.ts';
import { LedgerFile, ledgerPath } from './ledger-file.ts';
import { type CallOutcome, outcomeText, type SentLine, sentText } from './ledger-lines.ts';

/** Only the origin of its base URL is kept. */
export interface SentCall extends Omit<SentLine, 'id' | 'at' | 'item'> {
  /** It is the service's identifier, or a page such as `page:3`. It is kept as it is, to be compared with the bill. */
  readonly item?: string | undefined;
  /** It is a free text, such as an investor's name. Only a hash of it is kept. */
  readonly query?: string | undefined;
}

export interface LedgerOptions {
  /** This state folder is created (0700) if need be. */
  readonly directory: string;
  readonly clock?: () => Date;
  /** It takes keys out of an item, because somebody may have typed one in an identifier's place. */
  readonly redact?: (text: string) => string;
  readonly write?: Write;
}

interface NotedCall {
  readonly id: string;
  /** It is the time in its line, ISO 8601 in UTC. */
  readonly at: string;
}

/** @throws PdiError `internal` where the ledger cannot be written: then nothing may be bought */
export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  const ledger = new Ledger(options);
  ledger.open();
  return ledger;
}

export class Ledger {
  private readonly directory: string;
  private readonly clock: () => Date;
  private readonly redact: (text: string) => string;
  private readonly write: Write;
  /** The ids of this run's calls begin with it and are numbered, because random ones take longer to make. */
  private readonly runId = randomUUID();
  private calls = 0;
  /** There is one a month, because a run may go on past midnight, and a clock may be set back. */
  private readonly files = new Map<string, LedgerFile>();
  private readonly underWay = new Map<string, LedgerFile>();
  /** It is the latest time written, because many calls come in a millisecond. */
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

  /** @throws PdiError `internal` with `billed`, which for a 404 says less than `outcome`. The call then stands without an outcome */
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

/** Lines stay short, whatever was typed, because those of one moment are appended in one piece. */
const maxFieldLength = 200;
const short = (text: string): string => text.slice(0, maxFieldLength);

/** The service's identifiers look like this. Anything else typed in their place (a name, an address) is hashed. */
const identifierShape = /^[\w:=.-]{1,128}$/;

/** This is enough to recognise what one already knows. */
const hashOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
