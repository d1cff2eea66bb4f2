/** Puts the system's refusals of a file into words, the same for reading and writing. */
import { systemCodeOf } from '../errors.ts';

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

/** Says in a few words why the system refused; of a rarer error `EBADF: bad descriptor, read` it keeps `bad descriptor`. */
export function reasonOf(error: unknown): string {
  const known = reasons[systemCodeOf(error) ?? ''];
  if (known !== undefined) return known;
  if (!(error instanceof Error)) return String(error);
  return error.message.replace(/^[A-Z0-9]+: /, '').replace(/, [a-z]+( '.*')?$/s, '');
}

const isFull = (error: unknown): boolean => ['EDQUOT', 'ENOSPC'].includes(systemCodeOf(error) ?? '');

export const mendingOf = (error: unknown): string => (isFull(error) ? 'free some space' : 'see that it can be written');
