/** Reading the spend ledger back, for `pdi spend` and for holding it against a bill. */

import { closeSync, openSync } from 'node:fs';
import { systemCodeOf } from '../errors.ts';
import { type FileLine, linesOf } from '../files/file-lines.ts';
import { diskFailure } from '../files/private.ts';
import { type CallOutcome, ledgerPath, lineOpening } from './ledger.ts';
import { type JsonObject, parseObject, stringField } from './stored.ts';

/** One call as the ledger knows it. */
export interface LedgerCall {
  readonly id: string;
  /** When it was sent, ISO 8601 in UTC. */
  readonly at: string;
  readonly profile: string;
  readonly command: string;
  readonly operation: string;
  /** The origin it was sent to. */
  readonly baseUrl: string;
  /** The identifier asked for, or `sha256:…` of a free text. */
  readonly item?: string;
  readonly outcome: CallOutcome;
}

/** The calls of a ledger, in the order of their outcomes; calls without one come last, as `unknown`. */
export interface LedgerReading extends AsyncIterable<LedgerCall> {
  /** Lines that are torn or not the ledger's, counted while reading. */
  readonly skippedLines: number;
}

/** What a spend report counts by. A day is a day of UTC. */
export type SpendKey = 'day' | 'command' | 'profile';

/** One line of a spend report; exactly one of the three keys is there. */
export interface SpendRow {
  readonly day?: string;
  readonly command?: string;
  readonly profile?: string;
  readonly billed: number;
  readonly unknown: number;
  readonly not_billed: number;
}

/** Reads the ledger of a state folder. No ledger is an empty one; an unreadable one throws PdiError `internal` while reading. */
export function readLedger(directory: string): LedgerReading {
  return new LedgerReader(ledgerPath(directory));
}

class LedgerReader implements LedgerReading {
  skippedLines = 0;
  private readonly path: string;
  private readonly open = new Map<string, LedgerCall>();

  constructor(path: string) {
    this.path = path;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<LedgerCall> {
    this.skippedLines = 0;
    this.open.clear();
    for await (const { text } of ledgerLines(this.path)) {
      const call = text === '' ? undefined : this.take(text);
      if (call !== undefined) yield call;
    }
    yield* this.open.values();
  }

  /** The call that this line completes, if it does. It may stand behind half a line of a run whose disk was full. */
  private take(line: string): LedgerCall | undefined {
    const start = line.lastIndexOf(lineOpening);
    if (start > 0) this.skippedLines += 1;
    const object = parseObject(line.slice(Math.max(0, start)));
    const sent = object && sentCallOf(object);
    if (sent) this.open.set(sent.id, sent);
    const completed = object && !sent ? this.completedBy(object) : undefined;
    if (!sent && !completed) this.skippedLines += 1;
    return completed;
  }

  private completedBy(object: JsonObject): LedgerCall | undefined {
    const call = this.open.get(stringField(object, 'id') ?? '');
    const outcome = object.event;
    if (call === undefined || (outcome !== 'billed' && outcome !== 'not_billed' && outcome !== 'unknown')) return undefined;
    this.open.delete(call.id);
    return { ...call, outcome };
  }
}

async function* ledgerLines(path: string): AsyncGenerator<FileLine> {
  let fileDescriptor: number | undefined;
  try {
    fileDescriptor = openSync(path, 'r');
    yield* linesOf(fileDescriptor);
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT') throw diskFailure('cannot read the spend ledger', path, error);
  } finally {
    if (fileDescriptor !== undefined) closeSync(fileDescriptor);
  }
}

function sentCallOf(object: JsonObject): LedgerCall | undefined {
  if (object.event !== 'sent') return undefined;
  const { id, at, profile, command, operation, base_url: baseUrl, item } = object;
  const whole = isText(id) && isText(at) && isText(profile) && isText(command) && isText(operation) && isText(baseUrl);
  if (!whole) return undefined;
  return { id, at, profile, command, operation, baseUrl, ...(isText(item) && { item }), outcome: 'unknown' };
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** Counts calls by day (default), command or profile, in the order of the key. `since` is a day of UTC, inclusive. */
export async function summarise(
  calls: AsyncIterable<LedgerCall> | Iterable<LedgerCall>,
  options: { readonly since?: string | undefined; readonly by?: SpendKey | undefined } = {},
): Promise<SpendRow[]> {
  const by = options.by ?? 'day';
  const counts = new Map<string, Record<CallOutcome, number>>();
  for await (const call of calls) {
    if (dayOf(call) < (options.since ?? '')) continue;
    const key = by === 'day' ? dayOf(call) : call[by];
    const count = counts.get(key) ?? { billed: 0, unknown: 0, not_billed: 0 };
    count[call.outcome] += 1;
    counts.set(key, count);
  }
  const inOrder = [...counts].sort(([left], [right]) => (left < right ? -1 : 1));
  return inOrder.map(([key, count]) => ({ [by]: key, ...count }));
}

const dayOf = (call: LedgerCall): string => call.at.slice(0, 10);
