/** Output that is one text: a script, a value, a plan. */

import { openSink } from '../output/sinks/open.ts';
import type { Context } from './context.ts';

/** Writes `text` to `file`, or to standard output where none was asked for. @throws what `openSink` and its `write` throw */
export async function printText({ io, flags, stop }: Context, text: string, file?: string): Promise<void> {
  const sink = await openSink({ stdout: io.stdout, file, force: flags.force === true, processes: io.processes, stop });
  await sink.write(text);
  await sink.commit();
}
