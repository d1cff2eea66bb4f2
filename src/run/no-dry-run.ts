/** `--dry-run` where no request is planned: who gives it believes that nothing happens, so nothing may. */

import { callsService } from '../cli/endpoints.ts';
import { UsageError } from '../errors.ts';
import type { Context } from './context.ts';

/** Commands that do more than ask and print. */
const acting: ReadonlySet<string> = new Set(['config set', 'config unset', 'config init', 'sandbox']);

/** @throws UsageError where the command would change something, or write `--out`, all the same */
export function refuseIdleDryRun({ command, flags }: Pick<Context, 'command' | 'flags'>): void {
  if (flags.dryRun !== true) return;
  const hint = 'it makes no call that could be shown instead: leave --dry-run out';
  if (acting.has(command)) throw new UsageError(`pdi ${command} takes no --dry-run`, { item: '--dry-run', hint });
  // Those that call print their plan to stdout, and leave the file alone.
  if (flags.out !== undefined && !callsService(command))
    throw new UsageError(`pdi ${command} takes no --dry-run with --out`, { item: '--dry-run', hint });
}
