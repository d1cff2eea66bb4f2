/** The formats, each loaded where it is asked for. */
import { UsageError } from '../errors.ts';
import { isJsonFormat, type OutputFormat } from './formats.ts';
import type { FormatOptions, Formatter } from './formatter.ts';
import { jsonFormatter, ndjsonFormatter } from './json.ts';
import type { Layout } from './layout.ts';

/**
 * The formatter of one output. What a format needs is loaded only when it is asked for.
 * @throws UsageError for a delimiter that is none, a query that is none, or one in a format that takes none.
 */
export async function createFormatter(format: OutputFormat, layout: Layout, options: FormatOptions): Promise<Formatter> {
  if (options.query !== undefined) return createQueryFormatter(format, layout, options.query);
  switch (format) {
    case 'json':
      return jsonFormatter(layout);
    case 'ndjson':
      return ndjsonFormatter(layout);
    case 'csv':
      return (await import('./csv.ts')).csvFormatter(layout, options);
    case 'xlsx':
      return (await import('./xlsx.ts')).xlsxFormatter(layout, options);
    case 'table':
      return createTableFormatter(layout, options);
  }
}

async function createTableFormatter(layout: Layout, options: FormatOptions): Promise<Formatter> {
  const formatter = (await import('./table.ts')).tableFormatter(layout, options);
  if (layout.picture === undefined) return formatter;
  return (await import('./pictures.ts')).withPicture(formatter, layout.picture, options);
}

async function createQueryFormatter(format: OutputFormat, layout: Layout, query: string): Promise<Formatter> {
  if (isJsonFormat(format)) return (await import('./query.ts')).queryFormatter(format, layout, query);
  throw new UsageError(`--query goes with -o json or ndjson, not ${format}`, {
    item: '--query',
    hint: '--fields chooses the columns of a table or csv',
  });
}
