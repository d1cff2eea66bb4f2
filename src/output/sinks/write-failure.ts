/** A write that failed. */
import { PdiError, systemCodeOf } from '../../errors.ts';
import { reasonOf } from '../../files/reasons.ts';
import { cleanLine } from '../clean.ts';

/** A write that failed under way: nobody's mistake in the command, but the run cannot go on. */
export const writeFailure = (name: string, cause: unknown): PdiError =>
  new PdiError('internal', `cannot write to ${cleanLine(name)}: ${cleanLine(reasonOf(cause))}`, {
    item: name,
    cause,
    hint: systemCodeOf(cause) === 'ENOSPC' ? 'free some space' : 'see that it can be written',
    rerun: 'run the same command again',
  });
