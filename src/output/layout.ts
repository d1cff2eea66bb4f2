/** Decides the shape of the output before any row is known. */
import type { Column } from '../contract/columns.ts';
import type { CardName, PictureName } from '../contract/endpoint.ts';
import { UsageError } from '../errors.ts';
import type { OwnTable } from '../rows/input-row.ts';
import { cleanLine } from './clean.ts';

export interface Layout {
  readonly columns: readonly Column[];
  /** It is true if `--fields` was given. */
  readonly chosen: boolean;
  /** One record was asked for, so JSON is an object and a table is a card. */
  readonly one: boolean;
  /** Rows have an input and a status. */
  readonly job: boolean;
  readonly own?: OwnTable;
  readonly card?: CardName;
  /** It is set only if the output is a terminal. */
  readonly picture?: PictureName;
}

const namesIn = (fields: string): readonly string[] => [
  ...new Set(
    fields
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ),
];

/** Returns the parents of columns (`company` and `company.hq` for `company.hq.city`), so that `--fields` can choose them. */
const containersOf = (columns: readonly Column[]): readonly Column[] => {
  const paths = columns.map(({ name }) => name.split('.'));
  const names = new Set(paths.flatMap((steps) => steps.slice(1).map((_step, index) => steps.slice(0, index + 1).join('.'))));
  return [...names].map((name) => ({ name, kind: 'json', inTable: false }));
};

/** Chooses columns by their names or their parents' names; those on request only by name. @throws UsageError that names every unknown name and the valid ones */
export function chooseColumns(
  all: readonly Column[],
  fields: string | undefined,
  onRequest: readonly Column[] = [],
): { readonly columns: readonly Column[]; readonly chosen: boolean } {
  if (fields === undefined) return { columns: all, chosen: false };
  const byName = new Map([...containersOf(all), ...all, ...onRequest].map((column) => [column.name, column]));
  const hint =
    all.length === 0
      ? 'this command has no fields to choose from'
      : `valid names: ${[...all, ...onRequest].map(({ name }) => name).join(', ')}`;
  const names = namesIn(fields);
  if (names.length === 0) throw new UsageError('--fields names no field', { item: '--fields', hint });
  const unknown = names.filter((name) => !byName.has(name)).map((name) => `"${cleanLine(name)}"`);
  if (unknown.length > 0) throw new UsageError(`--fields: no field is called ${unknown.join(', ')}`, { item: '--fields', hint });
  return { columns: names.flatMap((name) => byName.get(name) ?? []), chosen: true };
}
