/** Where a progress bar has its place. */
import type { Context } from '../context.ts';

/** A terminal that shows the rows themselves needs no bar; `--quiet` wants none. */
export const showsProgress = ({ flags, io }: Context): boolean =>
  flags.quiet !== true && (io.stdout.isTTY !== true || flags.out !== undefined);
