/** Flags that shape the sandbox mean nothing to the real service: whoever gives them believes that nothing real is asked. */
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import type { Flags } from './root.ts';

const flagNames = {
  people: '--people',
  seed: '--seed',
  credits: '--credits',
  rateLimit: '--rate-limit',
  latency: '--latency',
  outOfCreditsStatus: '--out-of-credits-status',
  fault: '--fault',
} as const satisfies Partial<Record<keyof Flags, string>>;

/** @throws UsageError naming the first of them, where no sandbox runs: the call would go to the real service */
export function refuseIdleSandboxFlags({ command, flags, sandboxed }: Context): void {
  if (command === 'sandbox' || sandboxed()) return;
  for (const [name, flag] of Object.entries(flagNames)) {
    if (Object.hasOwn(flags, name)) {
      throw new UsageError(`${flag} is for the sandbox, and this command does not run against it`, { item: flag, hint: 'add --sandbox' });
    }
  }
}
