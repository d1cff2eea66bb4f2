/** `--dry-run` where no request is planned: who gives it believes that nothing happens, so nothing may. */
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { operationOf } from './endpoints.ts';

/** Commands that plan no call of their own and yet do something. */
const acting: ReadonlySet<string> = new Set(['config set', 'config unset', 'config init', 'sandbox']);

/** Commands whose `--dry-run` prints requests: those never write. */
const plans = (command: string): boolean => command === 'config check' || Object.hasOwn(operationOf, command);

/** @throws UsageError where the command would change something, or write `--out`, all the same */
export function refuseIdleDryRun({ command, flags }: Pick<Context, 'command' | 'flags'>): void {
  if (flags.dryRun !== true || plans(command)) return;
  const hint = 'it makes no call that could be shown instead: leave --dry-run out';
  if (acting.has(command)) throw new UsageError(`pdi ${command} takes no --dry-run`, { item: '--dry-run', hint });
  if (flags.out !== undefined) throw new UsageError(`pdi ${command} takes no --dry-run with --out`, { item: '--dry-run', hint });
}
