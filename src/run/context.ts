/** Gives a command its streams and settings. Client, sandbox and key load at their first use, because loading takes time. */

import type { Owner } from '../book/owner.ts';
import type { Flags } from '../cli/root.ts';
import type { Client } from '../client/client.ts';
import { configDirectory, stateDirectory } from '../config/location.ts';
import type { Profile } from '../config/profile.ts';
import { type Config, emptyConfig, readConfig, selectProfile } from '../config/read-config.ts';
import { type Resolved, resolveSetting, switchedOn } from '../config/resolve.ts';
import { allSettings, type Setting, settings } from '../config/settings.ts';
import { orFailure, PdiError } from '../errors.ts';
import type { Io } from '../io.ts';
import { cleanForTerminal, cleanLine } from '../output/clean.ts';
import { formatOfName, isJsonFormat, type OutputFormat } from '../output/formats.ts';
import { wantsColor } from '../output/paint.ts';
import { isStdout } from '../output/sinks/sink.ts';
import { memoize } from './memoize.ts';
import type { RunCost } from './run-cost.ts';
import { remoteService, type Service, sandboxService } from './service-in-use.ts';

interface ContextParts {
  readonly io: Io;
  readonly flags: Flags;
  readonly command: string;
  /** Aborted at the first Ctrl-C; after that nothing more is sent. */
  readonly stop: AbortSignal;
  /** Receives every key in use, so that no message shows it. */
  readonly guardKey: (key: string) => void;
  readonly writeStderr: (text: string) => void;
  readonly redact: (text: string) => string;
  readonly version: string;
}

export class Context {
  readonly io: Io;
  readonly flags: Flags;
  readonly command: string;
  readonly stop: AbortSignal;
  readonly redact: (text: string) => string;
  readonly version: string;
  readonly now: () => number;
  /** Set as soon as the command may buy something. */
  runCost: RunCost | undefined;
  withinMs = Number.POSITIVE_INFINITY;
  /** The program that takes the rows in place of stdout; set before the format is asked for. */
  program: readonly [string, ...string[]] | undefined;
  private readonly disposals: (() => Promise<void>)[] = [];

  constructor(private readonly parts: ContextParts) {
    this.io = parts.io;
    this.flags = parts.flags;
    this.command = parts.command;
    this.stop = parts.stop;
    this.redact = parts.redact;
    this.version = parts.version;
    this.now = parts.io.now ?? (() => performance.now());
  }

  readonly configDirectory = memoize(() => configDirectory(this.io));
  readonly stateDirectory = memoize(() => stateDirectory(this.io));
  private owned: Config | PdiError | undefined;
  readonly config = memoize((): Config => {
    if (this.owned instanceof PdiError) throw this.owned;
    return this.owned ?? readConfig(this.configDirectory());
  });

  /** Opens the file with the library conf, for `pdi config`. If that fails, `config` throws the failure later. */
  async openConfig(): Promise<void> {
    const { openConfig } = await import('../config/config-file.ts');
    this.owned = await orFailure(() => openConfig(this.configDirectory()));
  }

  readonly selectedProfile = memoize(() => resolveSetting(settings.profile, { flags: this.allFlags(), env: this.io.env }));

  /** The sandbox needs nothing from the file, so an unreadable file counts as empty there, unless a profile was chosen. */
  readonly profile = memoize((): Profile => {
    const named = this.selectedProfile();
    // The profile that is being made is not there yet, and one that was removed still has its calls in the book.
    const mayBeGone = this.command === 'config init' || this.command === 'spend';
    const selected: Resolved<string> = mayBeGone ? { ...named, source: 'default' } : named;
    try {
      return selectProfile(this.config(), selected);
    } catch (error) {
      const needed = !(this.sandboxed() || this.command === 'sandbox') || selected.source !== 'default';
      if (needed || !(error instanceof PdiError)) throw error;
      return selectProfile(emptyConfig(this.configDirectory()), selected);
    }
  });

  /** Gives the value of a setting in this run. @throws UsageError for a bad value, naming its source */
  resolved<T>(setting: Setting<T>): Resolved<T> {
    return resolveSetting(setting, { flags: this.allFlags(), env: this.io.env, profile: this.profile() });
  }

  rereadConfig(): void {
    this.config.forget();
    this.profile.forget();
  }

  /** Ignores the profile, for commands that change or create profiles. */
  withoutProfile<T>(setting: Setting<T>): Resolved<T> {
    return resolveSetting(setting, { flags: this.allFlags(), env: this.io.env });
  }

  setting<T>(setting: Setting<T>): T {
    return this.resolved(setting).value;
  }

  readonly isForStdout = memoize((): boolean => this.program === undefined && (this.flags.out === undefined || isStdout(this.flags.out)));

  readonly isForTerminal = memoize((): boolean => this.io.stdout.isTTY === true && this.isForStdout());

