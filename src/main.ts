/** The program as a function: arguments and the world in, an exit code out. What needs no parsing is answered here, the rest by run.ts. */
import { version } from '../package.json';
import type { Context } from './context.ts';
import { type Io, type Signal, usualWidth } from './io.ts';

/** Runs one command line; resolves with the exit code of `exit.ts` once everything is written. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const text = await knownText(argv, io);
  if (text !== undefined) return print(text, io);
  const { run } = await import('./run.ts');
  return run(argv, io, version);
}

/** Gives the exit code: a reader that went away is no failure, a full disk is. */
async function print(text: string, { stdout, stderr }: Io): Promise<number> {
  const failure = await new Promise<Error | null | undefined>((resolve) => {
    stdout.on('error', resolve).write(text, resolve);
  });
  if (!failure) return 0;
  const { describeFailure } = await import('./report.ts');
  const { readerHasGone } = await import('./output/stdout-sink.ts');
  if (readerHasGone(failure)) return 0;
  const { writeFailure } = await import('./output/write-failure.ts');
  stderr.write(describeFailure(writeFailure('standard output', failure), { json: stdout.isTTY !== true, verbose: false }));
  return (await import('./exit.ts')).exitOf('internal');
}

/** What can be said before anything else loads: most of the time of such a command would be loading. */
async function knownText(argv: readonly string[], { stdout }: Io): Promise<string | undefined> {
  const [first = '', last = first] = [argv[0], argv.at(-1)];
  if (argv.length === 1 && (first === '--version' || first === '-V')) return `${version}\n`;
  if (argv.length === 0) return (await import('./commands/start-page.ts')).startPage;
  if (first === 'help' || last === '--help' || last === '-h') {
    // As `widthOf`: a function would be bundled with what has to load first, a constant is not.
    return (await import('./commands/help-text.ts')).helpText(argv, stdout.columns || usualWidth);
  }
  return undefined;
}

export type { Context, Io, Signal };
