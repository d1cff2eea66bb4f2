/** Reads the spend ledger back, for `pdi spend` and for comparing it with a bill. */
import { closeSync, openSync } from 'node:fs';
import { systemCodeOf } from '../errors.ts';
import { textPieces } from '../files/file-lines.ts';
import { diskFailure } from '../files/private.ts';
import { ledgerFiles, type Period } from './ledger-file.ts';
import { type CallOutcome, lineOpening, newerLedger, type OutcomeLine, parseLedgerLine, type SentLine } from './ledger-lines.ts';
import { parseUsualLine } from './ledger-quick.ts';

/** A call is `settled` if its answer was lost, and the same call, sent again, was answered. */
export type CallState = CallOutcome | 'settled';

export interface LedgerCall extends SentLine {
  readonly outcome: CallState;
}

/** Calls come in the order of outcomes, lost ones last. One without an outcome (killed, or still waiting) is `lost`, or `unpriced`. */
interface LedgerReading extends Iterable<LedgerCall> {
  /** It counts the lines that are torn or not the ledger's, while reading. */
  readonly skippedLines: number;
}

/** Reads the months of `period`; a missing ledger is empty. Reading throws PdiError `internal` for an unreadable or newer file. */
export function readLedger(directory: string, period: Period = {}): LedgerReading {
  return new LedgerReader(directory, period);
}

interface OpenCall {
  readonly sent: SentLine;
  readonly order: number;
  settled: boolean;
}

class LedgerReader implements LedgerReading {
  skippedLines = 0;
  private order = 0;
  /** These have no outcome: those of the piece that is being read, and those before it. */
  private recent = new Map<string, OpenCall>();
  private earlier = new Map<string, OpenCall>();
  /** By its item, it has the calls that an answer to the same call may settle. */
  private readonly waiting = new Map<string | undefined, OpenCall[]>();
  private lost: OpenCall[] = [];

  constructor(
    private readonly directory: string,
    private readonly period: Period,
  ) {}

  *[Symbol.iterator](): Generator<LedgerCall> {
    this.reset();
    for (const path of filesOf(this.directory, this.period)) {
      for (const piece of piecesOf(path)) {
        for (const line of piece.split('\n')) {
          const call = line === '' ? undefined : this.take(line, path);
          if (call !== undefined) yield call;
        }
        this.putAside();
      }
    }
    for (const { sent, settled } of [...this.lost, ...this.earlier.values()]) yield callOf(sent, lossOf(sent, settled));
  }

  private reset(): void {
    for (const map of [this.recent, this.earlier, this.waiting]) map.clear();
    [this.lost, this.order, this.skippedLines] = [[], 0, 0];
  }

  private take(line: string, path: string): LedgerCall | undefined {
    const read = parseUsualLine(line) ?? this.parse(line);
    if (read === undefined) this.skippedLines += 1;
    else if ('newer' in read) throw newerLedger(path, read.newer);
    else if ('outcome' in read) return this.complete(read);
    else this.recent.set(read.id, { sent: read, order: this.order++, settled: false });
    return undefined;
  }

  /** The line may stand behind half a line of a run whose disk was full. */
  private parse(line: string): ReturnType<typeof parseLedgerLine> {
    const start = line.lastIndexOf(lineOpening);
    if (start > 0) this.skippedLines += 1;
    return parseLedgerLine(line.slice(Math.max(0, start)));
  }

  private complete({ id, outcome: told }: OutcomeLine): LedgerCall | undefined {
    const call = this.close(id);
    if (call === undefined) {
      this.skippedLines += 1;
      return undefined;
    }
    const outcome = told === 'unknown' ? lossOf(call.sent, false) : told;
    if (outcome === 'lost') {
      const kept = copyOf(call);
      this.lost.push(kept);
      this.wait(kept);
      return undefined;
    }
    if (isAnswer(call.sent, outcome)) this.settle(call);
    return callOf(call.sent, outcome);
  }

  private close(id: string): OpenCall | undefined {
    const recent = this.recent.get(id);
    if (recent !== undefined) {
      this.recent.delete(id);
      return recent;
    }
    const earlier = this.earlier.get(id);
    if (earlier !== undefined) this.waitNoMore(earlier);
    this.earlier.delete(id);
    return earlier;
  }

  private wait(call: OpenCall): void {
    const others = this.waiting.get(call.sent.item);
    if (others === undefined) this.waiting.set(call.sent.item, [call]);
    else others.push(call);
  }

  private waitNoMore(call: OpenCall): void {
    const { item } = call.sent;
    const others = this.waiting.get(item)?.filter((other) => other !== call) ?? [];
    if (others.length > 0) this.waiting.set(item, others);
    else this.waiting.delete(item);
  }

  /** Everything that was asked before this call, in the same words and without an answer, has its answer now. */
  private settle(answered: OpenCall): void {
    for (const call of this.recent.values()) if (isAnsweredBy(call, answered)) call.settled = true;
    for (const call of this.waiting.get(answered.sent.item) ?? []) if (isAnsweredBy(call, answered)) call.settled = true;
  }

  private putAside(): void {
    for (const call of this.recent.values()) {
      const kept = copyOf(call);
      this.earlier.set(kept.sent.id, kept);
      if (kept.sent.billing === 'charged') this.wait(kept);
    }
    this.recent.clear();
  }
}

/** The texts of a call are parts of the piece that was read, which would stay in memory with them. */
const copyOf = ({ sent, ...call }: OpenCall): OpenCall => ({ ...call, sent: structuredClone(sent) });

/** Fields are copied one by one, because a spread of each call would take a fifth of the reading. */
function callOf({ id, at, profile, command, operation, baseUrl, item, billing, sandbox }: SentLine, outcome: CallState): LedgerCall {
  return { id, at, profile, command, operation, baseUrl, item, billing, sandbox, outcome };
}

function filesOf(directory: string, period: Period): readonly string[] {
  try {
    return ledgerFiles(directory, period);
  } catch (error) {
    throw diskFailure('cannot read the spend ledger in', directory, error);
  }
}

function* piecesOf(path: string): Generator<string> {
  let fileDescriptor: number | undefined;
  try {
    fileDescriptor = openSync(path, 'r');
    yield* textPieces(fileDescriptor);
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT') throw diskFailure('cannot read the spend ledger', path, error);
  } finally {
    if (fileDescriptor !== undefined) closeSync(fileDescriptor);
  }
}

const lossOf = ({ billing }: SentLine, settled: boolean): CallState => {
  if (billing === 'unstated') return 'unpriced';
  return settled ? 'settled' : 'lost';
};

/** The service answered the question with what was asked, or with a 404. */
const isAnswer = ({ billing }: SentLine, outcome: CallState): boolean =>
  billing === 'charged' && (outcome === 'billed' || outcome === 'unpriced');

const isAnsweredBy = (call: OpenCall, answered: OpenCall): boolean =>
  call.sent.item === answered.sent.item && call.order < answered.order && asksTheSame(call.sent, answered.sent);

/** A page is the same only within a run, because later its number stands for other records. The sandbox's port changes. */
function asksTheSame(one: SentLine, other: SentLine): boolean {
  const isPage = one.item === undefined || one.item.startsWith('page:');
  if (isPage && runOf(one) !== runOf(other)) return false;
  const isSameService = one.sandbox ? other.sandbox : one.baseUrl === other.baseUrl;
  return isSameService && one.profile === other.profile && one.operation === other.operation;
}

const runOf = ({ id }: SentLine): string => id.slice(0, id.lastIndexOf('.'));
