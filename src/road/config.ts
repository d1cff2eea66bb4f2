/** `pdi config init` stores base URL and key; `pdi config check` says what stands before an answer. Both ask free questions alone. */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Client } from '../client/client.ts';
import { askHidden, askLine } from '../config/ask.ts';
import { checkBaseUrl, normalBaseUrl, parseBaseUrl } from '../config/base-url.ts';
import { setValue } from '../config/change.ts';
import { findKey } from '../config/key.ts';
import { maskKey } from '../config/mask.ts';
import { configFile, readConfig, unknownNames } from '../config/read-config.ts';
import { type Setting, settings } from '../config/settings.ts';
import { memoryBook, parseKey } from '../config/values.ts';
import { checkHealth } from '../contract/health.ts';
import { listCompanyLists } from '../contract/lists.ts';
import {
  attempt,
  listed,
  orFailureUnlessStopped,
  PdiError,
  pluralize,
  shellWord,
  UsageError,
} from '../errors.ts';
import { mayBeThere } from '../files/private.ts';
import { sqliteEngine } from '../files/sqlite.ts';
import type { JsonObject } from '../json/exact.ts';
import { printRows, reportColumns } from './delivery.ts';
import { printPlan } from './dry-run.ts';
import { reportIn } from './health.ts';
import type { Plan, Rules, Show } from './plan.ts';
import { formatting } from './shape.ts';
import { knownBudgetUse } from './spending.ts';
import { describeUse } from './summary.ts';
import type { Tools } from './tools.ts';

const healthOf = (client: Promise<Client>) =>
  orFailureUnlessStopped(async () =>
    reportIn(await (await client).call(checkHealth, { path: {} })),
  );

const companyListsOf = (client: Promise<Client>) =>
  orFailureUnlessStopped(
    async () => (await (await client).call(listCompanyLists, { path: {} })).records,
  );

interface Initialised {
  readonly directory: string;
  readonly profile: string;
  /** As a flag or a variable has it; asked for otherwise. */
  readonly baseUrl: string | undefined;
  readonly allowsHttp: boolean;
  readonly timeoutMs: number;
}

/** @throws UsageError with the sandbox, without a terminal, or for a malformed key, PdiError `auth` for a refused one; what is stored then stays */
export async function initialise(
  { directory, profile, ...given }: Initialised,
  tools: Tools,
): Promise<void> {
  const { say } = tools;
  if (tools.isSandbox) {
    throw new UsageError(
      'pdi config init is about the real service: the sandbox needs no base URL and no key',
      {
        item: '--sandbox',
        hint: 'leave --sandbox out, and unset PDI_SANDBOX',
      },
    );
  }
  if (!tools.mayAsk) {
    throw new UsageError('config init needs a terminal', {
      hint: 'in a script: `pdi config set base-url URL`, then `pdi config set api-key -`',
    });
  }
  // Nobody waits at a question for what may pass; the profile is about to change.
  const once = {
    concurrency: 1,
    timeoutMs: given.timeoutMs,
    retries: 0,
    maxWaitMs: 0,
    rate: undefined,
  };
  const clientOf = (baseUrl: string, key = '') =>
    tools.clientOf({ baseUrl, key: async () => key }, once);
  const offered = () =>
    normalBaseUrl(readConfig(directory).profiles.get(profile)?.values[settings.baseUrl.name]);
  const asked = () => askBaseUrl(tools, offered(), given.allowsHttp, clientOf);
  const baseUrl =
    given.baseUrl === undefined ? await asked() : checkBaseUrl(given.baseUrl, given.allowsHttp);
  // Whoever has to look for the key finds the URL there.
  await setValue({ directory, profile, name: 'base-url', text: baseUrl });
  const key = await askKey(
    tools,
    baseUrl,
    storedKey(directory, profile, baseUrl, 'api-key'),
    clientOf,
  );
  await setValue({ directory, profile, name: 'api-key', text: key });
  say.notice(
    `stored base-url ${baseUrl} and api-key ${maskKey(key)} in profile ${profile} of ${configFile(directory)}`,
  );
  if (storedKey(directory, profile, baseUrl, 'key-command') !== undefined) {
    say.notice(
      `profile ${profile} has a key-command, which comes before its key: pdi config unset key-command removes it`,
    );
  }
  await askSetting(
    tools,
    { directory, profile },
    settings.maxAge,
    'Keep bought answers for (such as 30d or 12h; 0 turns it off',
  );
  await askSetting(
    tools,
    { directory, profile },
    settings.budget,
    'Budget of calls that may be billed (such as 5000/month or 200/day',
  );
  say.notice(
    'next: `pdi resolve -i FILE --out ids.csv` finds people (free), `pdi person -i ids.csv --dry-run` says what they cost',
  );
}