  /** The flag decides, then the name of `--out`, the environment, the profile. The default is `table` on a terminal, else `json`. */
  readonly format = memoize((): OutputFormat => {
    // A query needs JSON, so a table cannot be the default.
    const terminal = this.isForTerminal() && this.flags.query === undefined;
    const { value, source } = this.resolved(settings.output);
    const named = source === 'flag' ? undefined : formatOfName(this.flags.out);
    return named ?? value ?? (terminal ? 'table' : 'json');
  });

  /** Tells whether json was chosen, or is the default of a pipe. What a terminal gets in words is JSON then. */
  readonly expectsJson = memoize(() => {
    const format = this.format();
    const expected = this.io.stdout.isTTY !== true || this.setting(settings.output) !== undefined;
    return expected && isJsonFormat(format);
  });

  /** Tells whether failures, notices and summary are JSON lines. `--errors` decides before anything else, so it cannot fail. */
  readonly jsonErrors = memoize(() => (this.flags.errors === undefined ? this.expectsJson() : this.flags.errors === 'json'));

  onInterrupt(listener: () => void): void {
    if (this.stop.aborted) listener();
    else this.stop.addEventListener('abort', listener, { once: true });
  }

  /** A command throws this after Ctrl-C ended it in good order, so that the exit code shows the interruption. */
  interrupted(): PdiError {
    return new PdiError('interrupted', `${this.command} was stopped`, { retryable: true, rerun: 'run it again to go on' });
  }

  readonly color = memoize(() =>
    wantsColor({
      ...(this.flags.color !== undefined && { flag: this.flags.color }),
      env: this.io.env,
      isTTY: this.isForTerminal(),
    }),
  );

  readonly sandboxed = memoize(() => this.flags.sandbox === true || switchedOn(this.io.env, 'PDI_SANDBOX'));

  /** Writes a remark to stderr unless `--quiet` is given. It is one JSON object if errors are JSON. */
  notice(remark: string): void {
    if (this.flags.quiet === true) return;
    const text = this.advice(remark);
    this.writeStderr(this.jsonErrors() ? `${JSON.stringify({ notice: text })}\n` : `pdi: ${text}\n`);
  }

  /** A command that is advised is for the profile that was named: `pdi config set` by itself would change another. */
  advice(text: string): string {
    const { profile } = this.allFlags();
    return typeof profile === 'string' ? text.replaceAll('pdi config ', `pdi --profile ${profile} config `) : text;
  }

  guardKey(key: string): void {
    this.parts.guardKey(key);
  }

  writeStderr(text: string): void {
    this.parts.writeStderr(text);
  }

  /** Whose answers, calls and journals these are. @throws as the key does */
  async owner(): Promise<Owner> {
    const { identity: baseUrl, key } = await this.service();
    return { baseUrl, account: this.setting(settings.account), key: await key() };
  }

  readonly service = memoize((): Promise<Service> => (this.sandboxed() ? sandboxService(this) : remoteService(this)));

  /** @throws UsageError for a setting with an invalid value */
  readonly callSettings = memoize(() => ({
    concurrency: this.setting(settings.concurrency),
    timeoutMs: Math.ceil(this.setting(settings.timeout) * 1000),
    retries: this.setting(settings.retries),
    maxWaitMs: this.setting(settings.maxWait) * 1000,
    rate: this.setting(settings.rate),
  }));

  readonly client = memoize(async (): Promise<Client> => this.clientOf(await this.service()));

  /** A client of any service, such as one whose base URL and key are not stored yet. */
  async clientOf(
    { baseUrl, key }: Pick<Service, 'baseUrl' | 'key'>,
    settings: ReturnType<Context['callSettings']> = this.callSettings(),
  ): Promise<Client> {
    this.io.beforeConnecting?.();
    const { createClient } = await import('../client/client.ts');
    const { proxyFrom } = await import('../client/proxy.ts');
    const client = await createClient({
      baseUrl,
      key,
      ...settings,
      beforeConnecting: () => this.io.limitLookup?.(Math.min(settings.timeoutMs, this.withinMs)),
      proxy: this.sandboxed() ? undefined : proxyFrom(this.io.env),
      userAgent: `pdi/${this.version}`,
      stop: this.stop,
      log: this.flags.verbose === true ? (line) => this.writeStderr(`${cleanForTerminal(line)}\n`) : undefined,
      // Hidden characters could split the key in the text, so they are removed before the key is masked.
      redactLine: (told) => this.redact(cleanLine(told)),
      now: this.now,
      random: Math.random,
    });
    this.disposals.push(() => client.close());
    return client;
  }

  onDispose(dispose: () => Promise<void>): void {
    this.disposals.push(dispose);
  }

  async dispose(): Promise<void> {
    for (const dispose of this.disposals.reverse()) await dispose();
  }

  /** A bad value is a mistake also where the command has no use for its flag. @throws UsageError */
  refuseBadFlags(): void {
    for (const setting of allSettings) resolveSetting(setting, { flags: this.allFlags(), env: {} });
  }

  private allFlags(): Readonly<Record<string, unknown>> {
    return { ...this.flags };
  }
}
