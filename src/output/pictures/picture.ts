/** What a picture is: a few lines below a table, made from counts alone, whatever the number of records. */
import type { Colors } from 'picocolors/types.js';

/** What a picture is drawn with. */
export interface PictureView {
  /** Cells of a line. */
  readonly width: number;
  readonly colors: Pick<Colors, 'bold' | 'cyan' | 'dim'>;
}

export interface Picture {
  /** Counts one record in; it is not kept. */
  add(record: unknown): void;
  /** The lines, without line breaks, none wider than the view. */
  lines(view: PictureView): readonly string[];
}
