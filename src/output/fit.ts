/** Fitting columns into a line: pure arithmetic on cells. */

/** Blank cells between two columns. */
export const gap = 2;

export interface Need {
  /** The least that makes sense; below it, the table gives way to cards. */
  readonly floor: number;
  /** What the contents would take. */
  readonly content: number;
  /** What the head would take on one line. */
  readonly head: number;
}

/** Gives out `spare` cells one by one, always to the narrowest column that still wants one. Returns what is left. */
function raise(widths: number[], wants: readonly number[], spare: number): number {
  for (let left = spare; left > 0; left--) {
    const wanting = widths.map((width, index) => (width < (wants[index] ?? 0) ? width : Number.POSITIVE_INFINITY));
    const narrowest = Math.min(...wanting);
    if (!Number.isFinite(narrowest)) return left;
    widths[wanting.indexOf(narrowest)] = narrowest + 1;
  }
  return 0;
}

/** Column widths that fit into `width` cells with gaps: contents first, then heads. Undefined where even the floors do not. */
export function fitColumns(needs: readonly Need[], width: number): readonly number[] | undefined {
  const widths = needs.map(({ floor }) => floor);
  const spare = widths.reduce((left, floor) => left - floor, width - gap * (needs.length - 1));
  if (spare < 0) return undefined;
  const contents = needs.map(({ content }) => content);
  const heads = needs.map(({ head }) => head);
  raise(widths, heads, raise(widths, contents, spare));
  return widths;
}
