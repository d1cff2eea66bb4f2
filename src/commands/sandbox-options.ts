/** The sandbox's options from the root flags: the same for `pdi sandbox` and `pdi --sandbox COMMAND`. */
import { decimal, wholeNumber } from '../config/values.ts';
import { parseFault } from '../sandbox/faults.ts';
import { inWords, type Range, ranges, type SandboxOptions } from '../sandbox/options.ts';
import { flagReader } from './flag-reader.ts';
import type { Flags } from './root.ts';

/** @throws UsageError naming the flag with a bad value, one out of the sandbox's range included */
export function sandboxOptions(flags: Flags, port?: string): SandboxOptions {
  const { people, seed, credits, rateLimit, latency, outOfCreditsStatus, fault = [] } = flags;
  return {
    port: read('--port', ranges.port, port),
    people: read('--people', ranges.people, people),
    seed: read('--seed', ranges.seed, seed),
    credits: read('--credits', ranges.credits, credits),
    rateLimit: read('--rate-limit', ranges.rateLimit, rateLimit),
    latency: read('--latency', ranges.latency, latency),
    outOfCreditsStatus: read('--out-of-credits-status', ranges.outOfCreditsStatus, outOfCreditsStatus),
    faults: fault.map(parseFault),
  };
}

function read(flag: string, range: Range, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const bounds = { least: range.low, most: Math.min(range.high, Number.MAX_SAFE_INTEGER), expected: inWords(range) };
  return flagReader(flag, range.whole ? wholeNumber(bounds) : decimal(bounds))(text);
}
