/** Runs `pdi resolve`. */
import type { InputFlags } from '../cli/input-options.ts';
import { classify } from '../input/identifier.ts';
import { resolveJob } from '../jobs/resolve.ts';
import type { Context } from './context.ts';
import { runJob } from './run-job.ts';

export interface ResolveFlags extends InputFlags {
  /** The kind of every identifier, whatever its shape. */
  readonly as?: Parameters<typeof classify>[1];
}

/** Resolves `identifiers` or the input file. @throws what `runJob` throws */
export const runResolve = (context: Context, identifiers: readonly string[], flags: ResolveFlags): Promise<void> =>
  runJob(
    context,
    resolveJob((text) => classify(text, flags.as)),
    identifiers,
    flags,
  );
