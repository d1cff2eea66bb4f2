/** The program as a function: arguments and the world in, an exit code out. The one place that words a failure. */
import { version } from '../package.json';
import type { Context } from './context.ts';
import type { Io, Signal } from './io.ts';

/** Runs one command line; resolves with the exit code of `exit.ts` once everything is written. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  // Answered before anything else loads.
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    // A reader that went away is no failure.
    io.stdout.on('error', () => {}).write(`${version}\n`);
    return 0;
  }
  const { run } = await import('./run.ts');
  return run(argv, io, version);
}

export type { Context, Io, Signal };
