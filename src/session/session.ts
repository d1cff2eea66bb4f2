import { parseArgs } from 'node:util';
import { adviceFor, Choices, expectsJson, wantsColor } from '../cli/choices.ts';
import type { Command, Work } from '../cli/command.ts';
import { type Flags, refuseIdleSandboxFlags } from '../cli/root.ts';
import { KeylessStderr } from '../config/mask.ts';
import { unknownVariables } from '../config/settings.ts';
import { PdiError, systemCodeOf, UsageError, type Way } from '../errors.ts';
import { exitOf, exitTable, type FailureCode } from '../exit.ts';
import { callsService, createProgram, ParserStop } from '../front/program.ts';
import { type Io, type Signal, widthOf } from '../io.ts';
import { codeOf, describeFailure } from '../road/report.ts';
import { SessionTools } from './tools.ts';

export async function run(argv: readonly string[], io: Io, version: string): Promise<number> {
  const session = new Session(argv, io, version);
  try {
    await session.parseAndRun();
    return 0;
  } catch (error) {
    return await session.fail(error);
  } finally {
    await session.close();
  }
}

/** With fewer left not even one call could be made. */
const fewestHandles = 18;

class Session {
  private readonly stderr: KeylessStderr;
  private readonly stop = new AbortController();
  private readonly release: () => void;
  private readonly onTerminal: boolean;
  private flags: Readonly<Record<string, unknown>> = {};
  private choices: Choices | undefined;
  private tools: SessionTools | undefined;
  private signal: Signal | undefined;

  constructor(
    private readonly argv: readonly string[],
    private readonly io: Io,
    private readonly version: string,
  ) {
    // The sink handles the errors of stdout.
    io.stdout.on('error', () => {});
    this.stderr = new KeylessStderr(io);
    if (io.env.PDI_API_KEY) this.stderr.guardKey(io.env.PDI_API_KEY.trim());
    this.onTerminal = io.onTerminal;
    this.release = io.onSignal((signal) => this.interrupted(signal));
  }

  async parseAndRun(): Promise<void> {
    if (this.argv.some((word) => /^[^!-~]/.test(word)))
      (await import('./parser-failure.ts')).refuseLookAlikes(this.argv);
    const program = createProgram((...launched) => this.launch(...launched), this.version);
    // A failure of the command goes on as it is: it is not thrown anew here.
    const parsed = program.parseAsync([...this.argv], { from: 'user' });
    await parsed.catch(
      (error: unknown): Promise<unknown> =>
        error instanceof ParserStop ? this.parserStopped(error) : parsed,
    );
    // A script that was told to stop must not see exit code 0.
    if (this.signal !== undefined)
      throw new PdiError(
        'interrupted',
        'interrupted: everything asked for was done and is written',
      );
  }

  /** Help and version are no failures. A group of commands named alone shows its help, as `pdi` alone shows the start page. */
  private async parserStopped(stop: ParserStop): Promise<void> {
    const { failureOfParser, namesGroup } = await import('./parser-failure.ts');
    this.flags = stop.flags;
    if (stop.reason.exitCode !== 0 && !namesGroup(stop)) throw failureOfParser(stop);
    const [{ helpText }, { stdoutSink }] = await Promise.all([
      loadTexts(),
      import('../output/sinks/sink.ts'),
    ]);
    const help = await helpText(
      [...stop.command.split(' ').slice(1), this.argv.includes('-h') ? '-h' : '--help'],
      widthOf(this.io.stdout),
    );
    await stdoutSink(this.io.stdout).write(
      stop.reason.code === 'commander.version' ? `${this.version}\n` : (help ?? ''),
    );
  }

  async fail(error: unknown): Promise<number> {
    await this.guardUnreadKeys();
    const failure = this.signal === undefined ? error : afterSignal(error, this.signal);
    const verbose = this.argv.includes('--verbose');
    const { withCommand } = await import('./way-on.ts');
    const advise = (text: string) => adviceFor(this.flags, text);
    const advice = (hint: string, way?: Way) =>
      way === undefined ? advise(hint) : withCommand(this.argv, advise, hint, way);
    const json = this.wantsJson();
    const lines = json ? undefined : await this.failureLines();
    this.stderr.write(
      describeFailure(failure, { json, verbose, lines }, this.tools?.runCost, advice),
    );
    return exitOf(codeOf(failure));
  }

