/** What a command is given: streams, settings, and what costs time to load (client, sandbox, key) only when asked for. */

import type { Flags } from '../cli/root.ts';
import type { Client } from '../client/client.ts';
import { configDirectory, stateDirectory } from '../config/location.ts';
import type { Profile } from '../config/profile.ts';
import { type Resolved, resolveSetting, switchedOn } from '../config/resolve.ts';
import { type Setting, settings } from '../config/settings.ts';
import { type Config, emptyConfig, readConfig, selectProfile } from '../config/store.ts';
import { orFailure, PdiError } from '../errors.ts';
import type { Io } from '../io.ts';
import { cleanForTerminal } from '../output/clean.ts';
import { formatOfName, isJsonFormat, type OutputFormat } from '../output/formats.ts';
import { wantsColor } from '../output/paint.ts';
import { isStdout } from '../output/sinks/sink.ts';
import { memoize } from './memoize.ts';
import type { RunCost } from './run-cost.ts';
import { remoteService, type Service, sandboxService } from './service.ts';

export interface ContextParts {
  readonly io: Io;
  readonly flags: Flags;
  /** As the ledger and messages name it: `person`, `lists people delete`. */
  readonly command: string;
  /** Aborted at the first Ctrl-C: nothing more is sent. */
  readonly stop: AbortSignal;
  /** Told of every key in use, so that no message shows it. */
  readonly guardKey: (key: string) => void;
  /** Writes to stderr, keys taken out. */
  readonly writeStderr: (text: string) => void;
  /** A text without the keys in use. */
  readonly redact: (text: string) => string;
  readonly version: string;
}

export class Context {
  readonly io: Io;
  readonly flags: Flags;
  readonly command: string;
  readonly stop: AbortSignal;
  /** A text without the keys in use. */
  readonly redact: (text: string) => string;
  /** Milliseconds that only grow. */
  readonly now: () => number;
  /** Of a command that may buy anything, from when it could. */
  runCost: RunCost | undefined;
  /** How long the whole command may take, in milliseconds, where it is told. */
  withinMs = Number.POSITIVE_INFINITY;
  private readonly disposals: (() => Promise<void>)[] = [];

  constructor(private readonly parts: ContextParts) {
    this.io = parts.io;
    this.flags = parts.flags;
    this.command = parts.command;
    this.stop = parts.stop;
    this.redact = parts.redact;
    this.now = parts.io.now ?? (() => performance.now());
  }

  readonly configDirectory = memoize(() => configDirectory(this.io));
  readonly stateDirectory = memoize(() => stateDirectory(this.io));
  private owned: Config | PdiError | undefined;
  readonly config = memoize((): Config => {
    if (this.owned instanceof PdiError) throw this.owned;
    return this.owned ?? readConfig(this.configDirectory());
  });

  /** For the words of `pdi config`: the file is conf's there. What is wrong with it is thrown by `config`. */
  async openConfig(): Promise<void> {
    const { openConfig } = await import('../config/file.ts');
    this.owned = await orFailure(() => openConfig(this.configDirectory()));
  }

  /** Which profile was asked for, and by whom. */
  readonly selectedProfile = memoize(() => resolveSetting(settings.profile, { flags: this.allFlags(), env: this.io.env }));

  /** For the sandbox a file that cannot be read is as good as none, unless a profile is asked for: nothing in it is needed. */
  readonly profile = memoize((): Profile => {
    const selected = this.selectedProfile();
    try {
      return selectProfile(this.config(), selected);
    } catch (error) {
      const needed = !(this.sandboxed() || this.command === 'sandbox') || selected.source !== 'default';
      if (needed || !(error instanceof PdiError)) throw error;
      return selectProfile(emptyConfig(this.configDirectory()), selected);
    }
  });

  /** What a setting is in this run. @throws UsageError for a bad value, naming where it came from */
  resolved<T>(setting: Setting<T>): Resolved<T> {
    return resolveSetting(setting, { flags: this.allFlags(), env: this.io.env, profile: this.profile() });
  }

  /** The same from flags and environment alone: for commands that change profiles, or make them. */
  withoutProfile<T>(setting: Setting<T>): Resolved<T> {
    return resolveSetting(setting, { flags: this.allFlags(), env: this.io.env });
  }

