/** Decides column widths from the kinds of columns and the first rows, because a sheet has them before its rows. */
import type { Column } from '../../contract/columns.ts';
import { isNumber } from '../../json/parse.ts';
import { figure } from '../display.ts';
import { cellWidth } from '../width.ts';

export const rowsMeasured = 1000;

/** Wider columns push the others out of sight. */
const widest = 60;
const narrowest = 6;
/** It is room for the margins of a cell, and for the arrow of a filter in a header. */
const margin = 2;
/** A figure keeps a distance from the next column. */
const indent = 2;
const arrow = 3;

const shownTime = '2026-01-01 00:00:00';

/** Any value of the kind fits, so that later rows show theirs too. */
function leastWidth({ kind, dateTime }: Pick<Column, 'kind' | 'dateTime'>): number {
  switch (kind) {
    case 'date':
      return dateTime === undefined ? '2026-01-01'.length : shownTime.length;
    case 'usd':
      return '999,999,999,999.00'.length;
    case 'count':
      return '999,999,999'.length;
    case 'number':
    case 'percent':
      return '-1234.56'.length;
    default:
      return narrowest;
  }
}

/** Figures stand to the right, with a distance from the next column. */
export const isFigure = (kind: Column['kind'] | undefined): boolean =>
  kind === 'usd' || kind === 'count' || kind === 'number' || kind === 'percent';

const textWidth = (text: string): number =>
  Math.max(
    ...text
      .slice(0, 4 * widest)
      .split('\n')
      .map(cellWidth),
  );

function shownWidth(value: unknown, { kind, name }: Pick<Column, 'kind' | 'name'>): number {
  // A zone and fractions of a second are not shown.
  if (kind === 'date' && typeof value === 'string') return Math.min(textWidth(value), shownTime.length);
  if (typeof value === 'string') return textWidth(value);
  if (isNumber(value)) return figure(value, kind === 'usd' ? 'count' : kind, name).length;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + (typeof item === 'string' ? cellWidth(item) + 2 : widest), 0);
  return value === null || value === undefined ? 0 : 'FALSE'.length;
}

export type MeasuredColumn = Pick<Column, 'name' | 'kind' | 'dateTime'> & { readonly title: string };

export class ColumnWidths {
  private readonly widths: number[];

  constructor(
    private readonly columns: readonly MeasuredColumn[],
    withHeader: boolean,
  ) {
    this.widths = columns.map((column) => Math.max(leastWidth(column), withHeader ? cellWidth(column.title) + arrow : 0));
  }

  measure(values: readonly unknown[]): void {
    for (const [index, column] of this.columns.entries())
      this.widths[index] = Math.max(this.widths[index] ?? 0, shownWidth(values[index], column));
  }

  /** It is empty for a book without columns. */
  get element(): string {
    const each = this.widths.map((found, index) => {
      const width = found + (isFigure(this.columns[index]?.kind) ? indent : 0);
      return `<col min="${index + 1}" max="${index + 1}" width="${Math.min(width, widest) + margin}" customWidth="1"/>`;
    });
    return each.length === 0 ? '' : `<cols>${each.join('')}</cols>`;
  }
}
