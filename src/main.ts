/** The program as a function that gives the exit code; what needs no parsing is answered here. */
import { version } from '../package.json';
import { defaultWidth, type Io } from './io.ts';

export async function main(argv: readonly string[], io: Io): Promise<number> {
  const text = await knownText(argv, io);
  if (text !== undefined) return print(text, io);
  const { run } = await import('./session/session.ts');
  return run(argv, io, version);
}

async function print(text: string, { stdout, stderr }: Io): Promise<number> {
  const failure = await new Promise<unknown>((resolve) =>
    stdout.on('error', resolve).write(text, resolve),
  );
  if (!failure) return 0;
  const { describeFailure } = await import('./road/report.ts');
  const { readerHasGone, writeFailure } = await import('./output/sinks/sink.ts');
  if (readerHasGone(failure)) return 0;
  stderr.write(
    describeFailure(writeFailure('standard output', failure), {
      json: stdout.isTTY !== true,
      verbose: false,
    }),
  );
  return (await import('./exit.ts')).exitOf('internal');
}

/** To load anything else first would take most of the time. */
async function knownText(argv: readonly string[], io: Io): Promise<string | undefined> {
  const [first = '', last = first] = [argv[0], argv.at(-1)];
  if (argv.length === 1 && (first === '--version' || first === '-V')) return `${version}\n`;
  if (argv.length === 0) return (await import('./front/help/help-pages.ts')).startPage;
  // `widthOf` would be bundled with what has to load first; a constant is not.
  const width = io.stdout.columns || defaultWidth;
  if (argv.length === 2 && first === 'completion') {
    const { completionScripts: scripts } = await import('./front/completion/scripts.ts');
    return Object.entries(scripts).find(([shell]) => shell === last)?.[1];
  }
  const asked = last === '--json' ? (argv.at(-2) ?? '') : last;
  if (first === 'help' || asked === '--help' || asked === '-h')
    return (await import('./front/help/text.ts')).helpText(argv, width, io.program);
  return undefined;
}
