/** `--dry-run` where no request is planned: who gives it believes that nothing happens, so nothing may. */
import { callsService } from '../cli/endpoints.ts';
import type { LaunchCommand } from '../cli/program.ts';
import { UsageError } from '../errors.ts';

type Launched = Parameters<LaunchCommand>;

/** @throws UsageError where the command would change something, or write `--out`, all the same */
export function refuseIdleDryRun(command: Launched[1], { dryRun, out }: Pick<Launched[0], 'dryRun' | 'out'>): void {
  if (dryRun !== true) return;
  const hint = 'it makes no call that could be shown instead: leave --dry-run out';
  if (command.changes === true) throw new UsageError(`pdi ${command.words} takes no --dry-run`, { item: '--dry-run', hint });
  // Those that call print their plan to stdout, and leave the file alone.
  if (out !== undefined && !callsService(command))
    throw new UsageError(`pdi ${command.words} takes no --dry-run with --out`, { item: '--dry-run', hint });
}
