/** A picture is a few lines below a table. It is made from counts, so its size does not depend on the number of records. */
import type { Colors } from 'picocolors/types.js';

export interface PictureView {
  readonly width: number;
  readonly colors: Pick<Colors, 'bold' | 'cyan' | 'dim'>;
}

export interface Picture {
  add(record: unknown): void;
  lines(view: PictureView): readonly string[];
}
