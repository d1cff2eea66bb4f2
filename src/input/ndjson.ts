/** Reads NDJSON, where each line is one record or one bare identifier, and JSON, where each element of the array is. */
import { UsageError } from '../errors.ts';
import { parseJson } from '../json/parse.ts';
import { type InputRow, untilBroken } from '../rows/input-row.ts';
import type { ColumnWish } from './column.ts';
import { brokenRecord, jsonRecords } from './json-records.ts';
import { isListOfRecords, openRowReader, withoutText } from './json-row.ts';
import { type Line, type LineBlock, linesInBlock } from './lines.ts';

/** A broken line spoils only its row. @throws UsageError where the first line is other JSON, or the first record has no wanted field */
export async function* ndjsonRows(blocks: AsyncIterable<LineBlock>, wish: ColumnWish, name: string): AsyncGenerator<readonly InputRow[]> {
  const rowOf = openRowReader(wish, name);
  let untouched = true;
  for await (const block of blocks) {
    const rows: InputRow[] = [];
    for (const { line, text } of linesInBlock(block)) {
      const written = text.trim();
      if (written === '') continue;
      const value = parsed(written);
      if (untouched && isOtherJson(written, value)) throw notOneALine(name, line);
      untouched = false;
      rows.push(
        value === undefined
          ? withoutText({ line, text: undefined, invalid: 'not JSON' }, {}, written)
          : rowOf(value, { line, text: written }),
      );
    }
    if (rows.length > 0) yield rows;
  }
}

/** A broken record breaks the whole text. @throws UsageError naming its place; the rows before it come first */
export async function* jsonRows(chunks: AsyncIterable<Buffer>, wish: ColumnWish, name: string): AsyncGenerator<readonly InputRow[]> {
  const rowOf = openRowReader(wish, name);
  for await (const records of jsonRecords(chunks, name)) {
    yield* untilBroken(records, (record) => rowOf(parsedWhole(record, name), record));
  }
}

function parsed(written: string): unknown {
  try {
    return parseJson(written);
  } catch {
    return undefined;
  }
}

function parsedWhole(record: Line, name: string): unknown {
  try {
    return parseJson(record.text);
  } catch (error) {
    throw brokenRecord(record, name, error);
  }
}

const isOtherJson = (written: string, value: unknown): boolean => written === '{' || (written.startsWith('[') && !isListOfRecords(value));

const notOneALine = (name: string, line: number): UsageError =>
  new UsageError(`${name}, line ${line}: JSON, but not one object a line`, {
    item: name,
    hint: 'Say --input-format json.',
  });
