/** Shows what is taller than the terminal by the user's pager, such as `less`. */
import { once } from 'node:events';
import { attempt } from '../../errors.ts';
import { programWords, startProgram } from '../../files/child-process.ts';
import type { Sink } from './sink.ts';

interface Paged {
  /** As `PAGER` names it. */
  readonly pager: string;
  readonly rows: number;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** One card is small, so that it is held until its height is known. Where the pager cannot run, the card goes to the terminal. */
export function pagerSink(terminal: Sink, { pager, rows, env }: Paged): Sink {
  const pieces: Uint8Array[] = [];
  return {
    ...terminal,
    async write(output) {
      pieces.push(Buffer.from(output));
      return true;
    },
    async commit() {
      const text = Buffer.concat(pieces);
      const isTall = text.filter((byte) => byte === 0x0a).length >= rows;
      if (!isTall || !(await isShownBy(pager, text, env))) await terminal.write(text);
      await terminal.commit();
    },
  };
}

async function isShownBy(pager: string, text: Uint8Array, env: Paged['env']): Promise<boolean> {
  const words = attempt(() => programWords(pager, 'PAGER'));
  if (words === undefined) return false;
  // Colours pass, and what fits after all is left on the screen.
  const child = await startProgram(words, {
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { LESS: 'FRX', ...env },
  });
  const ended = once(child, 'close').then(
    () => true,
    () => false,
  );
  // Whoever leaves a pager early has read enough.
  child.stdin?.on('error', () => {});
  child.stdin?.end(text);
  return ended;
}