  setting<T>(setting: Setting<T>): T {
    return this.resolved(setting).value;
  }

  /** Whether rows go to standard output, not to a file. */
  readonly isForStdout = memoize((): boolean => this.flags.out === undefined || isStdout(this.flags.out));

  /** Whether rows are shown on a terminal, not written to a file or a pipe. */
  readonly isForTerminal = memoize((): boolean => this.io.stdout.isTTY === true && this.isForStdout());

  /** The flag decides, then the name of `--out`, the environment, the profile; else `table` on a terminal and `json` elsewhere. */
  readonly format = memoize((): OutputFormat => {
    // A query is about JSON: nobody who gives one means a table.
    const terminal = this.isForTerminal() && this.flags.query === undefined;
    const { value, source } = this.resolved(settings.output);
    const named = source === 'flag' ? undefined : formatOfName(this.flags.out);
    return named ?? value ?? (terminal ? 'table' : 'json');
  });

  /** Whether stderr carries one JSON object a failure: json was asked for, or is the default of a pipe. */
  readonly jsonErrors = memoize(() => {
    const format = this.format();
    const expected = this.io.stdout.isTTY !== true || this.setting(settings.output) !== undefined;
    return expected && isJsonFormat(format);
  });

  /** Calls `listener` at the first Ctrl-C. */
  onInterrupt(listener: () => void): void {
    if (this.stop.aborted) listener();
    else this.stop.addEventListener('abort', listener, { once: true });
  }

  /** What a command throws that Ctrl-C ends in good order: the exit code tells it all the same. */
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

  /** A remark on stderr, dropped by `--quiet`; one JSON object where errors are JSON. */
  notice(text: string): void {
    if (this.flags.quiet === true) return;
    this.writeStderr(this.jsonErrors() ? `${JSON.stringify({ notice: text })}\n` : `pdi: ${text}\n`);
  }

  /** From now on no message shows this key. */
  guardKey(key: string): void {
    this.parts.guardKey(key);
  }

  /** Writes to stderr as it is, keys taken out. */
  writeStderr(text: string): void {
    this.parts.writeStderr(text);
  }

  /** The base URL and key in force; with `--sandbox`, those of the service that this starts. */
  readonly service = memoize((): Promise<Service> => (this.sandboxed() ? sandboxService(this) : remoteService(this)));

  /** How calls are made. @throws UsageError for a value that no run takes */
  readonly callSettings = memoize(() => ({
    concurrency: this.setting(settings.concurrency),
    timeoutMs: Math.ceil(this.setting(settings.timeout) * 1000),
    retries: this.setting(settings.retries),
    maxWaitMs: this.setting(settings.maxWait) * 1000,
    rate: this.setting(settings.rate),
  }));

  readonly client = memoize(async (): Promise<Client> => {
    this.io.beforeConnecting?.();
    const { createClient } = await import('../client/client.ts');
    const { proxyFrom } = await import('../client/proxy.ts');
    const { baseUrl, key } = await this.service();
    const settings = this.callSettings();
    const client = await createClient({
      baseUrl,
      key,
      ...settings,
      beforeConnecting: () => this.io.limitLookup?.(Math.min(settings.timeoutMs, this.withinMs)),
      proxy: this.sandboxed() ? undefined : proxyFrom(this.io.env),
      userAgent: `pdi/${this.parts.version}`,
      stop: this.stop,
      log: this.flags.verbose === true ? (line) => this.writeStderr(`${cleanForTerminal(line)}\n`) : undefined,
      redact: this.redact,
      now: this.now,
      random: Math.random,
    });
    this.disposals.push(() => client.close());
    return client;
  });

  /** Something to close when the run is over; what was opened last is closed first. */
  onDispose(dispose: () => Promise<void>): void {
    this.disposals.push(dispose);
  }

  /** Closes connections and the sandbox, so that the process can end. */
  async dispose(): Promise<void> {
    for (const dispose of this.disposals.reverse()) await dispose();
  }

  /** Flags by name, for settings that are declared elsewhere. */
  private allFlags(): Readonly<Record<string, unknown>> {
    return { ...this.flags };
  }
}
