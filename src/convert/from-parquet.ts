import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { type Line, mistakeIn } from '../input/lines.ts';
import { ExactNumber, isObject, type JsonObject, parseJson } from '../json/exact.ts';
import { valueAt } from '../output/read.ts';

const time = (milliseconds: number): string => new Date(milliseconds).toISOString();
const parsers = {
  dateFromDays: (days: number) => time(days * 86_400_000).slice(0, 10),
  timestampFromMicroseconds: (micros: bigint) => time(Number(micros / 1000n)),
};

/** A group of rows takes far more memory as records than as columns. */
const atOnce = 100;

/** The rows of a parquet file that pdi wrote, as JSON in which long integers are texts. @throws UsageError for a file that is broken */
export async function* parquetRecords(
  chunks: AsyncIterable<Buffer>,
  name: string,
): AsyncGenerator<readonly Line[]> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  const { buffer: file } = Uint8Array.from(Buffer.concat(parts));
  try {
    const metadata = parquetMetadata(file);
    let rowStart = 0;
    for (const { num_rows: count } of metadata.row_groups) {
      const rowEnd = rowStart + Number(count);
      const rows = await parquetReadObjects({ file, metadata, parsers, rowStart, rowEnd });
      while (rows.length > 0)
        yield rows.splice(0, atOnce).map((row) => ({ line: ++rowStart, text: recordText(row) }));
    }
  } catch (error) {
    throw mistakeIn(name, `cannot be read as Parquet: ${error}`, 'Write the file again.');
  }
}

/** What did not fit the type of its column stands in `pdi_extra`, by its path. */
function recordText({ pdi_extra: extra, ...fields }: JsonObject): string {
  const left = parseJson(String(extra ?? '{}'));
  for (const [path, value] of Object.entries(isObject(left) ? left : {})) {
    const [, above = '', name = path] = /^(.*)\.([^.]+)$/.exec(path) ?? [];
    const holder = valueAt(fields, above);
    if (Array.isArray(holder) || isObject(holder)) Object.assign(holder, { [name]: value });
    else Object.assign(fields, { [path]: value });
  }
  return JSON.stringify(fields, (_name, value: unknown) =>
    typeof value === 'bigint' || value instanceof ExactNumber ? String(value) : value,
  );
}
