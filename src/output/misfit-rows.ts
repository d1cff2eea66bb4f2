/** Marks rows whose record has a field of another type than documented: its typed column stays empty, and `pdi_error` says why. */
import { type Column, recordSchema } from '../contract/columns.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { type Misfit, misfitsIn } from '../contract/misfits.ts';
import { pluralize } from '../errors.ts';
import { jsonText } from '../json/exact.ts';
import type { ResultRow } from '../rows/row.ts';
import { isTyped } from './layout.ts';

const maxNamed = 3;
const maxRemarks = 10;
const maxShown = 40;

export class MisfitRows {
  private readonly rowsByField = new Map<string, { readonly words: string; rows: number }>();
  private readonly schema: ReturnType<typeof recordSchema>;
  private readonly byPath: ReadonlyMap<string, Column>;

  constructor(private readonly endpoint: Endpoint) {
    this.schema = recordSchema(endpoint);
    this.byPath = new Map(endpoint.columns.map((column) => [column.paths?.[0] ?? column.name, column]));
  }

  get remarks(): readonly string[] {
    const lines = [...this.rowsByField].map(
      ([field, { words, rows }]) =>
        `in ${pluralize(rows, 'record')} ${field} ${words}: json and ndjson give it as it came; report it to the service`,
    );
    const more = lines.length - maxRemarks;
    return more <= 0
      ? lines
      : [...lines.slice(0, maxRemarks), `${pluralize(more, 'more field')} ${more === 1 ? 'is' : 'are'} not as documented`];
  }

  readonly mark = (row: ResultRow): ResultRow => {
    const { record, status } = row;
    if (record === undefined || status !== 'ok') return row;
    const isList = Array.isArray(record.value);
    const misfits = misfitsIn(isList ? this.endpoint.response : this.schema, record.value);
    if (misfits.length === 0) return row;
    const told = misfits.map((misfit) => this.placed(misfit, isList));
    for (const [field, words] of new Map(told.map(({ field, words }) => [field, words]))) this.count(field, words);
    const filled = told.filter(({ isMissing }) => !isMissing);
    const typed = filled.flatMap(({ column }) => (column !== undefined && isTyped(column.kind) ? [column.name] : []));
    // A field of a list, or of several matches, is named once.
    const fields = filled.filter(({ field }, at) => filled.findIndex((other) => other.field === field) === at);
    const parts = [row.error, ...fields.slice(0, maxNamed).map(errorOf), moreThan(fields.length)];
    const error = parts.filter((part) => part !== undefined).join('; ');
    return { ...row, ...(error !== '' && { error }), ...(typed.length > 0 && { unfit: new Set(typed) }) };
  };

  private placed(misfit: Misfit, isList: boolean) {
    const path = isList ? misfit.path.replace(/^0(?:\.|$)/, '') : misfit.path;
    const column = this.byPath.get(path);
    const steps = path.split('.').filter((step) => !/^\d+$/.test(step));
    return { ...misfit, column, field: (column?.name ?? steps.join('.')) || 'the record' };
  }

  private count(field: string, words: string): void {
    const known = this.rowsByField.get(field) ?? { words, rows: 0 };
    known.rows += 1;
    this.rowsByField.set(field, known);
  }
}

function errorOf({ field, words, value }: { readonly field: string; readonly words: string; readonly value: unknown }): string {
  const text = jsonText(value);
  return `${field} ${words}: ${text.length > maxShown ? `${text.slice(0, maxShown)}…` : text}`;
}

const moreThan = (count: number): string | undefined => (count > maxNamed ? `${count - maxNamed} more fields differ` : undefined);
