/** Reads from the command line alone whether failures are JSON, for a run that ends before its options are known. */
import type { Io } from '../io.ts';
import { formatOfName, isJsonFormat, outputFormats } from '../output/formats.ts';

/** An unknown value of `--errors` or `--output` is a failure itself, so it decides nothing. */
export function jsonErrorsAsked(argv: readonly string[], io: Pick<Io, 'env' | 'stdout'>): boolean {
  const errors = lastValue(argv, /^--errors(?:=(.*))?$/);
  if (errors === 'json' || errors === 'text') return errors === 'json';
  const flag = lastValue(argv, /^(?:--output|-o)(?:=(.*))?$|^-o(.+)$/);
  const asked = (flag ?? io.env.PDI_OUTPUT)?.trim();
  const format = outputFormats.find((known) => known === asked);
  // As in a run that knows its options: the name comes before the environment, but by itself does not make a terminal read JSON.
  const named = flag === undefined ? formatOfName(lastValue(argv, /^--out(?:=(.*))?$/)) : undefined;
  return (format !== undefined || io.stdout.isTTY !== true) && isJsonFormat(named ?? format ?? 'json');
}

/** Reads an option as the argument parser does: the last one counts, and after `--` there are no options. */
function lastValue(argv: readonly string[], option: RegExp): string | undefined {
  const end = argv.indexOf('--');
  const words = end === -1 ? argv : argv.slice(0, end);
  let value: string | undefined;
  for (const [index, word] of words.entries()) {
    const found = option.exec(word);
    if (found !== null) value = found[1] ?? found[2] ?? words[index + 1];
  }
  return value;
}
