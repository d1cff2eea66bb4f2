/** Reads from the beginning of a file which columns or fields it has, for whoever is about to name one. */
import { statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { UsageError } from '../../errors.ts';
import { type ByteSource, openBytes } from '../../input/bytes.ts';
import { findHeader } from '../../input/column.ts';
import { openContent } from '../../input/content.ts';
import { jsonRecords } from '../../input/json-records.ts';
import { formatOf, lookAt } from '../../input/kind.ts';
import { lineBlocks } from '../../input/lines.ts';
import { separatedRows } from '../../input/separated.ts';
import { isObject, parseJson } from '../../json/parse.ts';

/** Excel writes UTF-8 or the second. What is written in that is hardly ever valid UTF-8. */
const encodings = [undefined, 'windows-1252'] as const;

/** Gives what `--column` accepts; a nested field of JSON is dotted. A file that cannot be read has none. */
export async function columnNames(path: string, sheet?: string): Promise<readonly string[]> {
  // Reading a pipe would take its rows from whoever is to read them.
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return [];
  for (const encoding of encodings) {
    const source = await openBytes(path, { stdin: Readable.from([]) });
    try {
      const names = await namesIn(source, encoding, sheet);
      return [...new Set(names.map((name) => name.trim()))].filter((name) => name !== '' && !/\p{Cc}/u.test(name));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
    } finally {
      source.close();
    }
  }
  return [];
}

async function namesIn(source: ByteSource, encoding: string | undefined, sheet: string | undefined): Promise<readonly string[]> {
  const { name } = source;
  const content = await openContent(source, { path: name, encoding, sheet });
  if ('rows' in content) return headerOf(content.rows);
  const { head, chunks, separator } = content;
  const { kind, delimiter } = await formatOf(lookAt(head, []), separator, { path: name, candidates: [], headerRow: 1 }, name);
  if (kind !== 'json' && kind !== 'ndjson') return headerOf(separatedRows(lineBlocks(chunks, name), delimiter, name));
  for await (const [record] of jsonRecords(chunks, name)) if (record !== undefined) return scalarFields(parseJson(record.text), '');
  return [];
}

async function headerOf(rows: Parameters<typeof findHeader>[0]): Promise<readonly string[]> {
  const { header } = await findHeader(rows, { candidates: [] });
  return header?.cells ?? [];
}

/** An identifier is a text or a number, so objects stand for their fields, and arrays for nothing. */
function scalarFields(value: unknown, path: string): readonly string[] {
  if (Array.isArray(value)) return [];
  if (!isObject(value)) return path === '' ? [] : [path];
  return Object.entries(value).flatMap(([name, inner]) => scalarFields(inner, path === '' ? name : `${path}.${name}`));
}
