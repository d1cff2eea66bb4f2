/** Counts the rows that were bought before, and says how many there were and how old the oldest is. */
import type { Column } from '../contract/columns.ts';
import { pluralize } from '../errors.ts';
import type { ResultRow, ResultRows } from '../rows/result-row.ts';
import { withFields } from './added-fields.ts';
import type { Context } from './context.ts';

/** Columns of answers that may be kept, shown where `--fields` names them. */
export const originColumns: readonly Column[] = [
  { name: 'pdi_source', kind: 'text', inTable: true },
  { name: 'pdi_fetched_at', kind: 'date', dateTime: 'utc', inTable: true },
];

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

  /** Passes the rows on; where `--fields` names a column of `originColumns`, with that as a field of their records. */
  async *counting(rows: ResultRows, fields: string | undefined): ResultRows {
    const isShown = originColumns.some(({ name }) => fields?.split(',').some((field) => field.trim() === name));
    for await (const together of rows) {
      if (together instanceof Error) yield together;
      else {
        for (const row of together) this.count(row);
        yield isShown ? together.map(withOrigin) : together;
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

  tell(context: Context): void {
    const words = originWords(this.counts, ' and ', (rows) => pluralize(rows, this.unit));
    if (words === '') return;
    context.notice(`${words}${this.rows.book > 0 ? '; --fresh buys again what the book has' : ''}`);
  }

  /** An unknown item was never answered, so it was not bought. */
  private count({ status, source, fetchedAt }: Pick<ResultRow, 'status' | 'source' | 'fetchedAt'>): void {
    if (source === undefined || status === 'unknown') return;
    this.rows[source] += 1;
    if (fetchedAt !== undefined && fetchedAt < (this.oldest ?? '~')) this.oldest = fetchedAt;
  }
}

function withOrigin(row: ResultRow): ResultRow {
  const { record, source = 'service', fetchedAt = null } = row;
  const origin = { pdi_source: source, pdi_fetched_at: fetchedAt };
  return record === undefined && fetchedAt !== null ? { ...row, shown: origin } : withFields(row, origin);
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