/** What the profile has for this URL, where that is of this kind. */
function storedKey(
  directory: string,
  profile: string,
  baseUrl: string,
  kind: 'api-key' | 'key-command',
): string | undefined {
  const stored = readConfig(directory).profiles.get(profile);
  const found = stored && findKey({ env: {}, profileFlag: true, profile: stored, baseUrl });
  return found?.source === kind ? found.text : undefined;
}

const mostKeys = 3;

/** Asks until a key is one and is not refused. An empty answer keeps the one that is stored for this URL. @throws the last refusal */
async function askKey(
  { io, stop, say }: Tools,
  baseUrl: string,
  stored: string | undefined,
  clientOf: (baseUrl: string, key: string) => Promise<Client>,
): Promise<string> {
  const offer = stored === undefined ? '' : `; Enter keeps ${maskKey(stored)}`;
  for (let times = 1; ; times += 1) {
    const answer = await askHidden(io, `API key (not shown${offer}): `, stop);
    const key = await orFailureUnlessStopped(async () =>
      answer.trim() === '' && stored !== undefined ? stored : parseKey(answer),
    );
    if (!(key instanceof PdiError)) say.guardKey(key);
    const refusal = key instanceof PdiError ? key : await refusalOf(key, baseUrl, clientOf);
    if (!(key instanceof PdiError) && refusal === undefined) return key;
    if (refusal !== undefined && times === mostKeys) throw refusal;
    say.notice(`${refusal?.message}: once more`);
  }
}

/** Asks until a value is one, and stores it. An empty answer stores nothing. */
async function askSetting(
  { io, stop, say }: Tools,
  place: Pick<Initialised, 'directory' | 'profile'>,
  { name, parse, fallback }: Setting<unknown>,
  question: string,
): Promise<void> {
  const kept = readConfig(place.directory).profiles.get(place.profile)?.values[name] ?? fallback;
  while (true) {
    const text = (await askLine(io, `${question}; Enter keeps ${kept}): `, stop)).trim();
    if (text === '') return;
    const value = await orFailureUnlessStopped(async () => parse(text));
    if (value instanceof PdiError) say.notice(`${value.message}: once more`);
    else {
      await setValue({ ...place, name, text });
      return say.notice(`stored ${name} ${text}`);
    }
  }
}

/** Any other failure leaves open whether the key is good; the check that follows tells of it. */
async function refusalOf(
  key: string,
  baseUrl: string,
  clientOf: (baseUrl: string, key: string) => Promise<Client>,
) {
  const found = await companyListsOf(clientOf(baseUrl, key));
  if (!(found instanceof PdiError) || found.details.status !== 401) return undefined;
  const hint = 'run `pdi config init` again with a good key';
  return new PdiError('auth', `${baseUrl} refused the key ${maskKey(key)}, which is not stored`, {
    ...found.details,
    hint,
  });
}

/** Asks until a URL is well formed and the service answers there. An empty answer keeps the URL that is offered, answered or not. */
async function askBaseUrl(
  { io, stop, say }: Tools,
  stored: string | undefined,
  allowsHttp: boolean,
  clientOf: (baseUrl: string) => Promise<Client>,
): Promise<string> {
  let offered = stored;
  while (true) {
    const example = 'the versioned root such as https://HOST/api/v1';
    const answer = await askLine(
      io,
      `Base URL, ${offered === undefined ? example : `Enter keeps ${offered}`}: `,
      stop,
    );
    const chosen = async () =>
      answer.trim() === '' && offered !== undefined ? offered : parseBaseUrl(answer);
    const baseUrl = await orFailureUnlessStopped(async () =>
      checkBaseUrl(await chosen(), allowsHttp),
    );
    if (baseUrl instanceof PdiError) {
      say.notice(
        baseUrl.details.hint === undefined
          ? baseUrl.message
          : `${baseUrl.message}; ${baseUrl.details.hint}`,
      );
      continue;
    }
    const silence = baseUrl === offered ? undefined : silenceOf(await healthOf(clientOf(baseUrl)));
    if (silence === undefined) return baseUrl;
    say.notice(`no service answers at ${baseUrl}: ${silence}`);
    // Some gateways block the path that was asked, so whoever gives the same URL again has it.
    offered = baseUrl;
  }
}

function silenceOf(health: JsonObject | PdiError): string | undefined {
  if (!(health instanceof PdiError)) return undefined;
  const { status = 0 } = health.details;
  return status >= 400 && status !== 404 ? undefined : health.message;
}

