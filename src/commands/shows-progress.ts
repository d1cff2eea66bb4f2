/** Where a progress bar has its place. */
import type { Context } from '../context.ts';

/** A terminal that shows the rows themselves needs no bar; `--quiet` wants none. */
export const showsProgress = (context: Context): boolean => context.flags.quiet !== true && !context.isForTerminal();
