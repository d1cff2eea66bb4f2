/** Fits columns into a line. All sizes are terminal cells. */

export const gap = 2;

export interface Need {
  /** If not even the floors fit, the rows are shown as cards. */
  readonly floor: number;
  readonly content: number;
  readonly head: number;
}

function raise(widths: number[], wants: readonly number[], spare: number): number {
  for (let left = spare; left > 0; left--) {
    const wanting = widths.map((width, index) => (width < (wants[index] ?? 0) ? width : Number.POSITIVE_INFINITY));
    const narrowest = Math.min(...wanting);
    if (!Number.isFinite(narrowest)) return left;
    widths[wanting.indexOf(narrowest)] = narrowest + 1;
  }
  return 0;
}

/** Returns column widths that fit into `width` cells: contents first, then heads. Returns undefined if the floors do not fit. */
export function fitColumns(needs: readonly Need[], width: number): readonly number[] | undefined {
  const widths = needs.map(({ floor }) => floor);
  const spare = widths.reduce((left, floor) => left - floor, width - gap * (needs.length - 1));
  if (spare < 0) return undefined;
  const contents = needs.map(({ content }) => content);
  const heads = needs.map(({ head }) => head);
  raise(widths, heads, raise(widths, contents, spare));
  return widths;
}
