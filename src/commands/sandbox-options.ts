/** The sandbox's options from the root flags: the same for `pdi sandbox` and `pdi --sandbox COMMAND`. */
import { decimal, wholeNumber } from '../config/values.ts';
import { parseFault } from '../sandbox/faults.ts';
import type { SandboxOptions } from '../sandbox/server.ts';
import { flagReader } from './flag-reader.ts';
import type { Flags } from './root.ts';

const most = Number.MAX_SAFE_INTEGER;
const whole = wholeNumber({ most, expected: 'a whole number' });
const anyDecimal = decimal({ most, expected: 'a number' });

/** @throws UsageError naming the flag with a bad value; ranges are the sandbox's to check */
export function sandboxOptions(flags: Flags, port?: string): SandboxOptions {
  const { people, seed, credits, rateLimit, latency, outOfCreditsStatus, fault = [] } = flags;
  return {
    port: read('--port', whole, port),
    people: read('--people', whole, people),
    seed: read('--seed', whole, seed),
    credits: read('--credits', whole, credits),
    rateLimit: read('--rate-limit', anyDecimal, rateLimit),
    latency: read('--latency', anyDecimal, latency),
    outOfCreditsStatus: read('--out-of-credits-status', whole, outOfCreditsStatus),
    faults: fault.map(parseFault),
  };
}

const read = (flag: string, parse: (text: string) => number, text: string | undefined): number | undefined =>
  text === undefined ? undefined : flagReader(flag, parse)(text);
