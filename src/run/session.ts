/** Parses the command line, runs the command, words what went wrong. */

import { callsService } from '../cli/command-exits.ts';
import { ParserStop } from '../cli/parser-stop.ts';
import { createProgram, type LaunchCommand } from '../cli/program.ts';
import { refuseIdleSandboxFlags } from '../cli/sandbox-flags.ts';
import { redactor } from '../config/mask.ts';
import { type FailureCode, PdiError, systemCodeOf, UsageError } from '../errors.ts';
import { exitOf } from '../exit.ts';
import { type Io, type Signal, widthOf } from '../io.ts';
import { isJsonFormat, outputFormats } from '../output/formats.ts';
import { Context } from './context.ts';
import { codeOf, describeFailure } from './report.ts';

export async function run(argv: readonly string[], io: Io, version: string): Promise<number> {
  const session = new Session(argv, io, version);
  try {
    await session.parseAndRun();
    return session.done();
  } catch (error) {
    const failure = error instanceof ParserStop ? failureOfParser(error) : error;
    return failure === undefined ? session.done() : session.report(failure);
  } finally {
    await session.close();
  }
}

/** One run: its signals, the keys that no message may show, and the context once flags are known. */
class Session {
  /** By key, what takes it out of a text. */
  private readonly redactors = new Map<string, (text: string) => string>();
  private readonly stop = new AbortController();
  private readonly release: () => void;
  private readonly onTerminal: boolean;
  private context: Context | undefined;
  private signal: Signal | undefined;
  private stderr: Io['stderr'] | undefined;

  constructor(
    private readonly argv: readonly string[],
    private readonly io: Io,
    private readonly version: string,
  ) {
    // Its failures are the sink's to judge.
    io.stdout.on('error', () => {});
    if (io.env.PDI_API_KEY) this.guardKey(io.env.PDI_API_KEY.trim());
    this.onTerminal = io.onTerminal;
    this.release = io.onSignal((signal) => this.interrupted(signal));
  }

  async parseAndRun(): Promise<void> {
    const { program } = createProgram(
      (...launched) => this.launch(...launched),
      { writeOut: (text) => this.io.stdout.write(text), width: widthOf(this.io.stdout) },
      { version: this.version, first: this.argv[0] ?? '' },
    );
    await program.parseAsync([...this.argv], { from: 'user' });
  }

  /** The exit code of a run that did all it was asked for: a script that was told to stop must not take it for the whole story. */
  done(): number {
    if (this.signal === undefined) return 0;
    return this.report(new PdiError('interrupted', 'interrupted: everything asked for was done and is written'));
  }

  /** Says on stderr what failed and gives its exit code. */
  report(error: unknown): number {
    const failure = this.signal === undefined ? error : afterSignal(error, this.signal);
    const verbose = this.argv.includes('--verbose');
    this.writeStderr(describeFailure(failure, { json: this.wantsJson(), verbose, runCost: this.context?.runCost }));
    return exitOf(codeOf(failure));
  }

  async close(): Promise<void> {
    this.release();
    await this.context?.dispose();
  }

  private async launch(...[flags, command, work]: Parameters<LaunchCommand>): Promise<void> {
    this.context = new Context({
      io: this.io,
      flags,
      command: command.words,
      stop: this.stop.signal,
      guardKey: (key) => this.guardKey(key),
      writeStderr: (text) => this.writeStderr(text),
      redact: (text) => this.redact(text),
      version: this.version,
    });
    refuseIdleSandboxFlags(this.context);
    refuseIdleDryRun(command, flags);
    await work(this.context);
  }

  /** Most runs say nothing there: opening it takes longer than some commands. */
  private writeStderr(text: string): void {
    // A closed stderr must not end a run that has data to write.
    this.stderr ??= this.io.stderr.on('error', () => {});
    this.stderr.write(this.redact(text));
  }

  private guardKey(key: string): void {
    this.redactors.set(key, redactor(key));
  }

  private redact(text: string): string {
    let redacted = text;
    for (const redact of this.redactors.values()) redacted = redact(redacted);
    return redacted;
  }