  /** The flags may be what could not be read, so the command line itself says whether colour is wanted. */
  private async failureLines() {
    const { stderr, env } = this.io;
    if (stderr.isTTY !== true) return undefined;
    const { failureLines } = await import('../output/failure-lines.ts');
    const flag = this.argv.findLast((word) => /^--(?:no-)?color$/.test(word));
    const color = wantsColor(flag === undefined ? undefined : flag === '--color', env, true);
    return failureLines({ width: widthOf(stderr), color, redact: this.stderr.redact });
  }

  /** What repeats the command line may repeat a key that this run has no use for, or has not read yet. */
  private async guardUnreadKeys(): Promise<void> {
    const { unreadKeys } = await import('../config/key.ts');
    for (const key of unreadKeys(this.io)) this.stderr.guardKey(key);
  }

  async close(): Promise<void> {
    this.release();
    await this.tools?.close();
  }

  private async launch(flags: Flags, command: Command, work: Work): Promise<void> {
    const choices = new Choices(this.io, flags, command.words, this.argv, loadTexts);
    this.choices = choices;
    this.flags = flags;
    this.tools = new SessionTools(choices, this.stderr, this.stop.signal, this.version);
    if (flags.dryRun === true || flags.verbose === true) await this.guardUnreadKeys();
    if (choices.handlesLeft() < fewestHandles)
      throw new PdiError('internal', 'this process may open too few files at once', {
        billed: 'no',
        hint: 'allow it more: `ulimit -n 256`',
      });
    choices.refuseBadFlags();
    const unknown = unknownVariables(this.io.env);
    if (unknown.length > 0)
      (await import('./unknown-variables.ts')).refuseUnknownVariables(
        unknown,
        this.tools.say.notice,
      );
    refuseIdleSandboxFlags(command.words, flags, choices.sandboxed);
    refuseIdleDryRun(command, flags);
    await work(choices, this.tools);
  }

  private interrupted(signal: Signal): void {
    // A job under nohup must survive the end of its shell.
    if (signal === 'SIGHUP' && !this.onTerminal) return;
    // The system and the shell both send a hangup when a terminal closes, so a second one is not a request to stop at once.
    if (this.signal !== undefined && signal !== 'SIGHUP') this.endNow(signal);
    this.signal ??= signal;
    this.stop.abort();
  }

  private endNow(signal: Signal): void {
    if (this.io.stderr.isTTY === true) this.stderr.write('\n');
    this.io.exitNow(exitOf(signalCodes[signal]));
  }

  /** If parsing failed, no option is known, and the command line alone decides. An unknown value of `--errors` decides nothing. */
  private wantsJson(): boolean {
    if (this.choices !== undefined) return this.choices.jsonErrors();
    const { errors, ...told } = parseArgs({
      args: [...this.argv],
      options: telling,
      strict: false,
      allowPositionals: true,
    }).values;
    const asked = String(errors).toLowerCase();
    return asked === 'json' || (asked !== 'text' && expectsJson(told, this.io));
  }
}

const telling = {
  errors: { type: 'string' },
  output: { type: 'string', short: 'o' },
  out: { type: 'string' },
} as const;

const loadTexts = () => import('../front/help/text.ts');

function afterSignal(error: unknown, signal: Signal): unknown {
  if (
    !(error instanceof PdiError) ||
    !(exitTable[error.code].yieldsToSignal || (signal === 'SIGHUP' && isDeadTerminal(error)))
  )
    return error;
  const message = error.code === 'interrupted' ? error.message : `interrupted: ${error.message}`;
  return new PdiError(signalCodes[signal], message, error.details);
}

/** A closed terminal gives EIO on standard output. A broken disk gives EIO too, but then the item is the file. */
const isDeadTerminal = ({ details }: PdiError): boolean =>
  details.item === 'standard output' && systemCodeOf(details.cause) === 'EIO';

const signalCodes: Readonly<Record<Signal, FailureCode>> = {
  SIGINT: 'interrupted',
  SIGTERM: 'terminated',
  SIGHUP: 'hung_up',
};

/** @throws UsageError if the command would change something, or write `--out`, in spite of `--dry-run` */
function refuseIdleDryRun(command: Command, { dryRun, out }: Flags): void {
  if (dryRun !== true) return;
  const hint = 'it makes no call: leave --dry-run out';
  if (command.changes === true)
    throw new UsageError(`pdi ${command.words} takes no --dry-run`, { item: '--dry-run', hint });
  // Commands that make calls print their plan to stdout, and do not write the file.
  if (out !== undefined && !callsService(command))
    throw new UsageError(`pdi ${command.words} takes no --dry-run with --out`, {
      item: '--dry-run',
      hint,
    });
}
