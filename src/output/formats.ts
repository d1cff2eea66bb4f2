import { UsageError } from '../errors.ts';
import type { Formatter, Layout, Look, Output } from './layout.ts';

type TableFlag = '--bom' | '--delimiter' | '--no-header' | '--no-formula-guard' | '--text-ids';

export const outputFormats = ['table', 'json', 'ndjson', 'csv', 'xlsx', 'parquet'] as const;

export type OutputFormat = (typeof outputFormats)[number];

interface FormatEntry {
  readonly about: string;
  readonly notForTerminals?: string;
  /** A format with fixed columns, in which those of a joined input stand too, obeys some of these. */
  readonly obeys?: readonly TableFlag[];
  readonly create: (layout: Layout) => Promise<Formatter>;
}

const formats: Readonly<Record<OutputFormat, FormatEntry>> = {
  table: {
    about:
      'for people: fits the terminal, never cuts an id; one record is a card. The default on a terminal.',
    create: async (layout) => {
      const formatter = (await import('./table.ts')).tableFormatter(layout);
      if (layout.picture === undefined) return formatter;
      return (await import('./pictures.ts')).withPicture(formatter, layout.picture, layout);
    },
  },
  json: {
    about: "the API's own objects, numbers as sent; an array is streamed. The default in a pipe.",
    create: async (layout) => (await import('./json.ts')).jsonFormatter(layout),
  },
  ndjson: {
    about: 'one compact record a line, written as it arrives',
    create: async (layout) => (await import('./json.ts')).ndjsonFormatter(layout),
  },
  csv: {
    about: 'fixed columns for each command; a CSV input is joined row by row',
    obeys: ['--bom', '--delimiter', '--no-header', '--no-formula-guard', '--text-ids'],
    create: async (layout) => (await import('./csv.ts')).csvFormatter(layout),
  },
  xlsx: {
    about: 'the columns of csv as a workbook that opens as it is. Needs --out FILE, or a pipe.',
    notForTerminals: 'a workbook is not for a terminal',
    // Ids are text there anyway, and cells are as they are.
    obeys: ['--no-header', '--no-formula-guard', '--text-ids'],
    create: async (layout) => (await import('./xlsx/xlsx.ts')).xlsxFormatter(layout),
  },
  parquet: {
    about:
      'typed columns for DuckDB, pandas, Polars, Spark: lists and objects keep their form; what does not fit is in pdi_extra',
    notForTerminals: 'a parquet file is not for a terminal',
    obeys: ['--no-formula-guard'],
    create: async (layout) => (await import('./parquet.ts')).parquetFormatter(layout),
  },
};

export const formatDescriptions = outputFormats.map((name) => [name, formats[name].about] as const);

export const hasOwnColumns = (format: OutputFormat): boolean => formats[format].obeys !== undefined;

export const reasonNotForTerminals = (format: OutputFormat): string | undefined =>
  formats[format].notForTerminals;

/** If stdout is JSON, failures on stderr are JSON too; with other formats they are in words. */
export const isJsonFormat = (format: OutputFormat): format is 'json' | 'ndjson' =>
  format === 'json' || format === 'ndjson';

/** @throws UsageError for a flag about csv with a format that would not obey it: whoever gave it expects a csv */
export function refuseIdleTableFlags(options: Look, format: OutputFormat): void {
  const given: Readonly<Record<TableFlag, boolean>> = {
    '--bom': options.bom,
    '--delimiter': options.delimiter !== undefined,
    '--no-header': !options.header,
    '--no-formula-guard': !options.formulaGuard,
    '--text-ids': options.textIds,
  };
  const { obeys = [] } = formats[format];
  const idle = Object.entries(given).find(
    ([flag, isGiven]) => isGiven && !obeys.some((obeyed) => obeyed === flag),
  )?.[0];
  if (idle === undefined) return;
  const hint = 'add -o csv, or name a file with --out FILE.csv';
  throw new UsageError(`${idle} does nothing for ${format}`, { item: idle, hint });
}

/** @throws UsageError for `--explode` with json */
export function refuseIdleExplode(explode: string | undefined, format: OutputFormat): void {
  if (explode === undefined || format !== 'json') return;
  const hint = `give -o ${outputFormats.filter((other) => other !== 'json').join(', ')}, or ask json for the list with --query`;
  throw new UsageError("--explode makes rows, but json keeps the API's own objects", {
    item: '--explode',
    hint,
  });
}

/** @throws UsageError for a bad delimiter or query, or for a query with a format that takes none */
export async function createFormatter(format: OutputFormat, layout: Layout): Promise<Formatter> {
  const { query, explode } = layout;
  if (query !== undefined && !isJsonFormat(format)) {
    const hint = '--fields chooses the columns of a table or csv';
    throw new UsageError(`--query goes with -o json or ndjson, not ${format}`, {
      item: '--query',
      hint,
    });
  }
  const isQuery = query !== undefined && isJsonFormat(format);
  const formatter = isQuery
    ? (await import('./query.ts')).queryFormatter(format, layout, query)
    : await formats[format].create(layout);
  if (explode === undefined) return formatter;
  const { elementPages } = await import('./read.ts');
  return {
    ...formatter,
    rows: (rows) => joined(Array.from(elementPages(rows, explode), (page) => formatter.rows(page))),
  };
}

const joined = (outputs: readonly Output[]): Output =>
  outputs.every((output) => typeof output === 'string')
    ? outputs.join('')
    : Buffer.concat(outputs.map((output) => Buffer.from(output)));

const extensions = {
  csv: 'csv',
  tsv: 'csv',
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  xlsx: 'xlsx',
  parquet: 'parquet',
} as const;
const byExtension: ReadonlyMap<string, OutputFormat> = new Map(Object.entries(extensions));

export const fileExtensions: readonly string[] = Array.from(
  byExtension.keys(),
  (extension) => `.${extension}`,
);

/** These extensions name formats that pdi does not write, so a file with such a name could not be opened. */
const foreign: ReadonlySet<string> = new Set(
  '7z arrow avro bz2 feather gz htm html numbers ods orc pdf sqlite tar tgz xls xlsb xlsm xml xz yaml yml zip zst'.split(
    ' ',
  ),
);

const namesOfStdout: ReadonlySet<string> = new Set([
  '-',
  '/dev/stdout',
  '/dev/fd/1',
  '/proc/self/fd/1',
]);

export const isStdout = (file: string): boolean => namesOfStdout.has(file);

const extensionOf = (file: string): string => /\.([^./\\]+)$/.exec(file)?.[1]?.toLowerCase() ?? '';

export const formatOfName = (file = ''): OutputFormat | undefined =>
  byExtension.get(extensionOf(file));

export const isTabSeparated = (file: string | undefined): boolean =>
  extensionOf(file ?? '') === 'tsv';

/** @throws UsageError if the name of `--out` asks for another format, or for one that pdi does not write */
export function refuseForeignName(file: string | undefined, format: OutputFormat): void {
  const named = formatOfName(file);
  if (file === undefined || named === format) return;
  if (named !== undefined) {
    const hint = `leave -o out, or give the file a name for ${format}`;
    throw new UsageError(`--out ${file}: the name asks for ${named}, -o for ${format}`, {
      item: file,
      hint,
    });
  }
  if (!foreign.has(extensionOf(file))) return;
  const hint = `give it a name that ends in ${fileExtensions.slice(0, -1).join(', ')} or ${fileExtensions.at(-1)}`;
  throw new UsageError(`--out ${file}: pdi does not write .${extensionOf(file)}`, {
    item: file,
    hint,
  });
}
