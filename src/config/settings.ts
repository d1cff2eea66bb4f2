/** Declares every setting once. Root options, environment, profiles, `pdi config` and the help topic "environment" come from this list. */
import { programWords } from '../files/child-process.ts';
import { type OutputFormat, outputFormats } from '../output/formats.ts';
import { parseBaseUrl } from './base-url.ts';
import {
  type Age,
  type BudgetLimits,
  decimal,
  maxSeconds,
  oneOf,
  parseAccountName,
  parseAge,
  parseBookPath,
  parseBudget,
  parseKey,
  parseProfileName,
  seconds,
  secondsAboveZero,
  wholeNumberReader,
} from './values.ts';

export interface Setting<T> {
  readonly name: string;
  /** It is in Commander's syntax. The value must reach `resolveSetting` as the text that was typed. */
  readonly flag?: string;
  readonly environment?: string;
  readonly unstored?: true;
  readonly description: string;
  readonly group: 'Profile' | 'Output' | 'Money' | 'Jobs' | 'Network';
  /** @throws UsageError that says what was expected, but not where the text came from */
  parse(text: string): T;
  readonly fallback: T;
}

const setting = <T>(name: string, declaration: Omit<Setting<T>, 'name'>): Setting<T> => ({
  name,
  ...declaration,
});

const optional = <T>(
  name: string,
  declaration: Omit<Setting<T | undefined>, 'name' | 'fallback'>,
): Setting<T | undefined> => setting<T | undefined>(name, { ...declaration, fallback: undefined });

const billableCount = wholeNumberReader({ expected: "a whole number of calls, or 'unlimited'" });

export const settings = {
  profile: setting<string>('profile', {
    flag: '--profile <name>',
    environment: 'PDI_PROFILE',
    unstored: true,
    description: 'profile of the configuration to use',
    group: 'Profile',
    parse: parseProfileName,
    fallback: 'default',
  }),
  baseUrl: optional<string>('base-url', {
    flag: '--base-url <url>',
    environment: 'PDI_BASE_URL',
    description: 'versioned root of the service, such as https://HOST/api/v1',
    group: 'Network',
    parse: parseBaseUrl,
  }),
  /** It has no flag and no variable, because key.ts decides where keys come from. */
  apiKey: optional<string>('api-key', {
    description: 'API key, asked for without echo; belongs to the base URL of its profile',
    group: 'Profile',
    parse: parseKey,
  }),
  keyCommand: optional<readonly string[]>('key-command', {
    description: 'program whose output is the API key, run without a shell',
    group: 'Profile',
    parse: (text) => programWords(text, 'it'),
  }),
  output: optional<OutputFormat>('output', {
    flag: '-o, --output <format>',
    environment: 'PDI_OUTPUT',
    description: `${outputFormats.join(', ')}; without -o: the name of --out, else PDI_OUTPUT, else the profile; else table on a terminal, json elsewhere`,
    group: 'Output',
    parse: oneOf(outputFormats),
  }),
  maxBillable: setting<number | 'unlimited'>('max-billable', {
    flag: '--max-billable <number>',
    environment: 'PDI_MAX_BILLABLE',
    description: 'hard cap on calls that are not free; unlimited lifts it',
    group: 'Money',
    parse: (text) => (text.trim() === 'unlimited' ? 'unlimited' : billableCount(text)),
    fallback: 100,
  }),
  budget: setting<BudgetLimits>('budget', {
    flag: '--budget <calls>',
    environment: 'PDI_BUDGET',
    description:
      'most calls that are not free, over all runs that use one book: 5000/month, 200/day, or both with a comma',
    group: 'Money',
    parse: parseBudget,
    fallback: parseBudget('unlimited'),
  }),
  maxAge: setting<Age>('max-age', {
    flag: '--max-age <age>',
    environment: 'PDI_MAX_AGE',
    description:
      'how long bought answers are kept in the book and taken from it: 30d, 12h, 15m; 0 turns it off',
    group: 'Money',
    parse: parseAge,
    fallback: parseAge('12h'),
  }),
  keepVersions: setting<number>('keep-versions', {
    environment: 'PDI_KEEP_VERSIONS',
    description:
      'how many answers to one question stay in the book: above 1, the last so many, whatever their age',
    group: 'Money',
    parse: wholeNumberReader({ least: 1, most: 1000 }),
    fallback: 1,
  }),
  account: optional<string>('account', {
    environment: 'PDI_ACCOUNT',
    description:
      "name of the account that the key belongs to: its keys share bought answers and go on with each other's journals",
    group: 'Money',
    parse: parseAccountName,
  }),
  book: optional<string>('book', {
    environment: 'PDI_BOOK',
    description:
      'file of the book, in which pdi remembers calls, answers and bookmarks, or postgres://USER@HOST/DATABASE for a team, or :memory: for a book of one command; unset: book.db in the state folder',
    group: 'Money',
    parse: parseBookPath,
  }),
  concurrency: setting<number>('concurrency', {
    flag: '--concurrency <number>',
    environment: 'PDI_CONCURRENCY',
    description: 'requests at once, 1 to 64; unset: from 4, adapting to the service, up to 16',
    group: 'Jobs',
    parse: wholeNumberReader({ least: 1, most: 64 }),
    fallback: 4,
  }),
  timeout: setting<number>('timeout', {
    flag: '--timeout <seconds>',
    environment: 'PDI_TIMEOUT',
    description: 'seconds to wait for one answer',
    group: 'Network',
    parse: secondsAboveZero,
    fallback: 30,
  }),
  retries: setting<number>('retries', {
    flag: '--retries <number>',
    unstored: true,
    description: 'times a request is sent again where that is safe',
    group: 'Network',
    parse: wholeNumberReader({ most: 100 }),
    fallback: 4,
  }),
  maxWait: setting<number>('max-wait', {
    flag: '--max-wait <seconds>',
    unstored: true,
    description: 'longest wait for a rate limit to reset',
    group: 'Network',
    parse: seconds({ most: maxSeconds, expected: `a number of seconds from 0 to ${maxSeconds}` }),
    fallback: 60,
  }),
  rate: optional<number>('rate', {
    flag: '--rate <number>',
    unstored: true,
    description: 'most requests a second, to share the limit of a key between machines',
    group: 'Jobs',
    parse: decimal({ above: 0, expected: 'a number of requests a second above 0' }),
  }),
} satisfies Record<string, Setting<unknown>>;

