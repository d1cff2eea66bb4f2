/** Counts the rows of a run, each once and by one call, and tells how the run ended for them. */
import { PdiError, pluralize } from '../errors.ts';
import { wasMended } from '../json/exact.ts';
import { type ResultRow, type RowStatus, rowStatuses } from '../rows/row.ts';

interface OriginCounts {
  from_book: number;
  from_journal: number;
  /** It is the time when the oldest was bought, ISO 8601 in UTC; null if that is unknown. */
  oldest_bought_at: string | null;
}

/** There are far fewer classes. A text that varies with each row, which nobody foresaw, must not fill the memory. */
const maxClasses = 100;

/** It says no more than the status of its rows. */
const plainMiss = 'no match';

interface FailureWords {
  readonly hint?: string;
  /** The counts stand in the summary. */
  readonly isTold?: boolean;
}

export class RunCount {
  readonly tally: Record<RowStatus, number> = {
    ok: 0,
    not_found: 0,
    invalid: 0,
    unknown: 0,
    failed: 0,
    skipped: 0,
  };
  readonly origins: OriginCounts = { from_book: 0, from_journal: 0, oldest_bought_at: null };
  /** So many different items may have been billed without an answer, in this run or before. */
  readonly unknownItems = new Set<string>();
  firstError: string | undefined;
  aboutAnother = 0;
  /** They made no call, and have their answer from an earlier row of this run. */
  repeated = 0;
  linksInTexts = 0;
  halved = 0;
  several = 0;
  originUnit = 'row';
  private readonly reasons = new Map<string, number>();

  /** `written` are those of the rows that are in the output: `--where` may keep fewer, and a failure none. */
  add(rows: readonly ResultRow[], written = rows): void {
    const { origins } = this;
    for (const { record, status, source, fetchedAt } of rows) {
      if (Array.isArray(record?.value) && record.value.length > 1) this.several += 1;
      // An unknown item was never answered, so it was not bought.
      if (source === undefined || status === 'unknown') continue;
      origins[source === 'book' ? 'from_book' : 'from_journal'] += 1;
      if (fetchedAt !== undefined && fetchedAt < (origins.oldest_bought_at ?? '~'))
        origins.oldest_bought_at = fetchedAt;
    }
    for (const row of written) this.addWritten(row);
  }

  addEmpty({ source, fetchedAt }: Pick<ResultRow, 'source' | 'fetchedAt'>): void {
    this.originUnit = 'empty answer';
    this.add([{ status: 'not_found', source, fetchedAt }], []);
  }

  get rows(): number {
    return rowStatuses.reduce((sum, status) => sum + this.tally[status], 0);
  }

  /** `130 rows: 128 ok, 2 invalid`. */
  get words(): string {
    const parts = rowStatuses
      .filter((status) => this.tally[status] > 0)
      .map((status) => `${this.tally[status]} ${status.replace('_', ' ')}`);
    return `${pluralize(this.rows, 'row')}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`;
  }

  /** Then the journal stays: another run may answer some rows, the unknown ones only with `--retry-unknown`. */
  get isUnfinished(): boolean {
    return this.tally.unknown > 0 || this.isAskedAgain;
  }

  get settled(): number {
    const { ok, not_found, invalid } = this.tally;
    return ok + not_found + invalid;
  }

  get isAskedAgain(): boolean {
    return this.tally.failed + this.tally.skipped > 0;
  }

  /** `fine` is a good end of the command itself; the user said what else is `accepted`. */
  failure(
    fine: readonly RowStatus[],
    accepted: readonly RowStatus[] = [],
    { hint = this.wayToSuccess(fine, accepted), isTold = false }: FailureWords = {},
  ): PdiError | undefined {
    const bad = this.bad([...fine, ...accepted]).reduce(
      (sum, status) => sum + this.tally[status],
      0,
    );
    if (bad === 0) return undefined;
    const told = `${bad} of ${pluralize(this.rows, 'row')} ${bad === 1 ? 'is' : 'are'} not ok`;
    return new PdiError('partial', isTold ? told : `the job ended with ${this.words}`, {
      billed: this.tally.unknown > 0 ? 'unknown' : 'no',
      retryable: this.isAskedAgain,
      hint,
    });
  }

  private bad(accepted: readonly RowStatus[]): readonly RowStatus[] {
    return rowStatuses.filter(
      (status) => this.tally[status] > 0 && status !== 'ok' && !accepted.includes(status),
    );
  }

  private wayToSuccess(
    fine: readonly RowStatus[],
    accepted: readonly RowStatus[],
  ): string | undefined {
    const wanted = [...new Set([...accepted, ...this.bad(fine)])];
    // Nothing accepts these.
    if (wanted.includes('skipped') || this.tally.ok * 2 < this.rows) return undefined;
    return `with --accept ${wanted.join(',')} it would end with exit code 0`;
  }

  commonestReasons(most: number): readonly (readonly [reason: string, rows: number])[] {
    return [...this.reasons].toSorted(([, one], [, other]) => other - one).slice(0, most);
  }

  private addWritten(row: ResultRow): void {
    const { status, input, error, record, inputValue } = row;
    this.tally[status] += 1;
    if (
      row.repeated === true &&
      row.source === undefined &&
      status !== 'skipped' &&
      status !== 'unknown'
    )
      this.repeated += 1;
    if (status === 'unknown' && input !== undefined) this.unknownItems.add(input);
    if (row.aboutAnother !== undefined) this.aboutAnother += 1;
    if (row.linkInText === true) this.linksInTexts += 1;
    if (wasMended(record?.value) || wasMended(inputValue)) this.halved += 1;
    if (error === undefined || status === 'ok') return;
    this.firstError ??= error;
    // Rows that were not sent have the reason that ended the run, which is told as its failure.
    if (error === plainMiss || status === 'skipped') return;
    const name = classOf(error);
    const rows = this.reasons.get(name) ?? 0;
    if (rows > 0 || this.reasons.size < maxClasses) this.reasons.set(name, rows + 1);
  }
}

/** These texts name a value of the row before any end of a class, or say more than a count needs. */
const classes: readonly (readonly [RegExp, string])[] = [
  [/^(?:empty$|no id$)/, 'blank'],
  [/^"[^"]*" is not an id/, 'not an id'],
  [/^\d+ cells? where the header has \d+/, 'more cells than the header'],
  [/^the (?:body|field) /, 'an answer that is not as documented'],
  [/^sent earlier, and the answer was lost/, 'the answer was lost earlier'],
];

/** What follows explains, or names a value. The status of an answer, as in `not found (404)`, belongs to the class. */
const endOfClass = /[:;,]\s| \((?!\d{3}\))/;

export function classOf(error: string): string {
  const known = classes.find(([pattern]) => pattern.test(error));
  if (known !== undefined) return known[1];
  const end = error.search(endOfClass);
  return end < 0 ? error : error.slice(0, end);
}
