/** Runs `pdi resolve`. */
import type { InputFlags } from '../cli/input-options.ts';
import { classify } from '../contract/person-identifier.ts';
import { resolveJob } from '../jobs/resolve.ts';
import type { Context } from './context.ts';
import { refuseFiles } from './file-as-identifier.ts';
import { runJob } from './run-job.ts';

interface ResolveFlags extends InputFlags {
  readonly as?: Parameters<typeof classify>[1];
}

export async function runResolve(context: Context, identifiers: readonly string[], flags: ResolveFlags): Promise<void> {
  if (flags.as === undefined && flags.input === undefined) {
    const otherwise = '; `--as id` asks for a vanity id of that name';
    refuseFiles(identifiers, { command: context.command, flag: '-i', otherwise });
  }
  const job = resolveJob((text) => classify(text, flags.as));
  await runJob(context, job, identifiers, flags);
}
