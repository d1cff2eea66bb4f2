/** Marks rows whose record has a field of another type than documented: its typed column stays empty, and `pdi_error` says why. */
import type { Column } from '../contract/columns.ts';
import type { MisfitFinder } from '../contract/misfits.ts';
import { pluralize, truncated } from '../errors.ts';
import { jsonText } from '../json/exact.ts';
import type { ResultRow } from '../rows/row.ts';

const maxNamed = 3;
const maxRemarks = 10;
const maxShown = 40;

export class MisfitRows {
  private readonly rowsByField = new Map<string, { readonly words: string; rows: number }>();
  private readonly names: ReadonlyMap<string, string>;

  /** A misfit has the name of the column that shows it, if there is one. */
  constructor(
    private readonly misfitsOf: MisfitFinder,
    columns: readonly Column[],
  ) {
    this.names = new Map(columns.map(({ name, paths: [path = name] = [] }) => [path, name]));
  }

  get remarks(): readonly string[] {
    const lines = [...this.rowsByField].map(
      ([field, { words, rows }]) =>
        `in ${pluralize(rows, 'record')} ${field} ${words}: json and ndjson give it as it came; report it to the service`,
    );
    const more = lines.length - maxRemarks;
    return more <= 0
      ? lines
      : [
          ...lines.slice(0, maxRemarks),
          `${pluralize(more, 'more field')} ${more === 1 ? 'is' : 'are'} not as documented`,
        ];
  }

  readonly mark = (row: ResultRow): ResultRow => {
    const { record, status } = row;
    if (record === undefined || status !== 'ok') return row;
    const { value } = record;
    const misfits = this.misfitsOf(value);
    if (misfits.length === 0) return row;
    const told = misfits.map((misfit) => ({
      ...misfit,
      field: this.fieldAt(misfit.path, Array.isArray(value)),
    }));
    for (const [field, words] of new Map(told.map(({ field, words }) => [field, words])))
      this.count(field, words);
    const filled = told.filter(({ isMissing }) => !isMissing);
    // A field of a list, or of several matches, is named once.
    const fields = filled.filter(
      ({ field }, at) => filled.findIndex((other) => other.field === field) === at,
    );
    const parts = [row.error, ...fields.slice(0, maxNamed).map(errorOf), moreThan(fields.length)];
    const error = parts.filter((part) => part !== undefined).join('; ');
    return error === '' ? row : { ...row, error };
  };

  private fieldAt(place: string, isInList: boolean): string {
    const path = isInList ? place.replace(/^0(?:\.|$)/, '') : place;
    const steps = path.split('.').filter((step) => !/^\d+$/.test(step));
    return (this.names.get(path) ?? steps.join('.')) || 'the record';
  }

  private count(field: string, words: string): void {
    const known = this.rowsByField.get(field) ?? { words, rows: 0 };
    known.rows += 1;
    this.rowsByField.set(field, known);
  }
}

function errorOf({
  field,
  words,
  value,
}: {
  readonly field: string;
  readonly words: string;
  readonly value: unknown;
}): string {
  return `${field} ${words}: ${truncated(jsonText(value), maxShown)}`;
}

const moreThan = (count: number): string | undefined =>
  count > maxNamed ? `${count - maxNamed} more fields differ` : undefined;
