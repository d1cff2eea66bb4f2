/** The line of a terminal that a progress bar is on. What reads our rows may print them to the same terminal. */
import { type Io, widthOf } from '../io.ts';

/** Milliseconds in which a reader prints what was written to it. */
const printingMs = 20;

/**
 * A terminal for cli-progress. The library's own saves the cursor and goes back there at the end, over whatever was printed
 * since. Here only the current line is touched, and the cursor is left at its beginning, so that a row goes over the bar.
 * `makeWay` wipes the bar and keeps it away until a moment after `passed`: nothing of it is left behind a short row.
 */
export function barLine(stream: Io['stderr']) {
  let awayUntil = 0;
  let isDrawn = false;
  const nothing = (): void => {};
  return {
    // In one piece: a row must not come between the bar and the way back.
    write(text: string): void {
      if (performance.now() < awayUntil) return;
      stream.write(`\r${text}\u001b[K\r`);
      isDrawn = true;
    },
    makeWay(): void {
      // Where nothing is drawn, a reader may be in the middle of a line.
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
