/** A variable that is misspelt would be passed over, and with it the limit that it was to set. */

import { environmentVariables } from '../config/settings.ts';
import { UsageError } from '../errors.ts';
import { edits, nearest } from '../rows/nearest.ts';

const known = environmentVariables.map(([name]) => name).filter((name) => name.startsWith('PDI_'));
/** Without these a run buys more than was meant, or buys at all. */
const guards: ReadonlySet<string | undefined> = new Set([
  'PDI_MAX_BILLABLE',
  'PDI_BUDGET',
  'PDI_SANDBOX',
]);

const plain = (name: string): string => name.toUpperCase().replaceAll(/[^A-Z]/g, '');

/** So many letters of a name may be other ones. */
const mostEdits = 3;

/** Tells of each of these names. @throws UsageError for one that is near a guard */
export function refuseUnknownVariables(
  names: readonly string[],
  notice: (words: string) => void,
): void {
  for (const name of names) {
    const [meant = ''] = nearest(plain(name), known.map(plain));
    const isNear = edits(plain(name), meant) <= mostEdits;
    const near = isNear ? known.find((other) => plain(other) === meant) : undefined;
    const words = `${name} is no variable of pdi`;
    if (guards.has(near))
      throw new UsageError(words, {
        item: name,
        hint: `write ${near}, or unset it; nothing was sent`,
      });
    notice(
      near === undefined ? `${words}: see pdi help environment` : `${words}: did you mean ${near}?`,
    );
  }
}
