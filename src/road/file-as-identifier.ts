/** Refuses names of files among identifiers: without `-i` or `--add-from`, such a name is asked for as an id, and may be billed. */
import { statSync } from 'node:fs';
import { shellWord } from '../contract/identifier.ts';
import { UsageError } from '../errors.ts';
import { kindByName } from '../input/kind.ts';

interface FileInstead {
  readonly command: string;
  readonly flag: string;
  readonly otherwise?: string;
}

/** @throws UsageError if an identifier is the path of a file, or a name that only a file has */
export function refuseFiles(identifiers: readonly string[], { command, flag, otherwise = '' }: FileInstead): void {
  for (const identifier of identifiers) {
    if (isFile(identifier)) {
      const hint = `nothing was sent; \`pdi ${command} ${flag} ${shellWord(identifier)}\` reads the identifiers in it`;
      throw new UsageError(`${identifier} is a file, not an identifier`, { item: identifier, hint });
    }
    if (isFileName(identifier)) {
      const hint = `nothing was sent; a file of identifiers is named with ${flag} FILE${otherwise}`;
      throw new UsageError(`${identifier}: there is no such file`, { item: identifier, hint });
    }
  }
}

/** A slug may have an extension too, so a URL or a path is no name of a file. */
const isFileName = (text: string): boolean => !/[/\\]/.test(text) && kindByName(text) !== undefined;

/** A plain word is an identifier, even if a file here happens to be called so. */
function isFile(text: string): boolean {
  if (text.includes('://') || !(isFileName(text) || /[/\\]/.test(text))) return false;
  try {
    return !statSync(text).isDirectory();
  } catch {
    return false;
  }
}
