/** Makes the sandbox's options from the root flags, for `pdi sandbox` and `pdi --sandbox COMMAND`. */
import { decimal, readAt, wholeNumberReader } from '../config/values.ts';
import { parseFault } from '../sandbox/faults.ts';
import { inWords, type Range, ranges, type SandboxOptions } from '../sandbox/options.ts';
import { type Flags, sandboxNumbers } from './root.ts';

/** @throws UsageError naming the flag whose value is bad or out of range */
export function sandboxOptions(flags: Flags, port?: string): SandboxOptions {
  const numbers: Partial<Record<keyof Flags, number | undefined>> = Object.fromEntries(
    sandboxNumbers.map(([name, flag]) => [name, read(flag, ranges[name], flags[name])] as const),
  );
  return { ...numbers, port: read('--port', ranges.port, port), faults: (flags.fault ?? []).map(parseFault) };
}

function read(flag: string, range: Range, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const bounds = { least: range.low, most: Math.min(range.high, Number.MAX_SAFE_INTEGER), expected: inWords(range) };
  return readAt(flag, () => (range.whole ? wholeNumberReader(bounds) : decimal(bounds))(text));
}
