/** System errors while writing, in words. */
import { PdiError, systemCodeOf } from '../errors.ts';
import { cleanLine } from './clean.ts';

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be too large',
  EIO: 'the disk reports an error',
  EISDIR: 'it is a folder',
  ELOOP: 'its symbolic links lead in a circle',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'there is no such folder',
  ENOSPC: 'no space left on the disk',
  ENOTDIR: 'a part of the path is not a folder',
  EPERM: 'permission denied',
  EROFS: 'the disk is read-only',
};

/** Why writing failed, in a few words. */
export function reasonOf(error: unknown): string {
  const code = systemCodeOf(error);
  const known = code === undefined ? undefined : reasons[code];
  return known ?? cleanLine(error instanceof Error ? error.message : String(error));
}

/** A write that failed under way: nobody's mistake in the command, but the run cannot go on. */
export const writeFailure = (name: string, cause: unknown): PdiError =>
  new PdiError('internal', `cannot write to ${cleanLine(name)}: ${reasonOf(cause)}`, {
    item: name,
    cause,
    hint: systemCodeOf(cause) === 'ENOSPC' ? 'free some space, then run the same command again' : 'choose another place with --out FILE',
  });
