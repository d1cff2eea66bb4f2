/** Other runs of the program's parts, as processes that can be killed or stopped. */
import type { ChildProcess } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { bundle, ended, heard, start } from './child.ts';

const scripts = new URL('../book/scripts/', import.meta.url);

/** Starts processes for this test; see `book/scripts/actor.ts`. */
export async function actors() {
  const file = await bundle('actor', scripts);
  return {
    /** One that has done what it should, and lives. */
    async act(
      what: 'send' | 'hold' | 'make' | 'visit' | 'stop',
      path: string,
    ): Promise<{ kill(): Promise<void>; goOn(): void; pid: number }> {
      const child = begun(start(file, what, path));
      await heard(child, 'done');
      if (what === 'stop') child.kill('SIGSTOP');
      return {
        pid: child.pid ?? 0,
        goOn: () => void child.kill('SIGCONT'),
        kill: async () => {
          child.kill('SIGKILL');
          await ended(child);
        },
      };
    },
    /** The exit codes of so many that open the book at one moment. */
    async openAtOnce(path: string, count: number): Promise<readonly (number | string)[]> {
      const at = String(Date.now() + 400);
      return Promise.all(
        Array.from({ length: count }, () => ended(begun(start(file, 'open', path, at)))),
      );
    },
  };
}

function begun(child: ChildProcess): ChildProcess {
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}
