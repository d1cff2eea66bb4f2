/** The formats of the output, by the names of `--output` and by the file names that ask for them. */
import { UsageError } from '../errors.ts';

export const outputFormats = ['table', 'json', 'ndjson', 'csv', 'xlsx'] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** Whoever reads stdout as JSON reads stderr as JSON too; with every other format failures are in words. */
export const isJsonFormat = (format: OutputFormat): format is 'json' | 'ndjson' => format === 'json' || format === 'ndjson';

const byExtension: Readonly<Record<string, OutputFormat>> = {
  csv: 'csv',
  tsv: 'csv',
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  xlsx: 'xlsx',
};

/** Extensions that name a format as well, but none that is written here: under such a name nobody could open the file. */
const foreign: ReadonlySet<string> = new Set(
  'arrow avro bz2 feather gz html numbers ods orc parquet pdf sqlite xls xlsb xlsm xml xz yaml yml zip zst'.split(' '),
);

const extensionOf = (file: string): string => /\.([^./\\]+)$/.exec(file)?.[1]?.toLowerCase() ?? '';

/** The format that the name of `--out` asks for; undefined where its extension decides nothing. */
export function formatOfName(file: string | undefined): OutputFormat | undefined {
  const extension = extensionOf(file ?? '');
  return Object.hasOwn(byExtension, extension) ? byExtension[extension] : undefined;
}

/** Whether a file's name asks for tabs between its columns. */
export const isTabSeparated = (file: string | undefined): boolean => extensionOf(file ?? '') === 'tsv';

/** @throws UsageError where the name of `--out` asks for another format than is written, or for one that is not written at all */
export function refuseForeignName(file: string | undefined, format: OutputFormat): void {
  const named = formatOfName(file);
  if (file === undefined || named === format) return;
  if (named !== undefined) {
    const hint = `leave -o out, or give the file a name for ${format}`;
    throw new UsageError(`--out ${file}: the name asks for ${named}, -o for ${format}`, { item: file, hint });
  }
  if (!foreign.has(extensionOf(file))) return;
  const hint = 'give it a name that ends in .csv, .tsv, .json, .ndjson, .jsonl or .xlsx';
  throw new UsageError(`--out ${file}: pdi does not write .${extensionOf(file)}`, { item: file, hint });
}
