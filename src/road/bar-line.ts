/** Keeps the progress bar on one line of the terminal, because rows may be printed to the same terminal. */
import { type Io, widthOf } from '../io.ts';

/** A reader gets this many milliseconds to print the rows that it received. */
const printingMs = 20;

/** Touches only the current line, unlike the terminal of cli-progress. `makeWay` hides the bar until shortly after `passed`. */
export function barLine(stream: Io['stderr']) {
  let awayUntil = 0;
  let isDrawn = false;
  const nothing = (): void => {};
  return {
    // This is one write, because a row must not come between the bar and the return of the cursor.
    write(text: string): void {
      if (performance.now() < awayUntil) return;
      stream.write(`\r${text}\u001b[K\r`);
      isDrawn = true;
    },
    makeWay(): void {
      // If no bar is drawn, the reader may be in the middle of this line.
      if (isDrawn) stream.write('\r\u001b[K');
      [isDrawn, awayUntil] = [false, Number.POSITIVE_INFINITY];
    },
    passed(): void {
      if (awayUntil === Number.POSITIVE_INFINITY) awayUntil = performance.now() + printingMs;
    },
    getWidth: () => widthOf(stream),
    isTTY: () => true,
    cursorSave: nothing,
    cursorRestore: nothing,
    cursorTo: nothing,
    clearRight: nothing,
    clearLine: nothing,
  };
}
