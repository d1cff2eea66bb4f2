/** Waiting that no slow machine can make too short or too long: in turns of the event loop, not in milliseconds. */
import { setImmediate } from 'node:timers/promises';

/** Resolves some turns of the event loop later: calls that are under way together end in any order. */
export async function later(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await setImmediate();
}

/** A door that is closed until somebody opens it. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  const doors: (() => void)[] = [];
  const opened = new Promise<void>((resolve) => void doors.push(resolve));
  return { opened, open: () => doors.forEach((open) => void open()) };
}
