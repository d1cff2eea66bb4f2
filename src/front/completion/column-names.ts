/** Reads from the beginning of a file which columns or fields it has, for whoever is about to name one. */
import { statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { attempt, UsageError } from '../../errors.ts';
import { type ByteSource, openBytes, openContent, recordsIn } from '../../input/content.ts';
import { findHeader } from '../../input/header.ts';
import { formatOf } from '../../input/kind.ts';
import { isObject, parseJson } from '../../json/exact.ts';

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
      return [...new Set(names.map((name) => name.trim()))].filter(
        (name) => name !== '' && !/\p{Cc}/u.test(name),
      );
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
    } finally {
      source.close();
    }
  }
  return [];
}

async function namesIn(
  source: ByteSource,
  encoding: string | undefined,
  sheet: string | undefined,
): Promise<readonly string[]> {
  const { name } = source;
  const content = await openContent(source, { encoding, sheet, candidates: [] });
  if ('rows' in content) return headerOf(content.rows());
  const format = await formatOf(
    content.head,
    content.separator,
    { candidates: [], headerRow: 1 },
    name,
  );
  const read = recordsIn(content, format, name);
  if ('rows' in read) return headerOf(read.rows);
  for await (const [record] of read.records)
    if (record !== undefined) return scalarFields(attempt(() => parseJson(record.text)));
  return [];
}

async function headerOf(rows: Parameters<typeof findHeader>[0]): Promise<readonly string[]> {
  const { header } = await findHeader(rows, { candidates: [] });
  return header?.cells ?? [];
}

/** An identifier is a text or a number, so objects stand for their fields, and arrays for nothing. */
function scalarFields(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) return [];
  if (!isObject(value)) return path === '' ? [] : [path];
  return Object.entries(value).flatMap(([name, inner]) =>
    scalarFields(inner, path === '' ? name : `${path}.${name}`),
  );
}
