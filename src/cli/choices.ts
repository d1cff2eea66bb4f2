/** Reads what the flags, the environment and the profile choose, and gives it as the plain values of `road/plan.ts`. Nobody behind the commands sees a flag. */
import { join } from 'node:path';
import { normalBaseUrl } from '../config/base-url.ts';
import { configDirectory, stateDirectory } from '../config/location.ts';
import { emptyConfig, readConfig, selectProfile } from '../config/read-config.ts';
import {
  type Profile,
  type Resolved,
  resolveSetting,
  switchedOn,
  textOf,
  variable,
} from '../config/resolve.ts';
import { allSettings, type Setting, settings } from '../config/settings.ts';
import { isPostgresUrl, memoryBook } from '../config/values.ts';
import { attempt, shellWord } from '../errors.ts';
import { handlesLeft } from '../files/private.ts';
import type { Io } from '../io.ts';
import {
  formatOfName,
  isJsonFormat,
  isStdout,
  type OutputFormat,
  outputFormats,
} from '../output/formats.ts';
import type { CallRules, Plan, Rules, Show } from '../road/plan.ts';
import { memoize } from '../rows/memoize.ts';
import type { SandboxOptions } from '../sandbox/world.ts';
import type { Flags } from './root.ts';

type Program = Show['program'];

/** The texts that are made from all commands. Whoever starts the program brings them, because no command may load the others. */
interface Texts {
  helpText(
    argv: readonly string[],
    width: number,
    program?: readonly string[],
  ): Promise<string | undefined>;
  manual(version: string): Promise<string>;
  fieldsOf(words: string): readonly string[];
}

