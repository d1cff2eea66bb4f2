/** `person --resolve`: links and other identifiers become person ids before the first profile is bought. Resolving is free. */
import type { Buyer } from '../book/buyer.ts';
import type { JobFile } from '../book/job-file.ts';
import { plainIdentifier } from '../contract/identifier.ts';
import { classify } from '../contract/person-identifier.ts';
import { identifierKinds } from '../contract/resolve.ts';
import { attempt, PdiError, thousands } from '../errors.ts';
import { isObject } from '../json/exact.ts';
import {
  ApiRecord,
  type Input,
  type InputRow,
  identityIn,
  type Outcome,
  type ResultRow,
} from '../rows/row.ts';
import { Asking, adapting, type Job, type JobRun, type Keyed } from './ask.ts';
import { type InputSource, namesSeveral } from './input-source.ts';
import { openRunJournal } from './job-journal.ts';
import { startProgress } from './progress.ts';
import { Batches, type BatchItem, resolveJob } from './resolve.ts';
import { StopRule } from './stop-rule.ts';
import type { Tools } from './tools.ts';

/** A person id among the links needs no request. */
type Item = BatchItem | Keyed;

const isAsked = (item: Item): item is BatchItem => 'identifier' in item;

export class ResolveFirst {
  /** What the rows ask as they are given. */
  readonly job: Job<Item>;
  private readonly resolving = resolveJob((text) => classify(text));
  /** Has what was resolved, so that a second reading of the input asks nothing again. */
  private memory: JobFile | undefined;
  private stopRule: StopRule | undefined;
  private skipped = 0;

  constructor(private readonly tools: Tools) {
    this.job = {
      ...this.resolving,
      identifierColumns: [...identifierKinds, 'person_id'],
      ask: (text) => {
        const id = plainIdentifier(text, 'person');
        return 'invalid' in id ? classify(text) : { key: id.text };
      },
      requests: (items) => this.resolving.requests(items.filter(isAsked)),
      sender: (run) => this.senderOf(new Batches(run)),
    };
  }

  /** The same source with the person ids in its rows. A row without one says why, and is not asked about. */
  over(
    { open, readAhead, sample, ...source }: InputSource,
    column: string | undefined,
    buyer: Buyer,
  ): InputSource {
    const { tools } = this;
    const withIds = async (batches: Input['batches'], header: readonly string[] | undefined) =>
      this.rows(batches, {
        client: await tools.client(),
        buyer,
        triesNext: namesSeveral(column, header),
      });
    return {
      ...source,
      open: async () => {
        const input = await open();
        return { ...input, batches: await withIds(input.batches, input.own?.header) };
      },
      readAhead: (read) =>
        readAhead(async (batches, header) => read(await withIds(batches, header), header)),
      sample: (rows, read) =>
        sample(rows, async (batches, header) => read(await withIds(batches, header), header)),
    };
  }

  /** Resolves a whole input before anything is bought. @throws what ended it early */
  async resolveAll(
    { readAhead }: InputSource,
    showsProgress: boolean,
    total: number,
  ): Promise<void> {
    const { tools } = this;
    this.memory = await openRunJournal(tools);
    const bar = await startProgress(tools, { total, spent: { billed: 0 } }, showsProgress);
    let found = 0;
    await readAhead(async (batches) => {
      for await (const rows of batches) {
        found += rows.filter(({ text }) => text !== undefined).length;
        bar.rows(rows.length);
      }
    }).finally(() => bar.end());
    if (tools.stop.aborted) throw tools.interrupted();
    if (this.failure !== undefined) throw this.failure;
    tools.say.notice(
      `resolved first, free: ${thousands(found)} of ${thousands(total)} rows have a person id`,
    );
  }

  private async *rows(
    input: Input['batches'],
    { client, buyer, triesNext }: Run,
  ): AsyncGenerator<readonly InputRow[]> {
    this.stopRule = new StopRule({ interrupt: this.tools.stop, stopOnError: false });
    const { stopRule } = this;
    const parts = { client, input, buyer, triesNext, journal: undefined, stopRule };
    const run = adapting(parts);
    let line = 0;
    for await (const together of new Asking(this.job, run).rows()) {
      if (together instanceof PdiError) throw together;
      yield together.map((row) => this.withPersonId(row, ++line));
    }
  }

  get failure(): PdiError | undefined {
    return this.stopRule?.failureOf(this.skipped);
  }

  private senderOf(batches: Batches): ReturnType<Job<Item>['sender']> {
    const knownOf = (item: Item): Outcome | undefined =>
      isAsked(item) ? this.memory?.find(item.key) : matchOf(item.key);
    return async (items) => {
      const outcomes = new Map(items.map((item) => [item, knownOf(item)]));
      const open = items.filter(isAsked).filter((item) => outcomes.get(item) === undefined);
      const answers = open.length === 0 ? [] : await batches.outcomesOf(open);
      for (const [at, item] of open.entries()) {
        const answer = answers[at];
        outcomes.set(item, answer);
        // Where the disk refuses, it is asked again.
        if (answer?.status === 'ok' || answer?.status === 'not_found')
          attempt(() => this.memory?.answered(item.key, answer));
      }
      return items.flatMap((item) => outcomes.get(item) ?? []);
    };
  }

  private withPersonId(
    { status, record, input, error, failure, ...row }: ResultRow,
    line: number,
  ): InputRow {
    const { own, field, inputValue, linkInText } = row;
    const shown = { line, label: input ?? '', own, field, inputValue, linkInText };
    const { matches } = isObject(record?.value) ? record.value : {};
    const id = Array.isArray(matches) ? identityIn(matches[0], 'person_id') : undefined;
    if (status === 'ok' && id !== undefined) return { ...shown, text: id };
    if (status === 'skipped') this.skipped += 1;
    const refused = {
      ...shown,
      text: undefined,
      invalid: error ?? 'the match has no person_id',
      failure,
    };
    if (status === 'invalid') return refused;
    if (status === 'not_found')
      return {
        ...refused,
        status,
        failure: new PdiError('not_found', `${input}: no match`, { item: input }),
      };
    return { ...refused, status: status === 'skipped' ? status : 'failed' };
  }
}

type Run = Pick<JobRun, 'client' | 'buyer' | 'triesNext'>;

const matchOf = (personId: string): Outcome => ({
  status: 'ok',
  record: new ApiRecord({ matches: [{ person_id: personId }] }),
});
