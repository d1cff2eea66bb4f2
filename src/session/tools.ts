/** Makes the tools of a run: the service in its settings, or a sandbox with invented data, and a client of it. */
import { resolve } from 'node:path';
import type { BookPlace } from '../book/book.ts';
import { adviceFor, type Choices } from '../cli/choices.ts';
import type { Client } from '../client/client.ts';
import type { SharedPace } from '../client/rate-limiter.ts';
import { checkBaseUrl, isLoopback } from '../config/base-url.ts';
import type { KeylessStderr } from '../config/mask.ts';
import { variable } from '../config/resolve.ts';
import { settings } from '../config/settings.ts';
import { isPostgresUrl, parseBookName, readAt } from '../config/values.ts';
import { interruption, pluralize, UsageError } from '../errors.ts';
import { withoutKeys } from '../files/child-process.ts';
import { mayBeThere } from '../files/private.ts';
import type { Io } from '../io.ts';
import { cleanForTerminal, cleanLine } from '../output/clean.ts';
import type { CallRules } from '../road/plan.ts';
import type { RunCost } from '../road/report.ts';
import type { Say, Service, Tools } from '../road/tools.ts';
import { memoize } from '../rows/memoize.ts';

type OpenSharedPace = (mayCreate: boolean) => Promise<SharedPace | undefined>;

export class SessionTools implements Tools {
  readonly io: Tools['io'];
  readonly say: Say;
  runCost: RunCost | undefined;
  private readonly closings: (() => Promise<void>)[] = [];

  constructor(
    private readonly choices: Choices,
    stderr: KeylessStderr,
    readonly stop: AbortSignal,
    readonly version: string,
  ) {
    const { io } = choices;
    this.io = io;
    this.say = sayOf(choices, stderr);
  }

  /** Streams open at their first use, and standard input may be another program's. */
  get mayAsk(): boolean {
    return mayAsk(this.choices.io, !this.choices.flags.input);
  }

  get inCi(): boolean {
    return inCi(this.choices.io);
  }

  readonly tellOfNewBook = memoize(async () => {
    const { path } = await this.book.open();
    if (this.inCi && !this.isSandbox && this.book.isNew)
      this.say.notice(
        `the book was just made (${path}): on a machine that is new each time, budget, bookmarks and what was bought begin anew; keep it from run to run, as \`pdi help ci\` shows`,
      );
  });

  get childEnvironment(): Tools['childEnvironment'] {
    return withoutKeys(this.choices.io.env, (text) => this.say.redact(text) !== text);
  }

  readonly service = memoize(
    (): Promise<Service> => (this.choices.sandboxed() ? this.sandbox() : this.remote()),
  );

  readonly book = this.bookOfRun();

  get isSandbox(): boolean {
    return this.choices.sandboxed();
  }

  readonly client = memoize(
    async (): Promise<Client> =>
      this.clientOf(await this.service(), this.choices.calls(), (mayCreate) =>
        this.sharedPace(mayCreate),
      ),
  );

  async clientOf(
    { baseUrl, key }: Pick<Service, 'baseUrl' | 'key'>,
    calls: CallRules,
    sharedPace?: OpenSharedPace,
  ) {
    const { io, flags } = this.choices;
    io.beforeConnecting?.();
    const { createClient } = await import('../client/client.ts');
    const client = await createClient({
      baseUrl,
      key,
      ...calls,
      sharedPace,
      beforeConnecting: () => io.limitLookup?.(calls.timeoutMs),
      proxy: await this.proxyTo(baseUrl),
      userAgent: `pdi/${this.version}`,
      stop: this.stop,
      onFinishing: (calls) =>
        this.say.notice(
          `stopping: waiting for ${pluralize(calls, 'call')} under way; Ctrl-C again ends at once, and the answers are lost`,
        ),
      log:
        flags.verbose === true
          ? (line) => this.say.write(`${cleanForTerminal(line)}\n`)
          : undefined,
      // Hidden characters could split the key in the text, so they are removed before the key is masked.
      redactLine: (line) => this.say.redact(cleanLine(line)),
      now: performance.now.bind(performance),
      random: Math.random,
    });
    this.atEnd(() => client.close());
    return client;
  }

  /** A sandbox of this process has no other caller. */
  private async sharedPace(mayCreate: boolean): Promise<SharedPace | undefined> {
    const book = this.choices.sandboxed()
      ? undefined
      : await (mayCreate ? this.book.open() : this.book.ifThere());
    if (book === undefined) return undefined;
    const pace = book.sharedPace(await this.owner());
    if (pace !== undefined) this.atEnd(() => pace.close());
    return pace;
  }

  /** A proxy elsewhere would carry what http:// may send to this machine alone, the key with it, over the network in the clear. */
  private async proxyTo(baseUrl: string) {
    if (this.choices.sandboxed()) return undefined;
    const { proxyFrom } = await import('../client/connections.ts');
    const proxy = proxyFrom(this.choices.io.env);
    const leavesInClear =
      baseUrl.startsWith('http:') && proxy?.httpProxy !== undefined && !isLoopback(proxy.httpProxy);
    return leavesInClear && this.choices.flags.allowHttp !== true ? undefined : proxy;
  }