const findingColumns = reportColumns({ check: 'text', status: 'text', detail: 'text' }).map(
  (column) => ({
    ...column,
    isWhole: column.name === 'detail',
  }),
);

export async function planConfigCheck(plan: Plan, tools: Tools): Promise<void> {
  await formatting(plan.show, tools, { columns: findingColumns });
  const calls = [checkHealth, listCompanyLists].map((endpoint) => ({
    endpoint,
    request: { path: {} },
  }));
  await printPlan(plan, tools, calls, { omitted: 0 });
}

interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  readonly failure?: PdiError;
}

interface ConfigCheck {
  /** That of the configuration. */
  readonly directory: string;
  readonly version: string;
  readonly nodeVersion: string;
  /** @throws UsageError for a value that is no setting */
  readonly rules: () => Rules;
  readonly before?: (() => Promise<void>) | undefined;
}

/** Prints all findings. @throws PdiError after the report: a bad key first, otherwise the first failure */
export async function runConfigCheck(show: Show, tools: Tools, check: ConfigCheck): Promise<void> {
  let failures: readonly PdiError[] = [];
  await printRows(show, tools, findingColumns, async () => {
    await check.before?.();
    const files = await fileFinding(check, tools.io.platform);
    const findings = [
      { check: 'pdi', status: 'ok', detail: check.version } as Finding,
      await nodeFinding(check.nodeVersion),
      files,
    ];
    findings.push(
      await bookFinding(tools),
      await proxyFinding(tools),
      ...(files.status === 'fail' ? [] : [await moneyFinding(check, tools)]),
    );
    const baseUrl = await findingOf('base URL', async () => (await tools.service()).baseUrl);
    findings.push(baseUrl, ...(baseUrl.failure === undefined ? await serviceFindings(tools) : []));
    failures = findings.flatMap(({ failure }) => failure ?? []);
    return findings.map(({ check, status, detail }) => ({ check, status, detail }));
  });
  const failure = failures.find(({ code }) => code === 'auth') ?? failures[0];
  if (failure !== undefined) throw failure;
}

async function nodeFinding(version: string): Promise<Finding> {
  const warning = (problem: string): Finding => ({
    check: 'node',
    status: 'warn',
    detail: `${version}; ${problem}`,
  });
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < 20 || major === 21 || (major === 20 && minor < 19))
    return warning('pdi needs Node 20.19, or 22 and later');
  const engine = await orFailureUnlessStopped(sqliteEngine);
  if (engine instanceof PdiError) return failing('node', engine);
  return { check: 'node', status: 'ok', detail: version };
}

/** A bad setting would refuse the next command. */
async function fileFinding({ directory, rules }: ConfigCheck, platform: string): Promise<Finding> {
  const [check, file] = ['configuration', configFile(directory)];
  const config = await orFailureUnlessStopped(async () => {
    rules();
    return readConfig(directory);
  });
  if (config instanceof PdiError) return failing(check, config);
  if (!existsSync(file))
    return { check, status: 'ok', detail: `${file} does not exist: nothing is stored` };
  const isOpen = platform !== 'win32' && (statSync(file).mode & 0o077) !== 0;
  if (isOpen)
    return {
      check,
      status: 'warn',
      detail: `${file} can be read by others: chmod 600 ${shellWord(file)}`,
    };
  const unknown = unknownNames(config);
  if (unknown.length > 0)
    return {
      check,
      status: 'warn',
      detail: `${file} names settings that pdi does not have: ${listed(unknown)}`,
    };
  return { check, status: 'ok', detail: file };
}

/** To open it is to find out whether it can be written and locked. One that is not there is not made for a check. */
const bookFinding = ({ book }: Tools): Promise<Finding> =>
  findingOf('book', async () => {
    const opened = await book.ifThere();
    if (opened === undefined) return placeOfNewBook(book.path);
    const found = await opened.check();
    return `${opened.path}: ${found}, ${pluralize(await opened.reports.answersThere(), 'answer')}`;
  });

/** @throws PdiError `internal` where none can be made */
function placeOfNewBook(path: string): string {
  if (path === memoryBook)
    return 'in memory: the next command knows nothing of what this one bought';
  let folder = dirname(path);
  while (!mayBeThere(folder)) folder = dirname(folder);
  const isUsable =
    attempt(
      () => statSync(folder).isDirectory() && accessSync(folder, constants.W_OK) === undefined,
    ) === true;
  if (isUsable) return `${path} is not there yet: the first call that may be billed makes it`;
  throw new PdiError(
    'internal',
    `the book ${path} cannot be made: nothing can be written in ${folder}`,
    {
      billed: 'no',
      hint: 'name another place with `pdi config set book FILE` or PDI_BOOK',
    },
  );
}

