/**
 * What the contract says of a run that meets faults: its exit code, worked out from the faults alone. Written from the contract's
 * words, without the client's retry rule, so that the two check each other.
 */
import type { CallFault } from '../../src/sandbox/faults.ts';
import { billingOf, type Subject } from './fault-subjects.ts';

/** Which call meets which fault, counted from 1 over all runs of a case. */
export type Strikes = ReadonlyMap<number, CallFault>;

/** What is known between runs of one case. */
export interface Progress {
  /** Calls so far. */
  readonly calls: number;
  /** Whether the deletion was carried out. */
  readonly done: boolean;
}

export interface Expected extends Progress {
  readonly code: number;
}

const unavailable = 5;
export const partial = 8;

/** "429, 503 and a refused connection were not executed and are retried"; a free call may be sent again after any loss. */
function isSentAgain(fault: CallFault, free: boolean): boolean {
  if (fault === '503') return true;
  return free && fault !== 'malformed';
}

const strikesBefore = (fault: CallFault): boolean =>
  fault === '503' || fault === '500' || fault === 'reset';

/** One call with its repetitions. */
export function expectCall(
  subject: Subject,
  strikes: Strikes,
  { calls, done }: Progress,
): Expected {
  const free = billingOf(subject) === 'free';
  let executed = done;
  for (let number = calls + 1; ; number += 1) {
    const fault = strikes.get(number);
    const refused = executed && subject.gone === true;
    // A refusal is judged by its status, which comes whole though the rest is cut.
    if (refused && fault === 'truncate') return { code: 4, calls: number, done: true };
    if (fault === undefined) return { code: refused ? 4 : 0, calls: number, done: true };
    if (!strikesBefore(fault)) executed = true;
    if (!isSentAgain(fault, free)) return { code: unavailable, calls: number, done: executed };
  }
}

/** Pages one after the other: the first that fails ends the run. */
export function expectPages(subject: Subject, strikes: Strikes, progress: Progress): Expected {
  let reached: Expected = { ...progress, code: 0 };
  for (let page = 0; page < subject.calls && reached.code === 0; page += 1)
    reached = expectCall(subject, strikes, reached);
  return reached;
}

/** The first run of a job: every call is made, whatever became of the others; where none was answered, there was no service. */
export function expectJob(subject: Subject, strikes: Strikes): number {
  let [reached, lost]: [Progress, number] = [{ calls: 0, done: false }, 0];
  for (let call = 0; call < subject.calls; call += 1) {
    const expected = expectCall(subject, strikes, reached);
    if (expected.code === unavailable) lost += 1;
    reached = expected;
  }
  if (lost === 0) return 0;
  return lost === subject.calls ? unavailable : partial;
}
