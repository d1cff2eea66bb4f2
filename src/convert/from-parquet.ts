import { parquetMetadataAsync, parquetReadObjects, parquetSchema } from 'hyparquet';
import { type Line, mistakeIn } from '../input/lines.ts';
import { ExactNumber, isObject, type JsonObject, jsonText, parseJson } from '../json/exact.ts';
import { withValueAt } from '../output/read.ts';

const parsers = {
  dateFromDays: (days: number) => new Date(days * 86_400_000).toISOString().slice(0, 10),
  timestampFromMicroseconds: (micros: bigint) =>
    new Date(Number(micros / 1000n)).toISOString().slice(0, 19),
};

/** The rows of a parquet file that pdi wrote, as JSON, a group at a time. @throws UsageError for a file that is broken */
export async function* parquetRecords(
  chunks: AsyncIterable<Buffer>,
  name: string,
): AsyncGenerator<readonly Line[]> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  const bytes = Buffer.concat(parts);
  const file = {
    byteLength: bytes.length,
    slice: (start: number, end?: number) => Uint8Array.from(bytes.subarray(start, end)).buffer,
  };
  try {
    const metadata = await parquetMetadataAsync(file);
    const names = parquetSchema(metadata).children.map(({ element }) => element.name);
    let rowStart = 0;
    for (const { num_rows: rows } of metadata.row_groups) {
      const rowEnd = rowStart + Number(rows);
      const read = await parquetReadObjects({ file, metadata, parsers, rowStart, rowEnd });
      const first = rowStart + 1;
      yield read.map((row, at) => ({ line: first + at, text: recordText(row, names) }));
      rowStart = rowEnd;
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw mistakeIn(name, `cannot be read as Parquet: ${why}`, 'Write the file again.');
  }
}

/** What did not fit the type of its column stands in `pdi_extra`, by its path. */
function recordText(row: Readonly<Record<string, unknown>>, names: readonly string[]): string {
  const { pdi_extra: extra, ...fields } = Object.fromEntries(
    names.map((name) => [name, exact(row[name]) ?? null]),
  );
  const left = typeof extra === 'string' ? parseJson(extra) : {};
  return jsonText(
    Object.entries(isObject(left) ? left : {}).reduce<JsonObject>(
      (record, [path, value]) => withValueAt(record, path, value),
      fields,
    ),
  );
}

function exact(value: unknown): unknown {
  if (typeof value === 'bigint') return new ExactNumber(String(value));
  if (Array.isArray(value)) return value.map(exact);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, exact(field)]));
}