const moneyFinding = ({ rules }: ConfigCheck, tools: Tools): Promise<Finding> =>
  findingOf('money', async () => {
    const { cap, limits, maxAge, keptFor } = rules();
    const uses = await knownBudgetUse(limits, tools);
    const budget =
      uses === undefined
        ? [`budget: ${limits}`]
        : uses.length === 0
          ? ['no budget']
          : uses.map(describeUse);
    const most = cap === 'unlimited' ? 'no cap' : `cap: ${pluralize(cap, 'call')} a run`;
    const kept = keptFor === 0 ? 'no answer is kept' : `answers are kept ${maxAge}`;
    return [most, ...budget, kept].join('; ');
  });

const proxyFinding = ({ childEnvironment, service }: Tools): Promise<Finding> =>
  findingOf('proxy', async () => {
    const { proxyFrom } = await import('../client/connections.ts');
    const { httpProxy, httpsProxy, noProxy } = proxyFrom(childEnvironment) ?? {};
    const found = await orFailureUnlessStopped(service);
    const isPlain = !(found instanceof PdiError) && found.baseUrl.startsWith('http:');
    const address = isPlain ? httpProxy : httpsProxy;
    if (address === undefined) return 'none';
    const { protocol, host } = new URL(address);
    return `${protocol}//${host}${noProxy === undefined ? '' : `, but not for ${noProxy}`}`;
  });

/** Checks connection, stores and key. A failed health check alone is a warning, because some gateways block its path. */
async function serviceFindings(tools: Tools): Promise<readonly Finding[]> {
  const key = await findingOf(
    'key',
    async () => `${maskKey(await (await tools.service()).key())} found`,
  );
  const [health, lists] = await Promise.all([
    healthOf(tools.client()),
    key.failure === undefined ? permissionsFinding(tools) : undefined,
  ]);
  return [
    connectionFinding(health, lists),
    ...storeFindings(health),
    key,
    ...(lists === undefined ? [] : [lists]),
  ];
}

async function permissionsFinding({ client }: Tools): Promise<Finding> {
  const check = 'permissions';
  const lists = await companyListsOf(client());
  if (!(lists instanceof PdiError)) {
    const shared = `${pluralize(lists.length, 'company list')} ${lists.length === 1 ? 'is' : 'are'} shared with it`;
    return { check, status: 'ok', detail: `the key is good; ${shared}` };
  }
  if (lists.code !== 'auth') return failing(check, lists);
  // The usual hint for a refused key is to run this same command.
  const hint =
    lists.details.status === 403
      ? 'ask for a key that may list company lists, or set another with `pdi config set api-key`'
      : 'set another key with `pdi config set api-key`; `pdi config list` shows where this one comes from';
  return failing(check, lists.with({ hint }));
}

/** If both questions got no answer, the failure of the key's question gives the reason. */
function connectionFinding(health: JsonObject | PdiError, lists: Finding | undefined): Finding {
  const check = 'connection';
  const failures = [
    health instanceof PdiError ? health : undefined,
    ...(lists === undefined ? [] : [lists.failure]),
  ];
  // An answer with an error status also shows that the service answers.
  const isReached = failures.some(
    (failure) => failure === undefined || failure.details.status !== undefined,
  );
  if (health instanceof PdiError && !isReached) return failing(check, lists?.failure ?? health);
  if (health instanceof PdiError || health.status === 'OK')
    return { check, status: 'ok', detail: 'the service answers' };
  return {
    check,
    status: 'warn',
    detail: `the service answers, and reports its status as ${health.status}`,
  };
}

function storeFindings(health: JsonObject | PdiError): readonly Finding[] {
  const unknown = health instanceof PdiError ? `not known: ${health.message}` : 'not reported';
  const stores: JsonObject = health instanceof PdiError ? {} : health;
  return (['relational', 'analytics'] as const).map((name) => {
    const status = stores[`${name}_store`];
    return {
      check: `${name} store`,
      status: status === 'OK' ? 'ok' : 'warn',
      detail: typeof status === 'string' ? status : unknown,
    };
  });
}

async function findingOf(check: string, find: () => Promise<string>): Promise<Finding> {
  const found = await orFailureUnlessStopped(find);
  return found instanceof PdiError ? failing(check, found) : { check, status: 'ok', detail: found };
}

const failing = (check: string, failure: PdiError): Finding => ({
  check,
  status: 'fail',
  detail: failure.message,
  failure,
});