/** Any command in backquotes, because a book may be named in a profile too; but not those that are the same for all, or about a profile. */
const advised =
  /(?<=`|\| )pdi(?= (?!help|completion|convert|sandbox|config (?!check|list))[a-z])(?![\w -]*--help)/g;
const advisedOfProfile = /(?<=`)pdi(?= config (?:init|set|unset)[ `])/g;

/** A command that is advised asks whom this one asks: by itself it would ask, or change, what another profile names. */
export function adviceFor(flags: Readonly<Record<string, unknown>>, text: string): string {
  // A mistyped one may hold a password.
  const baseUrl = normalBaseUrl(flags.baseUrl);
  const ofProfile =
    flags.profile === undefined ? '' : ` --profile ${shellWord(String(flags.profile))}`;
  const ofService = `${flags.sandbox === true ? ' --sandbox' : ''}${baseUrl === undefined ? '' : ` --base-url ${shellWord(baseUrl)}`}`;
  return text
    .replaceAll(advisedOfProfile, () => `pdi${ofProfile}`)
    .replaceAll(advised, () => `pdi${ofProfile}${ofService}`);
}

/** Where nobody says how many, their number adapts to the service. */
const mostAtOnce = 16;

/** Files that a run opens beside its connections: book, journal, input, output, parts of the program. */
const handlesOfRun = 24;

export class Choices {
  constructor(
    readonly io: Io,
    readonly flags: Flags,
    readonly command: string,
    readonly argv: readonly string[],
    readonly texts: () => Promise<Texts>,
  ) {}

  readonly configDirectory = () => configDirectory(this.io);
  readonly config = () => readConfig(this.configDirectory());
  readonly selectedProfile = () => this.withoutProfile(settings.profile);

  /** The sandbox needs nothing from the file, so an unreadable one counts as empty there, unless a profile was chosen. */
  readonly profile = memoize((): Profile => {
    const named = this.selectedProfile();
    // The profile that is being made is not there yet, and one that was removed still has its calls in the book.
    const mayBeGone = this.command === 'config init' || this.command === 'spend';
    const selected: Resolved<string> = mayBeGone ? { ...named, source: 'default' } : named;
    const needsNoFile =
      (this.sandboxed() || this.command === 'sandbox') && selected.source === 'default';
    const config = needsNoFile ? attempt(this.config) : this.config();
    return selectProfile(config ?? emptyConfig(this.configDirectory()), selected);
  });

  resolved<T>(setting: Setting<T>): Resolved<T> {
    return resolveSetting(setting, this.flags, this.io.env, this.profile());
  }

  withoutProfile<T>(setting: Setting<T>): Resolved<T> {
    return resolveSetting(setting, this.flags, this.io.env);
  }

  setting<T>(setting: Setting<T>): T {
    return this.resolved(setting).value;
  }

  readonly sandboxed = memoize(
    () => this.flags.sandbox === true || switchedOn(this.io.env, 'PDI_SANDBOX'),
  );

  /** The flag decides, then the name of `--out`, the environment, the profile. The default is `table` on a terminal, else `json`. */
  format(program?: Program): OutputFormat {
    // A query needs JSON, so a table cannot be the default.
    const terminal = this.isForTerminal(program) && this.flags.query === undefined;
    const { value, source } = this.resolved(settings.output);
    const named = source === 'flag' ? undefined : formatOfName(this.flags.out);
    return named ?? value ?? (terminal ? 'table' : 'json');
  }

  readonly expectsJson = memoize(() => {
    const stored = attempt(() => textOf(this.profile(), settings.output.name));
    return expectsJson(this.flags, this.io, stored);
  });

  jsonErrors(): boolean {
    return this.flags.errors === undefined ? this.expectsJson() : this.flags.errors === 'json';
  }

  show(program?: Program): Show {
    const { command, flags } = this;
    const { out, force = false, quiet = false, failIfEmpty = false } = flags;
    const { fields, explode, where, query, withInput = false } = flags;
    const { header, delimiter, bom = false, formulaGuard, textIds = false } = flags;
    const isForTerminal = this.isForTerminal(program);
    const place = { out, force, program, isForStdout: this.isForStdout(program), isForTerminal };
    const form = {
      format: this.format(program),
      fields,
      explode,
      where,
      query,
      withInput,
      header,
      delimiter,
      bom,
      formulaGuard,
      textIds,
    };
    const { env } = this.io;
    // With `--errors json` a program reads stderr. `-o json` alone does not say so: a person may watch while stdout goes to a file.
    const showsProgress =
      !quiet && flags.errors !== 'json' && env.TERM !== 'dumb' && !isForTerminal;
    const pager = isForTerminal && env.TERM !== 'dumb' ? variable(env, 'PAGER') : undefined;
    return {
      command,
      ...place,
      ...form,
      pager,
      showsProgress,
      color: wantsColor(flags.color, env, isForTerminal),
      quiet,
      failIfEmpty,
    };
  }

  /** Looked at once: what the run itself opens is no reason for fewer. */
  readonly handlesLeft = memoize(() => handlesLeft() ?? Number.POSITIVE_INFINITY);

  private mostConnections(): number {
    const left = this.handlesLeft() - handlesOfRun;
    return Math.max(1, Math.floor(left / (this.sandboxed() ? 2 : 1)));
  }

  calls(): CallRules {
    const { value, source } = this.resolved(settings.concurrency);
    const concurrency = Math.min(value, this.mostConnections());
    const most = Math.min(mostAtOnce, this.mostConnections());
    const atOnce =
      source === 'default' ? { concurrency: most, startsWith: concurrency } : { concurrency };
    return {
      ...atOnce,
      timeoutMs: Math.ceil(this.setting(settings.timeout) * 1000),
      retries: this.setting(settings.retries),
      maxWaitMs: this.setting(settings.maxWait) * 1000,
      rate: this.setting(settings.rate),
    };
  }

  readonly limits = () => this.setting(settings.budget);

  readonly refuseUnknownProfile = () => selectProfile(this.config(), this.selectedProfile());

  /** Patience is long enough for a call of another run to be answered. @throws UsageError without a home, or for a bad setting */
  bookPlace(named = this.setting(settings.book)) {
    const { timeoutMs, maxWaitMs } = this.calls();
    const path = named ?? join(stateDirectory(this.io), 'book.db');
    const isOnServer = isPostgresUrl(path);
    const patienceMs = isOnServer ? maxWaitMs : timeoutMs + maxWaitMs;
    const isNamed = named !== undefined;
    const inMemory =
      path === memoryBook
        ? ('always' as const)
        : this.sandboxed() && !isNamed
          ? ('without SQLite' as const)
          : undefined;
    return { path, isOnServer, isNamed, inMemory, patienceMs };
  }

  /** A bad setting ends a run, and its plan, before the first call: not after the last row. @throws UsageError */
  rules(): Rules {
    const { fresh = false, retryUnknown = false, restart = false, onError, tag } = this.flags;
    const [cap, limits] = [this.setting(settings.maxBillable), this.limits()];
    this.setting(settings.account);
    const book = this.resolved(settings.book);
    const maxAge = this.resolved(settings.maxAge);
    const isKept =
      book.value !== memoryBook &&
      (!this.sandboxed() || maxAge.source === 'flag' || book.source === 'environment');
    return {
      cap,
      limits,
      fresh,
      retryUnknown,
      restart,
      stopOnError: onError === 'stop',
      goesOnError: onError === 'continue',
      maxAge: maxAge.value,
      keepVersions: this.setting(settings.keepVersions),
      keptFor: isKept ? maxAge.value.milliseconds : 0,
      profile: this.selectedProfile().value,
      tag,
    };
  }

  plan(program?: Program): Plan {
    return {
      isDry: this.isDry,
      show: this.show(program),
      rules: this.rules(),
      calls: this.calls(),
    };
  }

  /** `config init` checks the key that it just stored, even if an environment variable holds another. */
  keyPlaces() {
    const profileFlag = this.selectedProfile().source === 'flag' || this.command === 'config init';
    return {
      env: this.io.env,
      profileFlag,
      profile: this.profile(),
      baseUrl: this.setting(settings.baseUrl),
    };
  }

  sandboxOptions(): SandboxOptions {
    const { people, seed, today, credits, rateLimit, latency, outOfCreditsStatus, fault } =
      this.flags;
    return { people, seed, today, credits, rateLimit, latency, outOfCreditsStatus, fault };
  }

  get isDry(): boolean {
    return this.flags.dryRun === true;
  }

  /** A bad value is a mistake also where the command has no use for its flag. @throws UsageError */
  refuseBadFlags(): void {
    for (const setting of allSettings) resolveSetting(setting, this.flags, {});
  }

  private isForStdout(program: Program): boolean {
    return program === undefined && (this.flags.out === undefined || isStdout(this.flags.out));
  }

  private isForTerminal(program: Program): boolean {
    return this.io.stdout.isTTY === true && this.isForStdout(program);
  }
}

/** It cannot fail, because failures are told by it: what is no format decides nothing. `stored` is the format in the profile. */
export function expectsJson(
  { output, out }: { readonly output?: unknown; readonly out?: unknown },
  { env, stdout }: Io,
  stored?: string,
): boolean {
  const asked = String(output ?? variable(env, settings.output.environment) ?? stored)
    .trim()
    .toLowerCase();
  const format = outputFormats.find((known) => known === asked);
  const named = output === undefined && typeof out === 'string' ? formatOfName(out) : undefined;
  return (format !== undefined || stdout.isTTY !== true) && isJsonFormat(named ?? format ?? 'json');
}

/** The order is: flag, `NO_COLOR`, `FORCE_COLOR` (`0` and `false` mean off), `TERM=dumb`, terminal. Empty variables are ignored. */
export function wantsColor(flag: boolean | undefined, env: Io['env'], isTTY: boolean): boolean {
  if (flag !== undefined) return flag;
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return isTTY && env.TERM !== 'dumb';
}