  /**
   * A hangup without a terminal, as of a job under nohup whose shell goes away, is about nothing of ours. The first signal lets calls under way finish; the second ends the process now. Not a hangup: the system and the shell both
   * tell of a closed terminal, and nobody is there to be impatient.
   */
  private interrupted(signal: Signal): void {
    if (signal === 'SIGHUP' && !this.onTerminal) return;
    if (this.signal !== undefined && signal !== 'SIGHUP') this.endNow(signal);
    this.signal ??= signal;
    this.stop.abort();
  }

  /** On a terminal the line that the progress bar is on, or `^C`, is ended first: the shell's prompt gets a line of its own. */
  private endNow(signal: Signal): void {
    if (this.io.stderr.isTTY === true) this.writeStderr('\n');
    this.io.exitNow(exitOf(codeOfSignal(signal)));
  }

  /** The format decides; where it is unknown because parsing failed, the words of the command line do. */
  private wantsJson(): boolean {
    try {
      if (this.context !== undefined) return this.context.jsonErrors();
    } catch {
      // A bad setting or a broken file is what is being reported: judge without it.
    }
    const asked = (formatInArguments(this.argv) ?? this.io.env.PDI_OUTPUT)?.trim();
    const format = outputFormats.find((known) => known === asked);
    return format === undefined ? this.io.stdout.isTTY !== true : isJsonFormat(format);
  }
}

/** What a signal's exit code comes before; of the others the user must know whatever else happened. */
const weaker: ReadonlySet<FailureCode> = new Set(['not_found', 'unavailable', 'partial', 'interrupted']);

function afterSignal(error: unknown, signal: Signal): unknown {
  if (!(error instanceof PdiError) || !(weaker.has(error.code) || (signal === 'SIGHUP' && isDeadTerminal(error)))) return error;
  const message = error.code === 'interrupted' ? error.message : `interrupted: ${error.message}`;
  return new PdiError(codeOfSignal(signal), message, error.details);
}

/** A terminal that was closed takes nothing more; a disk that reports the same is told by the file's name. */
const isDeadTerminal = ({ details }: PdiError): boolean => details.item === 'standard output' && systemCodeOf(details.cause) === 'EIO';

const codes: Readonly<Record<Signal, FailureCode>> = { SIGINT: 'interrupted', SIGTERM: 'terminated', SIGHUP: 'hung_up' };

const codeOfSignal = (signal: Signal): FailureCode => codes[signal];

/** The value of `-o` or `--output`, as the argument parser would read it: the last one counts. */
function formatInArguments(argv: readonly string[]): string | undefined {
  let format: string | undefined;
  for (const [index, word] of argv.entries()) {
    const joined = /^(?:--output=|-o=?)(.+)$/.exec(word);
    if (word === '-o' || word === '--output') format = argv[index + 1];
    else if (joined !== null) format = joined[1];
  }
  return format;
}

/** Everything that the parser says is a usage error on one line, but for help and version, which are no failures. */
function failureOfParser({ reason, command }: ParserStop): UsageError | undefined {
  if (reason.exitCode === 0) return undefined;
  const see = `see \`${command} --help\``;
  if (reason.code === 'commander.help') {
    return new UsageError(command === 'pdi' ? 'a command is missing' : `${command}: a command is missing`, { hint: see });
  }
  const [message = '', ...rest] = reason.message.replace(/^error: /, '').split('\n');
  const suggestion = rest
    .join(' ')
    .trim()
    .replace(/^\(|\)$/g, '');
  return new UsageError(message.replace(/\.$/, ''), { hint: suggestion === '' ? see : suggestion });
}

type Launched = Parameters<LaunchCommand>;

/** @throws UsageError where the command would change something, or write `--out`, all the same */
function refuseIdleDryRun(command: Launched[1], { dryRun, out }: Pick<Launched[0], 'dryRun' | 'out'>): void {
  if (dryRun !== true) return;
  const hint = 'it makes no call that could be shown instead: leave --dry-run out';
  if (command.changes === true) throw new UsageError(`pdi ${command.words} takes no --dry-run`, { item: '--dry-run', hint });
  // Those that call print their plan to stdout, and leave the file alone.
  if (out !== undefined && !callsService(command))
    throw new UsageError(`pdi ${command.words} takes no --dry-run with --out`, { item: '--dry-run', hint });
}
