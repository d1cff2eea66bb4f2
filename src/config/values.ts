/** Reads single values: each reader turns a text into a value, or throws a UsageError that says what was expected. */
import { isAbsolute } from 'node:path';
import { readPostgresUrl } from '../book/postgres-address.ts';
import { PdiError, truncated, UsageError } from '../errors.ts';

const maxQuoteLength = 60;

export function quoted(text: string): string {
  return JSON.stringify(truncated(text, maxQuoteLength));
}

/** Names the place of a value that is bad: `hint` is for one that says nothing of what to do. @throws UsageError */
export function readAt<T>(place: string, read: () => T, hint?: string): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof PdiError)) throw error;
    const [message, details] = [
      `${place}: ${error.message}`,
      { ...error.details, item: place, hint: error.details.hint ?? hint },
    ];
    throw error.code === 'usage'
      ? new UsageError(message, details)
      : new PdiError(error.code, message, details);
  }
}

/** Timers overflow above 2^31 - 1 ms and would then fire at once. */
export const maxSeconds = 2_147_483;

interface NumberBounds {
  readonly least?: number;
  readonly above?: number;
  readonly most?: number;
  readonly expected?: string;
}

const anyCount = Number.MAX_SAFE_INTEGER;

const numberReader =
  (noun: string, pattern: RegExp) =>
  ({ least = 0, above = -1, most = anyCount, expected }: NumberBounds = {}) =>
  (text: string): number => {
    const trimmed = text.trim();
    const value = pattern.test(trimmed) ? Number(trimmed) : Number.NaN;
    if (value >= least && value > above && value <= most) return value;
    const wanted = expected ?? `${noun} from ${least} ${most === anyCount ? 'on' : `to ${most}`}`;
    throw new UsageError(`expected ${wanted}, got ${quoted(text)}`);
  };

export const wholeNumberReader = numberReader('a whole number', /^\d+$/);
export const decimal = numberReader('a number', /^(\d+(\.\d*)?|\.\d+)$/);

/** A number without a unit counts seconds. */
export const seconds = (bounds: NumberBounds) => {
  const read = decimal(bounds);
  return (text: string): number => {
    const [, number, unit = ''] = /^([\d.]+) ?(ms|s|m|min|h)$/i.exec(text.trim()) ?? [];
    const factor =
      unit.toLowerCase() === 'ms' ? 0.001 : (unitSeconds[unit.charAt(0).toLowerCase()] ?? 1);
    return read(number === undefined ? text : String(Number(number) * factor));
  };
};

export const secondsAboveZero = (text: string): number =>
  seconds({
    above: 0,
    most: maxSeconds,
    expected: `a number of seconds above 0, ${maxSeconds} at most`,
  })(text);

export const oneOf =
  <const W extends string>(words: readonly W[]) =>
  (text: string): W => {
    const found = words.find((word) => word === text.trim().toLowerCase());
    if (found === undefined)
      throw new UsageError(`expected one of ${words.join(', ')}, got ${quoted(text)}`);
    return found;
  };

export interface Age {
  readonly milliseconds: number;
  toString(): string;
}

const unitSeconds: Readonly<Record<string, number>> = {
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 604_800,
};
const longestDays = 3650;

export function parseAge(text: string): Age {
  const trimmed = text.trim();
  const [, number = '', unit = ''] = /^(\d{1,9})([smhdw]?)$/.exec(trimmed.toLowerCase()) ?? [];
  const seconds = unit === '' ? 0 : Number(number) * (unitSeconds[unit] ?? 0);
  const isRead =
    number !== '' && (unit !== '' || Number(number) === 0) && seconds <= longestDays * 86_400;
  if (isRead) return { milliseconds: seconds * 1000, toString: () => trimmed };
  throw new UsageError(
    `expected an age such as 30d, 12h, 15m or 0, ${longestDays}d at most, got ${quoted(text)}`,
  );
}

/** Holds the most calls in a month and in a day of UTC; undefined means no such limit. It is shown as it was written. */
export interface BudgetLimits {
  readonly month: number | undefined;
  readonly day: number | undefined;
  toString(): string;
}

export function parseBudget(text: string): BudgetLimits {
  const trimmed = text.trim();
  const limits: Record<string, number> = {};
  for (const part of trimmed === 'unlimited' ? [] : trimmed.split(/\s*,\s*/)) {
    const [, calls, period] = /^(\d{1,15})\/(month|day)$/.exec(part) ?? [];
    if (period === undefined || Object.hasOwn(limits, period)) {
      throw new UsageError(
        `expected calls a month or a day, such as 5000/month, 200/day or 5000/month,200/day, got ${quoted(text)}`,
      );
    }
    limits[period] = Number(calls);
  }
  return { month: limits.month, day: limits.day, toString: () => trimmed };
}

/** A name becomes a key of a JSON object, where `__proto__` is special. */
export function parseProfileName(text: string): string {
  if (/^[A-Za-z0-9._-]+$/.test(text) && text !== '__proto__') return text;
  throw new UsageError(
    `expected a profile name of letters, digits, dots, hyphens and underscores, got ${quoted(text)}`,
  );
}