  readonly owner = async () => {
    const { identity: baseUrl, key } = await this.service();
    return { baseUrl, account: this.choices.setting(settings.account), key: await key() };
  };

  readonly atEnd = (close: () => Promise<void>): void => {
    this.closings.push(close);
  };

  async close(): Promise<void> {
    for (const close of this.closings.reverse()) await close();
  }

  readonly interrupted = () =>
    interruption(`${this.choices.command} was stopped`, { rerun: 'run it again to go on' });

  readonly bookAt = (name: string) => {
    const path = parseBookName(name);
    return this.bookOfRun(isPostgresUrl(path) ? path : resolve(this.io.currentDirectory(), path));
  };

  private bookOfRun(named?: string): Tools['book'] {
    // Each row asks whether it is far.
    const place = memoize((): BookPlace => {
      const { env: variables, platform, homeDirectory: home } = this.choices.io;
      const { isOnServer, ...where } = this.choices.bookPlace(named);
      const server = isOnServer && { server: { variables, platform, home } };
      return { ...where, ...server, notice: this.say.notice, clock: Date.now };
    });
    let isOpen = false;
    let isNew = false;
    const open = memoize(async () => {
      const { openBook } = await import('../book/open-book.ts');
      isNew = !isThere();
      const book = await openBook(place());
      isOpen = true;
      this.atEnd(() => book.close());
      return book;
    });
    const isFar = () => place().server !== undefined;
    const isThere = () =>
      isOpen || isFar() || (place().inMemory !== 'always' && mayBeThere(place().path));
    return {
      get path() {
        return place().path;
      },
      get isFar() {
        return isFar();
      },
      get isNew() {
        return isNew;
      },
      isThere,
      open,
      ifThere: async () => (isThere() ? open() : undefined),
    };
  }

  private async remote(): Promise<Service> {
    const { value: baseUrl, where } = this.choices.resolved(settings.baseUrl);
    if (baseUrl === undefined) {
      throw new UsageError('no base URL is set', {
        hint: 'run `pdi config init`, or pass --base-url https://HOST/api/v1, or set PDI_BASE_URL; --sandbox needs none',
      });
    }
    readAt(where, () => checkBaseUrl(baseUrl, this.choices.flags.allowHttp === true));
    return { baseUrl, identity: baseUrl, key: memoize(() => this.keyFor(where)) };
  }

  private async keyFor(where: string): Promise<string> {
    const { resolveKey } = await import('../config/key.ts');
    const { key, source } = await resolveKey({ ...this.choices.keyPlaces(), stop: this.stop });
    this.say.guardKey(key);
    this.say.detail(`base URL from ${where}, key from ${source}`);
    return key;
  }

  /** The sandbox never sees a stored key. It uses its own full key, or another of its own that `PDI_API_KEY` names. */
  private async sandbox(): Promise<Service> {
    if (this.choices.resolved(settings.baseUrl).source === 'flag') {
      throw new UsageError('--sandbox and --base-url exclude each other', {
        hint: 'drop one of them',
      });
    }
    const { startSandbox } = await import('../sandbox/server.ts');
    const options = this.choices.sandboxOptions();
    const sandbox = await startSandbox(options);
    this.atEnd(() => sandbox.stop());
    const { keys, baseUrl, today } = sandbox;
    const chosen =
      Object.values(keys).find((key) => key === this.choices.io.env.PDI_API_KEY) ?? keys.full;
    this.say.notice(
      `sandbox: invented data as of ${today()}, served inside this process (${new URL(baseUrl).host})`,
    );
    const identity = `http://sandbox.invalid/people-${options.people ?? 'default'}/seed-${options.seed ?? 'default'}`;
    return { baseUrl, identity, key: async () => chosen };
  }
}

const inCi = ({ env }: Pick<Io, 'env'>): boolean => variable(env, 'CI') !== undefined;

export function mayAsk(io: Pick<Io, 'stdin' | 'stdout' | 'env'>, noInput: boolean): boolean {
  return !noInput && io.stdin.isTTY === true && io.stdout.isTTY === true && !inCi(io);
}

function sayOf(choices: Choices, { write, redact, guardKey }: KeylessStderr): Say {
  const { quiet, verbose } = choices.flags;
  const advice = (text: string) => adviceFor(choices.flags, text);
  return {
    isJson: () => choices.jsonErrors(),
    expectsJson: () => choices.expectsJson(),
    notice(remark) {
      if (quiet === true) return;
      const text = cleanForTerminal(advice(remark));
      write(choices.jsonErrors() ? `${JSON.stringify({ notice: text })}\n` : `pdi: ${text}\n`);
    },
    advice,
    write,
    detail(line) {
      if (verbose === true) write(`* ${line}\n`);
    },
    redact,
    guardKey,
  };
}
