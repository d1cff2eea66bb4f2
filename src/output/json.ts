import { isObject, jsonText, withoutUnsafe } from '../json/exact.ts';
import type { ResultRow } from '../rows/row.ts';
import type { Formatter, Layout } from './layout.ts';
import { amongMatches, columnReader, columnsFrom } from './read.ts';

/** What is written for a row: its records, or their chosen fields, or what was asked and its status. */
export function contentReader({
  columns,
  chosen,
  inputOf,
}: Pick<Layout, 'columns' | 'chosen' | 'inputOf'>): (row: ResultRow) => unknown {
  const fields = columns.map((column) => ({ name: column.name, read: columnReader(column) }));
  const chosenOf = (from: unknown, row: ResultRow) =>
    Object.fromEntries(fields.map(({ name, read }) => [name, read(from, row) ?? null]));
  const contentOf = (row: ResultRow): unknown => {
    if (row.record === undefined)
      return { input: row.input ?? null, pdi_status: row.status, pdi_error: row.error ?? null };
    const { value } = row.record;
    if (!chosen) return value;
    return Array.isArray(value)
      ? value.map((one) => chosenOf(amongMatches(one, value), row))
      : chosenOf(columnsFrom(row), row);
  };
  return inputOf === undefined ? contentOf : (row) => withInput(contentOf(row), inputOf(row));
}

function withInput(content: unknown, input: unknown): unknown {
  if (Array.isArray(content)) return content.map((one) => withInput(one, input));
  return isObject(content) ? { ...content, pdi_input: input } : content;
}

/** Writes indented JSON. The opening bracket comes with the first row, so that an earlier failure leaves no output. */
export function jsonFormatter(layout: Layout): Formatter {
  const contentOf = contentReader(layout);
  if (layout.isSingle)
    return {
      rows: (rows) => rows.map((row) => `${jsonText(contentOf(row), 2)}\n`).join(''),
      end: () => '',
    };
  /** The last line of an element waits here, since it may need a comma; only whole lines are written, because a progress bar may follow. */
  let open: string | undefined;
  return {
    rows(rows) {
      if (rows.length === 0) return '';
      // The element is put into an array to get its indentation; the brackets are cut off again.
      const elements = rows.map((row) => jsonText([contentOf(row)], 2).slice(2, -2)).join(',\n');
      const text = (open === undefined ? '[\n' : `${open},\n`) + elements;
      const start = text.lastIndexOf('\n') + 1;
      open = text.slice(start);
      return text.slice(0, start);
    },
    end: () => (open === undefined ? '[]\n' : `${open}\n]\n`),
  };
}

export function ndjsonFormatter(layout: Layout): Formatter {
  const contentOf = contentReader(layout);
  const lineOf = (row: ResultRow): string => {
    if (layout.chosen || row.record === undefined || layout.inputOf !== undefined)
      return `${jsonText(contentOf(row))}\n`;
    return `${row.record.text}\n`;
  };
  // One call for all lines is much faster than one call for each line.
  return { rows: (rows) => withoutUnsafe(rows.map(lineOf).join('')), end: () => '' };
}