export const allSettings: readonly Setting<unknown>[] = Object.values(settings);

export const storedSettings: readonly Setting<unknown>[] = allSettings.filter(
  ({ unstored }) => unstored !== true,
);

export const environmentVariables: readonly (readonly [name: string, description: string])[] = [
  ...allSettings.flatMap(({ environment, description }) =>
    environment === undefined ? [] : [[environment, description] as const],
  ),
  ['PDI_API_KEY', 'API key; an explicit --profile comes before it'],
  ['PDI_API_KEY_FILE', 'file that holds the API key and nothing else'],
  ['PDI_SANDBOX', '1: run the command against the built-in sandbox, as --sandbox'],
  ['PDI_CONFIG_DIR', 'folder of config.json'],
  ['XDG_CONFIG_HOME', 'folder above pdi/config.json, where PDI_CONFIG_DIR is unset'],
  ['XDG_STATE_HOME', 'folder above pdi/, where the book is kept'],
  [
    'HTTPS_PROXY, HTTP_PROXY',
    "proxy for the base URL's scheme; its address may hold NAME:PASSWORD@; http:// to this machine goes through one on it alone",
  ],
  ['ALL_PROXY', 'proxy for a scheme that has none of its own'],
  ['NO_PROXY', 'hosts reached without a proxy'],
  ['NODE_EXTRA_CA_CERTS', 'file of further certificate authorities'],
  [
    'PGHOST, PGUSER, PGPASSWORD, PGSSLMODE',
    'and other variables of libpq, for a book on PostgreSQL; the password may also be in ~/.pgpass',
  ],
  ['NO_COLOR, FORCE_COLOR, TERM=dumb', 'colour off, on, off'],
  ['PAGER', 'program that shows a card taller than the terminal'],
  ['CI', 'set: nothing is ever asked'],
];

/** They begin as those of pdi do, and are none. */
export const unknownVariables = (
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] =>
  Object.keys(env).filter(
    (name) => /^PDI[_-]/i.test(name) && !environmentVariables.some(([known]) => known === name),
  );
