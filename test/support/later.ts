/** Waiting that no slow machine can make too short or too long: in turns of the event loop, or by a clock that is set. */
import { setImmediate } from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';

/** Resolves some turns of the event loop later: calls that are under way together end in any order. */
export async function later(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await setImmediate();
}

/** A door that is closed until somebody opens it, with a value or without. */
export function gate<T = void>(): {
  readonly opened: Promise<T>;
  readonly open: (value: T) => void;
} {
  const doors: ((value: T) => void)[] = [];
  const opened = new Promise<T>((resolve) => void doors.push(resolve));
  return { opened, open: (value) => doors.forEach((open) => void open(value)) };
}

/** What Node warns of until the test ends. */
export function warningsHeard(): readonly Error[] {
  const warnings: Error[] = [];
  const hear = (warning: Error) => void warnings.push(warning);
  process.on('warning', hear);
  onTestFinished(() => void process.off('warning', hear));
  return warnings;
}

/** The clock of this process stands an hour ahead until the test ends; timers go on as they are. */
export function anHourLater(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60 * 60 * 1000 });
  onTestFinished(() => void vi.useRealTimers());
}
