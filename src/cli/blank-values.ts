/** Refuses empty flag values. `--search "$ID"` without an ID would ask, and pay, for everything. */
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { UsageError } from '../errors.ts';

/** A blank is a valid delimiter; the reader of that flag refuses an empty one. */
const mayBeBlank: ReadonlySet<string> = new Set(['delimiter']);

/** Makes a command and all below it throw UsageError, naming the flag, for a value that is empty or white space. */
export function refuseBlankValues(command: CommandUnknownOpts): void {
  for (const option of command.options) {
    const name = option.name();
    if (mayBeBlank.has(name) || !(option.required || option.optional)) continue;
    command.on(`option:${name}`, (value: unknown) => {
      if (typeof value === 'string' && value.trim() === '') throw blank(`--${name}`);
    });
  }
  for (const below of command.commands) refuseBlankValues(below);
}

const blank = (flag: string): UsageError =>
  new UsageError(`${flag}: the value is empty`, { item: flag, hint: 'give it a value, or leave the flag out' });
