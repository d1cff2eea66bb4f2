/** Draws counts as labelled bars, one line each, in blocks with titles. */
import { bar } from '../bar.ts';
import { figure } from '../figures.ts';
import { gap } from '../fit.ts';
import { cellWidth, cut } from '../width.ts';
import type { PictureView } from './picture.ts';

/** The label is clean and fits on one line. */
export interface Bar {
  readonly label: string;
  readonly count: number;
}

interface Block {
  readonly title: string;
  readonly bars: readonly Bar[];
}

/** The longest bar has at most this many cells; below the minimum, only the figures are shown. */
const maxBarWidth = 24;
const minBarWidth = 4;

export const grouped = (count: number): string => figure(String(count), 'count', '', 'full');

interface Columns {
  readonly label: number;
  readonly count: number;
  readonly bar: number;
}

/** On a narrow line, labels are cut first and bars second, but counts never. */
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

export function barLines(blocks: readonly Block[], view: PictureView): readonly string[] {
  const columns = columnsFor(
    blocks.flatMap(({ bars }) => bars),
    view.width,
  );
  return blocks.filter(({ bars }) => bars.length > 0).flatMap((block) => blockLines(block, columns, view));
}
