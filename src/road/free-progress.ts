/** A job whose calls cost nothing keeps no answers, only how far FILE is: cut off, it goes on there. */
import { createHash, type Hash } from 'node:crypto';
import type { JobFile } from '../book/job-file.ts';
import type { JobProgress } from '../book/job-lines.ts';
import { jsonText } from '../json/exact.ts';
import { isTabSeparated } from '../output/formats.ts';
import { notedOf } from '../output/sinks/sink.ts';
import { type Input, type InputRow, type OwnTable, type ResultRow, startingWith } from '../rows/row.ts';
import type { Source } from './input-source.ts';
import type { Show } from './plan.ts';
import { RunCount, rowsIn } from './run-count.ts';

/** FILE can be gone on with if it would be written in the same way, to the letter; `own` are the columns of the input. */
export function layoutOf(show: Show, source: Source, own: OwnTable | undefined, version: string): string {
  // These change no byte of FILE, but for a name that asks for tabs.
  const { out, force, program, isForStdout, isForTerminal, showsProgress, color, quiet, failIfEmpty, ...bytes } = show;
  const { identifiers, input, first, accept, ...read } = source;
  const said = Object.entries({ ...bytes, ...read, hasTabs: isTabSeparated(out) }).filter(([, value]) => value !== undefined);
  return shortText(createHash('sha256').update(JSON.stringify([version, own ?? null, ...said.sort()])));
}

const shortText = (hash: Hash): string => hash.copy().digest('hex').slice(0, 32);

/** All of a row that decides what is asked, and what FILE says of it beside the answer. */
function textOf({ text, label = '', invalid = '', status, field = '', own, given, next }: InputRow): string {
  const asked = `${text ?? label}\t${own?.raw ?? ''}\t${invalid}${status ?? ''}\t${field}\n`;
  return asked + (given === undefined ? '' : jsonText(given)) + (next === undefined ? '' : textOf(next));
}

const addRows = (hash: Hash, rows: readonly InputRow[]): Hash => hash.update(rows.map(textOf).join(''));

interface FilePart {
  readonly rows: readonly ResultRow[];
  readonly reached?: (bytes: number) => void;
}

export class FreeProgress {
  readonly input: Input;
  private isOver = false;
  /** Of the rows that are noted, or will be once they are in FILE. */
  private readonly count: RunCount;
  /** Rows come out in the order of the input, each once, so the first rows of FILE are those of the input. */
  private readonly underWay: InputRow[] = [];

  private constructor(
    private readonly journal: JobFile,
    private readonly layout: string,
    input: Input,
    private readonly hash = createHash('sha256'),
    /** What FILE has of an earlier run; undefined where this run begins anew. */
    readonly from?: JobProgress,
  ) {
    this.input = { ...input, batches: this.watched(input.batches) };
    this.count = new RunCount(from);
  }

  static async open(journal: JobFile, layout: string, input: Input, reopen: () => Promise<Input>): Promise<FreeProgress> {
    const alike = (noted: JobProgress | undefined) => (noted?.layout === layout ? noted : undefined);
    const progress = await notedOf(journal.output, alike(journal.progress), (file) => alike(journal.progressIn(file)));
    if (progress === undefined) return FreeProgress.anew(journal, layout, input);
    const hash = createHash('sha256');
    const rest = await restOf(input, progress, hash);
    if (rest !== undefined) return new FreeProgress(journal, layout, { ...input, batches: rest }, hash, progress);
    input.close();
    return FreeProgress.anew(journal, layout, await reopen());
  }

  /** Parts the rows before the first that has to be asked again from the others, and notes them once they are in FILE. */
  partsOf(rows: readonly ResultRow[]): readonly FilePart[] {
    const open = this.isOver ? 0 : rows.findIndex(isOpen);
    this.isOver ||= open >= 0;
    if (open === 0) return [{ rows }];
    const known = open < 0 ? rows : rows.slice(0, open);
    addRows(this.hash, this.underWay.splice(0, known.length));
    this.count.add(known);
    const come = { hash: shortText(this.hash), layout: this.layout, ...this.count.note };
    const reached = (bytes: number) => this.journal.hasCome({ ...come, bytes });
    return [{ rows: known, reached }, ...(open < 0 ? [] : [{ rows: rows.slice(open) }])];
  }

  private async *watched(batches: Input['batches']): Input['batches'] {
    for await (const batch of batches) {
      if (!this.isOver) for (const row of batch) this.underWay.push(row);
      yield batch;
    }
  }

  private static anew(journal: JobFile, layout: string, input: Input): FreeProgress {
    forgetProgress(journal);
    return new FreeProgress(journal, layout, input);
  }
}

/** What an earlier run noted is not about the file that this run begins. */
export function forgetProgress(journal: JobFile): void {
  const nothing = { bytes: 0, hash: '', layout: '', tally: new RunCount().tally };
  if (journal.progress !== undefined) journal.hasCome(nothing);
}

const isOpen = ({ status }: ResultRow): boolean => status === 'failed' || status === 'skipped' || status === 'unknown';

/** Gives the rows behind those that FILE has; undefined where the input has other rows now. */
async function restOf({ batches }: Input, { tally, hash }: JobProgress, read: Hash): Promise<Input['batches'] | undefined> {
  const all = (async function* () {
    yield* batches;
  })();
  const rows = rowsIn(tally);
  let left: readonly InputRow[] = [];
  for (let count = 0; count < rows; ) {
    const next = await all.next();
    if (next.done === true) return undefined;
    const known = next.value.slice(0, rows - count);
    left = next.value.slice(known.length);
    addRows(read, known);
    count += known.length;
  }
  return shortText(read) === hash ? startingWith([left], all) : undefined;
}
