/** Options that several commands have, and the readers of their values. The program names the flag whose value a reader refuses. */
import { type Command, type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { quoted, wholeNumberReader } from '../config/values.ts';
import { UsageError } from '../errors.ts';
import { encodingName } from '../input/encoding.ts';
import type { Io } from '../io.ts';
import type { Source } from '../road/input-source.ts';
import type { WantedPages } from '../road/run-calls.ts';
import { addDays, dayOf, isDay, monthOf } from '../rows/days.ts';
import type { InputKind, RowStatus } from '../rows/row.ts';

export { decimal, parseAge, secondsAboveZero, wholeNumberReader } from '../config/values.ts';

export function wordsOf<W extends string>(choices: readonly W[]): (text: string) => readonly W[] {
  return (text) => {
    const names = [...new Set(text.split(',').map((name) => name.trim()))];
    const words = names.flatMap(
      (name) => choices.find((word) => word === name.toLowerCase()) ?? [],
    );
    if (words.length === names.length) return words;
    throw new UsageError(
      `expected ${choices.join(', ')}, or several with commas, got ${JSON.stringify(text)}`,
    );
  };
}

const expectedDay = 'YYYY-MM-DD, today, yesterday, 7d (days ago) or a month as YYYY-MM';

/** Today in UTC, or in the sandbox that was given a day: what it has and what it is asked for fit together. */
export function todayFor(parser?: CommandUnknownOpts): string {
  const { today }: { readonly today?: unknown } = parser?.optsWithGlobals() ?? {};
  return typeof today === 'string' ? today : dayOf(new Date().toISOString());
}

/** Reads a day of UTC as people say it; a month is its first day, or its last one. */
export function dayAt(
  end: 'first' | 'last',
  parser?: CommandUnknownOpts,
): (text: string) => string {
  return (text) => {
    // The parser has read the flags of all commands before those of one.
    const day = dayNamed(text.trim().toLowerCase(), end, todayFor(parser));
    if (day !== undefined) return day;
    throw new UsageError(`expected a day as ${expectedDay}, got ${quoted(text)}`);
  };
}

/** @throws UsageError where a flag that has two names was given two values */
export function sameDay(
  name: string,
  value: string | undefined,
  other: string,
  same: string | undefined,
): string | undefined {
  if (value === undefined || same === undefined || value === same) return value ?? same;
  throw new UsageError(`${name} and ${other} are the same flag, and have different values`, {
    item: other,
    hint: 'leave one of them out',
  });
}

/** The sandbox dates records some decades back, and no day has five digits. */
export function dayOfSandbox(text: string): string {
  const day = dayAt('last')(text);
  if (day >= '2000' && day < '3000') return day;
  throw new UsageError(`expected a day of the years 2000 to 2999, got ${quoted(text)}`);
}

function dayNamed(text: string, end: 'first' | 'last', today: string): string | undefined {
  const ago = text === 'today' ? '0' : text === 'yesterday' ? '1' : /^(\d{1,5})d$/.exec(text)?.[1];
  if (ago !== undefined) return addDays(today, -Number(ago));
  const day = /^\d{4}-\d{2}$/.test(text) ? `${text}-01` : text;
  if (!isDay(day)) return undefined;
  return day !== text && end === 'last' ? lastOfMonth(day) : day;
}

/** The month after begins within 31 days of the first. */
const lastOfMonth = (first: string): string => addDays(`${monthOf(addDays(first, 31))}-01`, -1);

/** Commander keeps state in an option, so each command gets its own. */
const formatOption = <const K extends readonly string[]>(what: string, kinds: K) =>
  new Option(
    '--input-format <format>',
    `what ${what} is, where its name and first bytes do not tell`,
  ).choices(kinds);

const inputKinds = [
  'lines',
  'csv',
  'tsv',
  'ndjson',
  'json',
  'xlsx',
] as const satisfies readonly InputKind[];
const recordKinds = [
  'json',
  'ndjson',
  'csv',
  'tsv',
  'xlsx',
] as const satisfies readonly InputKind[];

const withSheetOptions = <A extends unknown[], O extends Record<string, unknown>>(
  parser: Command<A, O>,
) =>
  parser
    .option('--sheet <name>', 'sheet to read (default: the first visible one)')
    .option(
      '--encoding <label>',
      'encoding of an input that is not UTF-8, such as windows-1252 (Excel in Europe)',
      encodingName,
    );

const firstOption = (purpose = '') =>
  new Option('--first <number>', `take the first rows alone${purpose}`).argParser(
    wholeNumberReader({ least: 1 }),
  );

export const withRecordOptions = <A extends unknown[], O extends Record<string, unknown>>(
  parser: Command<A, O>,
) => withSheetOptions(parser.addOption(formatOption('FILE', recordKinds))).addOption(firstOption());

export const withTableOptions = <A extends unknown[], O extends Record<string, unknown>>(
  parser: Command<A, O>,
) =>
  withSheetOptions(parser.addOption(formatOption('the input', inputKinds)))
    .option(
      '--column <names>',
      'column or field that holds the identifier; of several (A,B), the first that is filled',
    )
    .option(
      '--header-row <line>',
      'line of a table that holds the column names, where others stand above it',
      wholeNumberReader({ least: 1 }),
    );

/** The last of two values of a flag counts, and what the first one asks for would be passed over without a word. */
const only =
  (mistake: string, hint: string) =>
  (value: string, former?: string): string => {
    if (former === undefined) return value;
    throw new UsageError(mistake, { hint: `nothing was sent; ${hint}` });
  };

export const onlyFile = only('it names two files', 'run the command once for each, or join them');
export const onlyOnce = only('it is given twice', 'run the command once for each');

/** Never `skipped`: such a row was not asked about, so a job that has one is not done. */
const acceptable = [
  'not_found',
  'invalid',
  'failed',
  'unknown',
] as const satisfies readonly RowStatus[];

export const withInputOptions = <A extends unknown[], O extends Record<string, unknown>>(
  parser: Command<A, O>,
) =>
  withTableOptions(
    parser.option(
      '-i, --input <file>',
      'read identifiers from a file, - for stdin: lines, csv, tsv, ndjson, json, also gzipped, or xlsx',
      onlyFile,
    ),
  )
    .addOption(
      firstOption(', as a trial; with --out, the same command without it then goes on from there'),
    )
    .option(
      '--accept <statuses>',
      `statuses that still count as success: ${acceptable.join(', ')}, or several with commas; a single id keeps its own exit code`,
      wordsOf(acceptable),
    );

type InputFlags = Omit<Source, 'identifiers'>;

/** @throws UsageError if there are no identifiers, or two sources of them */
export function sourceOf<F extends InputFlags>(
  identifiers: readonly string[],
  flags: F,
  io: Pick<Io, 'stdin'>,
) {
  if (flags.input === undefined) {
    if (identifiers.length === 0) {
      // Standard input is never read unasked, so somebody who pipes identifiers is told how to ask for it.
      const hint = `give identifiers, or a file of them with --input FILE${io.stdin.isTTY === true ? '' : '; `-i -` reads standard input'}`;
      throw new UsageError('there is nothing to ask for', { hint });
    }
    refuseWithoutFile(flags, ['--input']);
  } else if (identifiers.length > 0) {
    throw new UsageError('identifiers were given both as arguments and with --input', {
      hint: 'use one of the two',
    });
  }
  return { identifiers, ...flags };
}

/** Without an input file, flags that say how to read one are a mistake. @throws UsageError naming the flag */
export function refuseWithoutFile(flags: InputFlags, files: readonly string[]): void {
  const { inputFormat, column, encoding, sheet, headerRow, first } = flags;
  const ofTable = { '--column': column, '--header-row': headerRow, '--sheet': sheet };
  const given = {
    '--input-format': inputFormat,
    '--encoding': encoding,
    ...ofTable,
    '--first': first,
  };
  const flag = Object.entries(given).find(([, value]) => value !== undefined)?.[0];
  if (flag === undefined) return;
  const hint = `name the file with ${files.map((file) => `${file} FILE`).join(' or ')}`;
  throw new UsageError(`${flag} goes with ${files.join(' and ')}`, { item: flag, hint });
}

export const withPageOptions = <A extends unknown[], O extends Record<string, unknown>>(
  parser: Command<A, O>,
  limit: { readonly description: string; readonly most?: number },
) =>
  parser
    .option('--page <number>', 'page to read, from 0', wholeNumberReader())
    .option('--limit <number>', limit.description, wholeNumberReader({ least: 1, ...limit }))
    .option('--all', 'every page, until one is short')
    .option(
      '--max-pages <number>',
      'pages at most (with --all implied)',
      wholeNumberReader({ least: 1 }),
    );

export function wantedPages(
  { page, limit, maxPages }: Partial<Omit<WantedPages, 'isMany'>>,
  all = false,
): WantedPages {
  const isMany = all || maxPages !== undefined;
  return { page, limit, isMany, maxPages: isMany ? (maxPages ?? Number.POSITIVE_INFINITY) : 1 };
}
