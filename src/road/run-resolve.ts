/** Runs `pdi resolve`. */
import { classify } from '../contract/person-identifier.ts';
import { refuseFiles } from './file-as-identifier.ts';
import type { Source } from './input-source.ts';
import type { JobPlan } from './plan.ts';
import { resolveJob } from './resolve.ts';
import { runJob } from './run-job.ts';
import type { Tools } from './tools.ts';

/** `as` says what every identifier is, whatever its shape. */
interface ResolveSource extends Source {
  readonly as?: Parameters<typeof classify>[1];
}

export async function runResolve(plan: JobPlan, tools: Tools, source: ResolveSource): Promise<void> {
  const otherwise = '; `--as id` asks for a vanity id of that name';
  if (source.as === undefined) refuseFiles(source.identifiers, { command: plan.show.command, flag: '-i', otherwise });
  await runJob(
    plan,
    tools,
    resolveJob((text) => classify(text, source.as)),
    source,
  );
}
