/** JSON: the API's own objects, as one object, one array or one line each. */

import { jsonText, withoutUnsafe } from '../json/write.ts';
import type { ResultRow } from '../rows/result-row.ts';
import type { Formatter } from './formatter.ts';
import type { Layout } from './layout.ts';
import { amongMatches, columnsFrom, readerOf } from './read.ts';

/** Gives what stands in a row's place: its record, the chosen fields of it, or why there is none. */
export function contentReader({ columns, chosen }: Layout): (row: ResultRow) => unknown {
  const fields = columns.map(({ name }) => ({ name, read: readerOf(name) }));
  const chosenOf = (from: unknown) => Object.fromEntries(fields.map(({ name, read }) => [name, read(from) ?? null]));
  return (row) => {
    if (row.record === undefined) return { input: row.input ?? null, pdi_status: row.status, pdi_error: row.error ?? null };
    const { value } = row.record;
    if (!chosen) return value;
    return Array.isArray(value) ? value.map((one) => chosenOf(amongMatches(one, value))) : chosenOf(columnsFrom(row));
  };
}

function objectFormatter(layout: Layout): Formatter {
  const contentOf = contentReader(layout);
  return { rows: (rows) => rows.map((row) => `${jsonText(contentOf(row), 2)}\n`).join(''), end: () => '' };
}

function arrayFormatter(layout: Layout): Formatter {
  const contentOf = contentReader(layout);
  /** The last element's last line, which may get a comma: only whole lines are written, since a progress bar may be drawn next. */
  let open: string | undefined;
  return {
    rows(rows) {
      if (rows.length === 0) return '';
      // An array of one gives the element its indentation; its own brackets and line breaks are dropped.
      const elements = rows.map((row) => jsonText([contentOf(row)], 2).slice(2, -2)).join(',\n');
      const text = (open === undefined ? '[\n' : `${open},\n`) + elements;
      const start = text.lastIndexOf('\n') + 1;
      open = text.slice(start);
      return text.slice(0, start);
    },
    end: () => (open === undefined ? '[]\n' : `${open}\n]\n`),
  };
}

/** Indented JSON. The array's bracket comes with the first row, so that a failure before it leaves nothing behind. */
export const jsonFormatter = (layout: Layout): Formatter => (layout.one ? objectFormatter(layout) : arrayFormatter(layout));

/** One compact line a row. */
export function ndjsonFormatter(layout: Layout): Formatter {
  const contentOf = contentReader(layout);
  const lineOf = (row: ResultRow): string => {
    if (layout.chosen || row.record === undefined) return `${jsonText(contentOf(row))}\n`;
    return `${row.record.text}\n`;
  };
  // One look at many texts takes a fraction of a look at each.
  return { rows: (rows) => withoutUnsafe(rows.map(lineOf).join('')), end: () => '' };
}
