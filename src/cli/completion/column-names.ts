/** Reads from the beginning of a file which columns or fields it has, for whoever is about to name one. */
import { statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { UsageError } from '../../errors.ts';
import { openBytes } from '../../input/bytes.ts';
import { isWorkbook, openContent, utf8Of } from '../../input/foreign.ts';
import { readHead } from '../../input/head.ts';
import { jsonRecords } from '../../input/json-records.ts';
import { findDelimiter, guessKind } from '../../input/kind.ts';
import { lineBlocks } from '../../input/lines.ts';
import { findHeader } from '../../input/table-rows.ts';
import { isObject, parseJson } from '../../json/parse.ts';

/** Excel writes either. What is written in the second is hardly ever valid in the first. */
const encodings = ['utf-8', 'windows-1252'] as const;

/** Gives what `--column` accepts; a nested field of JSON is dotted. A file that cannot be read has none. */
export async function columnNames(path: string, sheet?: string): Promise<readonly string[]> {
  // Reading a pipe would take its rows from whoever is to read them.
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return [];
  for (const encoding of encodings) {
    const source = await openBytes(path, { stdin: Readable.from([]) });
    try {
      const names = await namesIn(source.chunks, { name: source.name, encoding, sheet });
      return [...new Set(names.map((name) => name.trim()))].filter((name) => name !== '' && !/\p{Cc}/u.test(name));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
    } finally {
      source.close();
    }
  }
  return [];
}

interface NamesRequest {
  readonly name: string;
  readonly encoding: string;
  readonly sheet: string | undefined;
}

async function namesIn(chunks: AsyncGenerator<Buffer>, { name, encoding, sheet }: NamesRequest): Promise<readonly string[]> {
  const content = await openContent(chunks, name);
  const form = { path: name };
  if (isWorkbook(content, form, name)) {
    const { openSheet } = await import('../../input/workbook.ts');
    return headerOf((await openSheet(content.chunks, name, sheet)).rows);
  }
  const { head, chunks: text, separator } = await readHead(utf8Of(content, name, encoding));
  const beginning = head.toString('utf8');
  const kind = guessKind(name, beginning, { wanted: [] }, true);
  if (kind === 'json' || kind === 'ndjson') return fieldsOfFirst(jsonRecords(text, name));
  const { separatedRows } = await import('../../input/separated.ts');
  const delimiter = separator ?? (kind === 'tsv' ? '\t' : findDelimiter(beginning, []));
  return headerOf(separatedRows(lineBlocks(text, name), delimiter, name));
}

async function headerOf(rows: Parameters<typeof findHeader>[0]): Promise<readonly string[]> {
  const { header } = await findHeader(rows, { candidates: [] });
  return header?.cells ?? [];
}

async function fieldsOfFirst(records: ReturnType<typeof jsonRecords>): Promise<readonly string[]> {
  for await (const [record] of records) if (record !== undefined) return scalarFields(parseJson(record.text), '');
  return [];
}

/** An identifier is a text or a number, so objects stand for their fields, and arrays for nothing. */
function scalarFields(value: unknown, path: string): readonly string[] {
  if (Array.isArray(value)) return [];
  if (!isObject(value)) return path === '' ? [] : [path];
  return Object.entries(value).flatMap(([name, inner]) => scalarFields(inner, path === '' ? name : `${path}.${name}`));
}
