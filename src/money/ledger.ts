/**
 * The spend ledger: one line before each call that may be billed, one after it, in `ledger.ndjson` of the state folder.
 *
 * Any number of processes append at once: each line is one `write()` in append mode, which the system does not mix with
 * another's. A line survives kill -9 as soon as it is written. It is not forced to the disk: a few seconds' lines can be
 * lost to a power cut, and are on the service's own bill; forcing costs from 0.1 ms a line to many on a slow disk.
 *
 * No profile data: neither answers nor what was typed as free text is kept, only identifiers and the hash of the rest.
 */
import { createHash, randomUUID } from 'node:crypto';
import { closeSync, fstatSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { PdiError } from '../errors.ts';
import { appendOnly, diskFailure, openPrivateFile, type Write, writeToDisk, writeWhole } from '../files/private.ts';
import { reasonOf } from '../files/reasons.ts';
import { makePrivateFolder } from '../files/replace.ts';

/** How a call ended, for the bill. A call without an outcome, because its process was killed, counts as `unknown`. */
export type CallOutcome = 'billed' | 'not_billed' | 'unknown';

/** A call about to be sent. */
export interface SentCall {
  readonly profile: string;
  readonly command: string;
  /** The endpoint, such as `GET /people/{personId}`. */
  readonly operation: string;
  /** Only its origin is kept. */
  readonly baseUrl: string;
  /** Names base URL and account, for the budget. */
  readonly owner?: string | undefined;
  /** The service's identifier asked for, or a page such as `page:3`: kept as it is, to be held against the bill. */
  readonly item?: string | undefined;
  /** What was asked for in free text, such as an investor's name: only a hash of it is kept. */
  readonly query?: string | undefined;
}

export interface LedgerOptions {
  /** The state folder; created (0700) if need be. */
  readonly directory: string;
  /** The system's where not given. */
  readonly clock?: () => Date;
  /** Takes keys out of an item: somebody may have typed one in an identifier's place. */
  readonly redact?: (text: string) => string;
  readonly write?: Write;
}

/** The ledger's file in a state folder. */
export const ledgerPath = (directory: string): string => join(directory, 'ledger.ndjson');

/** Opens the ledger for writing. Throws PdiError `internal` where it cannot be written: then nothing may be bought. */
export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  const path = ledgerPath(options.directory);
  try {
    makePrivateFolder(options.directory);
    return new Ledger(path, openPrivateFile(path, appendOnly), options);
  } catch (error) {
    throw diskFailure('cannot open the spend ledger', path, error);
  }
}

/** A ledger open for writing; made by `openLedger`. */
export class Ledger {
  private readonly path: string;
  private readonly fileDescriptor: number;
  private readonly clock: () => Date;
  private readonly redact: (text: string) => string;
  private readonly write: Write;
  /** Begins the ids of this run's calls, which are numbered: random ones take longer to make. */
  private readonly runId = randomUUID();
  private calls = 0;
  /** The time in the line of the last call, ISO 8601 in UTC. */
  lastSentAt = '';
  /** Whether the last thing we did here was to write a whole line. */
  private wroteWhole = false;
  /** The latest time written: calls come many in a millisecond. */
  private written = { at: Number.NaN, text: '' };
  private origin = { of: '', text: '' };

  constructor(
    path: string,
    fileDescriptor: number,
    { clock = () => new Date(), redact = (text) => text, write = writeToDisk }: LedgerOptions,
  ) {
    this.path = path;
    this.fileDescriptor = fileDescriptor;
    this.clock = clock;
    this.redact = redact;
    this.write = write;
  }

  /** Records a call that is about to be sent and returns its id. Throws PdiError `internal`: then the call must not be sent. */
  sent(call: SentCall): string {
    this.calls += 1;
    const id = `${this.runId}.${this.calls}`;
    this.lastSentAt = this.now();
    const line = {
      id,
      event: 'sent',
      at: this.lastSentAt,
      profile: short(call.profile),
      command: short(call.command),
      operation: short(call.operation),
      base_url: this.originOf(call.baseUrl),
      owner: call.owner,
      item: this.itemOf(call),
    };
    this.append(JSON.stringify(line), 'nothing was sent', 'no');
    return id;
  }

  /** Records how the call ended. Throws PdiError `internal`; the call then stands as `unknown`. */
  outcome(id: string, outcome: CallOutcome): void {
    const billed = outcome === 'billed' ? 'yes' : outcome === 'unknown' ? 'unknown' : 'no';
    // Nothing in it needs an escape; a call of the engine's JSON takes longer than the line.
    this.append(`${lineOpening}${id}","event":"${outcome}","at":"${this.now()}"}`, 'the last call stands there as unknown', billed);
  }

  close(): void {
    closeSync(this.fileDescriptor);
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

  private append(line: string, consequence: string, billed: 'no' | 'yes' | 'unknown'): void {
    try {
      const seal = !this.wroteWhole && endsTorn(this.fileDescriptor) ? '\n' : '';
      this.wroteWhole = false;
      writeWhole(this.fileDescriptor, `${seal}${line}\n`, this.write);
      this.wroteWhole = true;
    } catch (error) {
      throw new PdiError('internal', `cannot write the spend ledger ${this.path}: ${reasonOf(error)}`, {
        item: this.path,
        billed,
        retryable: false,
        hint: `${consequence}; free some space or make the file writable`,
        cause: error,
      });
    }
  }
}

/**
 * After a full disk the file may end in half a line, anyone's: ours is not glued to it where we begin, or failed ourselves; what
 * another run leaves in between, the reader cuts off. A line that another process is writing looks the same for a moment (a write
 * that crosses a page grows the file in two steps), so only what stays half a line is torn.
 */
function endsTorn(fileDescriptor: number): boolean {
  for (let look = 0; look < looksAtHalfALine; look += 1) {
    if (look > 0) Atomics.wait(nothingToWaitFor, 0, 0, 1);
    if (!endsInsideLine(fileDescriptor)) return false;
  }
  return true;
}

const oneByte = new Uint8Array(1);
const looksAtHalfALine = 25;
const nothingToWaitFor = new Int32Array(new SharedArrayBuffer(4));

function endsInsideLine(fileDescriptor: number): boolean {
  const { size } = fstatSync(fileDescriptor);
  return size > 0 && readSync(fileDescriptor, oneByte, 0, 1, size - 1) === 1 && oneByte[0] !== 0x0a;
}

/** What every line begins with, and what stands nowhere else in one. */
export const lineOpening = '{"id":"';

/** Lines stay far below the size up to which an append is one piece everywhere. */
const maxFieldLength = 200;
const short = (text: string): string => text.slice(0, maxFieldLength);

/** What the service's identifiers look like; anything else typed in their place (a name, an address) is hashed. */
const identifierShape = /^[\w:=.-]{1,128}$/;

/** Enough to recognise what one already knows. */
const hashOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
