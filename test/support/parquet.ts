/** Reads parquet back: by hyparquet, and by arrow-rs (parquet-wasm), which must see the same. */
import { type FileMetaData, parquetMetadata, parquetReadObjects } from 'hyparquet';
import { readParquet as readByArrow, writeParquet as writeByArrow } from 'parquet-wasm/node';
import { expect } from 'vitest';

export type ParquetRow = Readonly<Record<string, unknown>>;

/** Days as `YYYY-MM-DD`, instants as microseconds. */
const parsers = {
  dateFromDays: (days: number) => new Date(days * 86_400_000).toISOString().slice(0, 10),
  timestampFromMicroseconds: (micros: bigint) => micros,
};

const asFile = (bytes: Uint8Array): ArrayBuffer => Uint8Array.from(bytes).buffer;

async function rowsByHyparquet(bytes: Uint8Array): Promise<readonly ParquetRow[]> {
  return parquetReadObjects({ file: asFile(bytes), parsers });
}

/** hyparquet leaves out an object that is null. */
const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const filled = Object.entries(value).filter(([, field]) => field !== null && field !== undefined);
  return Object.fromEntries(filled.map(([name, field]) => [name, withoutNulls(field)]));
};

/** The rows of a file, as two implementations read them, and what its footer says. */
export async function readParquet(
  bytes: Uint8Array,
): Promise<{ readonly rows: readonly ParquetRow[]; readonly footer: FileMetaData }> {
  const rows = await rowsByHyparquet(bytes);
  const byArrow = await rowsByHyparquet(writeByArrow(readByArrow(bytes)));
  expect(byArrow.map(withoutNulls)).toEqual(rows.map(withoutNulls));
  return { rows, footer: parquetMetadata(asFile(bytes)) };
}

/** The columns at the top of the file. */
export const columnsIn = ({ schema }: FileMetaData): readonly string[] => {
  const names: string[] = [];
  let at = 1;
  const skip = (): void => {
    const children = schema[at]?.num_children ?? 0;
    at += 1;
    for (let child = 0; child < children; child += 1) skip();
  };
  while (at < schema.length) {
    names.push(schema[at]?.name ?? '');
    skip();
  }
  return names;
};
