/** Counts the rows that were bought before, and says how many there were and how old the oldest is. */
import type { Column } from '../contract/columns.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { pluralize } from '../errors.ts';
import { hasOwnColumns } from '../output/formats.ts';
import type { ResultRow, ResultRows } from '../rows/result-row.ts';
import { withFields } from './added-fields.ts';
import type { Show } from './plan.ts';
import type { Say } from './tools.ts';

export const fetchedAtColumn: Column = { name: 'pdi_fetched_at', kind: 'date', dateTime: 'utc', inTable: true };

/** Columns of answers that may be kept. */
export const originColumns: readonly Column[] = [{ name: 'pdi_source', kind: 'text', inTable: true }, fetchedAtColumn];

interface OriginsShown {
  readonly columns: readonly Column[];
  readonly isNamed: boolean;
}

/** Gives those that are shown: files with columns say when an answer was fetched, `--fields` may name either. */
export function originsShown(
  { fields: named, format }: Pick<Show, 'fields' | 'format'>,
  { stored }: Pick<Endpoint, 'stored'>,
): OriginsShown {
  const fields = named?.split(',').map((field) => field.trim());
  const isNamed = fields !== undefined;
  if (stored !== true) return { isNamed, columns: [] };
  if (isNamed) return { isNamed, columns: originColumns.filter(({ name }) => fields.includes(name)) };
  return { isNamed, columns: hasOwnColumns(format) ? [fetchedAtColumn] : [] };
}

export interface OriginCounts {
  readonly from_book: number;
  readonly from_journal: number;
  /** It is the time when the oldest was bought, ISO 8601 in UTC; null if that is unknown. */
  readonly oldest_bought_at: string | null;
}

export class Origins {
  private readonly rows = { book: 0, journal: 0 };
  private oldest: string | undefined;
  private unit = 'row';

  /** Passes the rows on, with these columns as fields of their records. */
  async *counting(rows: ResultRows, shown: OriginsShown): ResultRows {
    for await (const together of rows) {
      if (together instanceof Error) yield together;
      else {
        for (const row of together) this.count(row);
        yield shown.columns.length > 0 ? together.map((row) => withOrigin(row, shown)) : together;
      }
    }
  }

  /** An empty answer has no row that could be counted. */
  countEmpty(answer: Pick<ResultRow, 'source' | 'fetchedAt'>): void {
    this.unit = 'empty answer';
    this.count({ status: 'not_found', ...answer });
  }

  get counts(): OriginCounts {
    return { from_book: this.rows.book, from_journal: this.rows.journal, oldest_bought_at: this.oldest ?? null };
  }

  tell({ notice }: Pick<Say, 'notice'>): void {
    const words = originWords(this.counts, ' and ', (rows) => pluralize(rows, this.unit));
    if (words === '') return;
    notice(`${words}${this.rows.book > 0 ? '; --fresh buys again what the book has' : ''}`);
  }

  /** An unknown item was never answered, so it was not bought. */
  private count({ status, source, fetchedAt }: Pick<ResultRow, 'status' | 'source' | 'fetchedAt'>): void {
    if (source === undefined || status === 'unknown') return;
    this.rows[source] += 1;
    if (fetchedAt !== undefined && fetchedAt < (this.oldest ?? '~')) this.oldest = fetchedAt;
  }
}

/** A row without a record has it only where `--fields` names it, because it is of the record otherwise. */
function withOrigin(row: ResultRow, { columns, isNamed }: OriginsShown): ResultRow {
  const { record, source = 'service', fetchedAt = null } = row;
  const origin = Object.fromEntries(columns.map(({ name }) => [name, name === fetchedAtColumn.name ? fetchedAt : source]));
  return record === undefined && fetchedAt !== null && isNamed ? { ...row, shown: origin } : withFields(row, origin);
}

/** `59 from the book, 2 from the journal, the oldest bought 3 hours ago`; empty where nothing was bought before. */
export function originWords(counts: OriginCounts, and: string, counted: (rows: number) => string): string {
  const { from_book, from_journal, oldest_bought_at: oldest } = counts;
  const parts = [
    ...(from_book > 0 ? [`${counted(from_book)} from the book`] : []),
    ...(from_journal > 0 ? [`${counted(from_journal)} from the journal`] : []),
  ];
  const age = oldest === null ? '' : `, the oldest bought ${agoOf(Date.now() - Date.parse(oldest))}`;
  return parts.length === 0 ? '' : parts.join(and) + age;
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** `3 hours ago`; a clock that was set back makes it less than a minute. */
function agoOf(milliseconds: number): string {
  for (const [unit, length] of units) if (milliseconds >= length) return `${pluralize(Math.floor(milliseconds / length), unit)} ago`;
  return 'less than a minute ago';
}
