/** Counts as labelled bars, one line each, in blocks under their titles. */
import { bar } from '../bar.ts';
import { figure } from '../figures.ts';
import { gap } from '../fit.ts';
import { cellWidth, cut } from '../width.ts';
import type { PictureView } from './picture.ts';

/** One count and what it counts; the label is clean and stays in one line. */
export interface Bar {
  readonly label: string;
  readonly count: number;
}

/** Bars that are drawn to one scale. */
export interface Block {
  readonly title: string;
  readonly bars: readonly Bar[];
}

/** Cells of the longest bar, at the most; with fewer than the least, figures stand alone. */
const maxBarWidth = 24;
const minBarWidth = 4;

/** A count as a person reads it. */
export const grouped = (count: number): string => figure(String(count), 'count', '', 'full');

/** Cells of the three columns: the same in all blocks, so that they line up. */
interface Columns {
  readonly label: number;
  readonly count: number;
  readonly bar: number;
}

/** Labels give way where the line is narrow, then bars; counts never. */
function columnsFor(bars: readonly Bar[], width: number): Columns {
  const count = Math.max(0, ...bars.map((one) => grouped(one.count).length));
  const room = Math.max(1, width - gap - gap - count);
  const label = Math.min(room, Math.max(0, ...bars.map((one) => cellWidth(one.label))));
  return { label, count, bar: Math.min(maxBarWidth, room - label - gap) };
}

function blockLines({ title, bars }: Block, columns: Columns, { width, colors }: PictureView): readonly string[] {
  const most = Math.max(0, ...bars.map(({ count }) => count));
  const lines = bars.map(({ label, count }) => {
    const shown = cut(label, columns.label);
    const padding = ' '.repeat(columns.label - cellWidth(shown) + gap);
    const drawn = columns.bar < minBarWidth ? '' : bar(count, { least: 0, most }, columns.bar);
    const figures = grouped(count).padStart(columns.count);
    return ' '.repeat(gap) + colors.dim(shown) + padding + figures + (drawn === '' ? '' : ' '.repeat(gap) + colors.cyan(drawn));
  });
  return [colors.bold(cut(title, width)), ...lines];
}

/** Label, count and bar, line by line; a block without bars is left out. */
export function barLines(blocks: readonly Block[], view: PictureView): readonly string[] {
  const columns = columnsFor(
    blocks.flatMap(({ bars }) => bars),
    view.width,
  );
  return blocks.filter(({ bars }) => bars.length > 0).flatMap((block) => blockLines(block, columns, view));
}