/** Any text on one line. Two spellings are two accounts. */
export function parseAccountName(text: string): string {
  const name = text.trim();
  if (name !== '' && name.length <= maxQuoteLength && !/\p{Cc}/u.test(name)) return name;
  throw new UsageError(
    `expected the name of an account on one line, of at most ${maxQuoteLength} characters, got ${quoted(text)}`,
  );
}

/** Only a shell puts the home folder for a ~; as it stands, as in a crontab or a container, it would name a folder in the one of the run. */
export function wholePath(path: string): string {
  if (!/^~(?:[\w-]*\/|$)/.test(path)) return path;
  throw new UsageError(`expected a path without ~, got ${quoted(path)}`, {
    hint: 'write the whole path',
  });
}

export const isPostgresUrl = (text: string): boolean => /^postgres(?:ql)?:\/\//.test(text);

/** A book of one process, of which nothing stays; the engine calls it so too. */
export const memoryBook = ':memory:';

/** Where each folder had a book of its own, each would buy what the others have. The address of a book on PostgreSQL stays as written. */
export function parseBookPath(text: string): string {
  if (text.trim() === memoryBook) return memoryBook;
  const path = parseBookName(text);
  if (isPostgresUrl(path) || isAbsolute(path)) return path;
  throw new UsageError(`expected a path from the root, got ${quoted(text)}`, {
    hint: 'write it whole, such as /var/lib/pdi/book.db: each folder would have another one',
  });
}

/** The same, or a name in the folder that one is in. */
export function parseBookName(text: string): string {
  const path = text.trim();
  if (isPostgresUrl(path)) readPostgresUrl(path);
  // `postgres:/HOST` has lost a slash, and `host=HOST` is another way of libpq's.
  const other =
    /^(?:([a-z][a-z0-9+.-]+):\/\/|(postgres(?:ql)?|file|sqlite):|:|(?:host|dbname|service)=)/i;
  const [found, scheme = ''] = (!isPostgresUrl(path) && other.exec(path)) || [];
  if (found !== undefined) {
    const which = scheme === '' ? 'not this' : `not a ${scheme} address`;
    throw new UsageError(`a book is a file or a postgres:// address, ${which}`, {
      hint: 'name a file on a disk of this machine, such as /var/lib/pdi/book.db, or postgres://USER@HOST/DATABASE',
    });
  }
  if (path !== '' && !path.includes('\0')) return wholePath(path);
  throw new UsageError(`expected the path of a file, got ${quoted(text)}`);
}

const inQuotes = /^(["'`]).*\1$|^[\u2018-\u201f].*[\u2018-\u201f]$/s;
/** A line of a settings file or of a request's head. */
const behindName = /^(?:export\s+|set\s+)?\w*(?:API_?KEY|TOKEN)\s*=|^X-API-Key\s*:|^Bearer\s/i;
/** A server refuses a head that is longer, and the call would count as lost. */
export const maxKeyLength = 4096;

const alone = 'give the key alone, on one line, as it was issued';

/** What stands in templates and examples for a key, and what a secret store is asked for one by: nothing has filled it in. */
const placeholders = [
  /\$\{|\$\(|\{\{|\}\}|<[^>]*>|^\$\w+$|^%\w+%$|^@\w+@$|^\w+\([^)]*\)$/,
  /^[a-z][a-z\d+.-]*:\/\/|^(?:arn|vault|ssm|secretref|env|file|projects)[:/]/i,
  /^(.)\1{2,63}$/s,
  /^(?:undefined|null|none|nil|nan|todo|tbd|example|redacted|masked|secret|changeme|(?:your|my|the|put|insert|replace|enter|add)[\W_].*)$/i,
  /^(?:pdi[\W_]?)?api[\W_]?key(?:[\W_]?here)?$/i,
];

/** Says what is wrong and what to do. It may name a place in the key, but never the key, which must not show in any message. */
function keyObjection(key: string): readonly [problem: string, hint: string] | undefined {
  if (/[\0]|^\ufffd/.test(key))
    return [
      'the key is not UTF-8, but perhaps UTF-16',
      'write the key alone as plain text (UTF-8)',
    ];
  if (inQuotes.test(key)) return ['the key is in quotes', 'leave the quotes out'];
  if (behindName.test(key))
    return ['there is a name before the key', 'give the key alone, without name or scheme'];
  if (key.length > maxKeyLength)
    return [`the key is longer than ${maxKeyLength} characters`, alone];
  if (key === '') return ['the key is empty', alone];
  if (/[\r\n]/.test(key)) return ['the key has more than one line', alone];
  const place = [...key].findIndex((character) => !/^[\x20-\x7e\xa0-\xff]$/.test(character));
  return place < 0
    ? undefined
    : [`the key's character ${place + 1} cannot be sent in a header`, alone];
}

/** Gives the trimmed key. @throws PdiError `auth` for a placeholder, UsageError where a character could end the header (control characters) or is outside Latin-1 */
export function parseKey(text: string): string {
  const key = text.trim();
  if (key !== '' && placeholders.some((form) => form.test(key))) {
    const hint = 'put the key itself there: the program that should fill it in has not done so';
    throw new PdiError('auth', 'this is a placeholder, not a key', {
      billed: 'no',
      retryable: false,
      hint,
    });
  }
  const [problem, hint] = keyObjection(key) ?? [];
  if (problem !== undefined) throw new UsageError(problem, { hint });
  return key;
}
