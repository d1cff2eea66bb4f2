/** Makes one call for each item: person, revenue, searches, investors. Rows come back in input order; identical items are asked once. */
import type { Bought, BuyerQuestion, Item } from '../book/buyer.ts';
import type { Endpoint, RequestOf, RequestParts, ResponseOf } from '../contract/endpoint.ts';
import { plainIdentifier } from '../contract/identifier.ts';
import { PdiError } from '../errors.ts';
import { isNested, isObject } from '../json/parse.ts';
import { jsonText } from '../json/write.ts';
import type { InputRow } from '../rows/input-row.ts';
import { type Outcome, type ResultRow, type ResultRows, resultRow } from '../rows/result-row.ts';
import { refuseFiles, type Source } from './input-source.ts';
import { type Job, type JobRun, type Keyed, NoQuestion, questionOf } from './job.ts';
import { mapOrdered, semaphore } from './map-ordered.ts';
import type { JobPlan } from './plan.ts';
import { PendingRequest } from './result-cache.ts';
import { runJob } from './run-job.ts';
import type { Tools } from './tools.ts';

export interface LookupOptions<E extends Endpoint> {
  readonly endpoint: E;
  readonly identifierColumns: readonly string[];
  readonly request: (identifier: string) => RequestOf<E>;
}

export async function runLookup<E extends Endpoint>(
  plan: JobPlan,
  tools: Tools,
  { endpoint, identifierColumns, request }: LookupOptions<E>,
  source: Source,
): Promise<void> {
  refuseFiles(source.identifiers, { command: plan.show.command, flag: '-i' });
  const [shape] = Object.values(endpoint.pathParameters ?? {}).map((parameter) => parameter.shape);
  const ask = (text: string) => {
    const found = plainIdentifier(text, shape);
    return 'invalid' in found ? found : { key: found.text, request: request(found.text) };
  };
  await runJob(plan, tools, lookupJob({ endpoint, identifierColumns, ask }), source);
}

export interface LookupQuestion<E extends Endpoint> extends Keyed {
  readonly request: RequestOf<E>;
  /** The book records this item, or the key where none is given. */
  readonly item?: Item;
}

export type LookupKind<E extends Endpoint> = Pick<Job<E, LookupQuestion<E>>, 'endpoint' | 'identifierColumns' | 'ask'>;

export const lookupJob = <E extends Endpoint>(kind: LookupKind<E>): Job<E, LookupQuestion<E>> => ({
  ...kind,
  perRequest: 1,
  requests: (questions) => questions.map(({ request }) => request),
  emptyIsFine: false,
  rows: (run) => new Lookup(kind, run).rows(),
});

/** What was paid for is used whatever it is about, but never without a word: the record's own id must be the one that was asked for. */
export function comparedWith(endpoint: Endpoint, { request: { path } }: { readonly request: RequestParts }, outcome: Outcome): Outcome {
  const { billing, askedBy: [field] = [] } = endpoint;
  const [asked] = Object.values(path);
  const record = outcome.status === 'ok' ? outcome.record?.value : undefined;
  const told = billing === 'charged' && field !== undefined && isObject(record) ? record[field] : undefined;
  if (told === undefined || told === null || asked === undefined || String(told) === asked) return outcome;
  const aboutAnother = isNested(told) ? jsonText(told) : String(told);
  return { ...outcome, aboutAnother, error: `the answer is about another id: ${field} is ${aboutAnother}` };
}

/** So many rows for each request at once start ahead of the oldest unfinished one, because one slow answer must not idle the others. */
const rowsAhead = 8;

class Lookup<E extends Endpoint> {
  private readonly atOnce: ReturnType<typeof semaphore>;

  constructor(
    private readonly kind: LookupKind<E>,
    private readonly run: JobRun,
  ) {
    this.atOnce = semaphore(run.concurrency);
  }

  rows(): ResultRows {
    const { client, input, concurrency, stopRule } = this.run;
    const work = async (row: InputRow): Promise<ResultRow> => resultRow(row, await this.outcomeOf(row));
    // The disk is full or the reader went away. What is under way is paid for, so it is finished and written down.
    const whenLeft = () => {
      stopRule.leave();
      client.finish();
    };
    return mapOrdered(input, concurrency * rowsAhead, work, whenLeft);
  }

  private async outcomeOf(row: InputRow): Promise<Outcome> {
    const question = questionOf(row, this.kind.ask);
    return question instanceof NoQuestion ? question : comparedWith(this.kind.endpoint, question, await this.answerTo(question));
  }

  private async answerTo(question: LookupQuestion<E>): Promise<Outcome> {
    const { results, stopRule } = this.run;
    const { key } = question;
    const earlier = results.pending(key)?.outcomeOf(key) ?? results.known(key);
    if (earlier !== undefined) return 'then' in earlier ? earlier : this.knownOutcome(question, earlier);
    // What is not asked any more need not be remembered either.
    if (stopRule.stopped) return this.unasked(key);
    const pending = new PendingRequest();
    results.expect(key, pending);
    try {
      const outcome = await this.atOnce(() => this.ask(question, pending));
      pending.settle([outcome]);
      return outcome;
    } catch (bug) {
      pending.fail(bug);
      throw bug;
    }
  }

  /** An item that is not asked for stays lost if an earlier run lost its answer. */
  private unasked(key: string): Outcome {
    return this.run.results.lost(key) ?? this.run.stopRule.skipped;
  }

  /** What an earlier run of this job lost, another run may have bought since. */
  private async knownOutcome(question: LookupQuestion<E>, known: Outcome): Promise<Outcome> {
    const { results, buyer, stopRule } = this.run;
    const bought = known.status === 'unknown' ? await buyer.known(this.questionOf(question)) : undefined;
    if (bought?.source === undefined) return known;
    const outcome = this.outcomeOfBought(bought);
    await results.save({ items: [question.key] }, [outcome], stopRule);
    return outcome;
  }

  private async ask(question: LookupQuestion<E>, pending: PendingRequest): Promise<Outcome> {
    const { results, stopRule } = this.run;
    const { key } = question;
    if (stopRule.stopped) return this.unasked(key);
    const bought = await this.bought(question);
    if (bought.withheld === true && stopRule.stopped) return this.unasked(key);
    const outcome = this.outcomeOfBought(bought);
    await results.save(pending, [outcome], stopRule);
    return outcome;
  }

  private async bought(question: LookupQuestion<E>): Promise<Bought<ResponseOf<E>>> {
    const { buyer, results, stopRule } = this.run;
    let gaveUp = false;
    const bought = await buyer.buy(this.questionOf(question), {
      stopped: () => stopRule.stopped,
      sending: () => results.sending(question.key),
      lostBefore: results.lost(question.key) !== undefined,
      goesOn: async (failure, attempt) => {
        stopRule.lost(failure);
        gaveUp = stopRule.stopped || !(await buyer.pause(attempt)) || stopRule.stopped;
        return !gaveUp;
      },
    });
    const { result } = bought;
    if (bought.source === 'book' || gaveUp) return bought;
    if (result instanceof PdiError) {
      if (bought.withheld === true) stopRule.itemFailed(result);
      else stopRule.failed(result);
    } else {
      stopRule.answered();
      if (result.trouble !== undefined) stopRule.failed(result.trouble);
    }
    return bought;
  }

  private questionOf({ key, request, item = key }: LookupQuestion<E>): BuyerQuestion<E> {
    return { endpoint: this.kind.endpoint, request, item, label: key };
  }

  private outcomeOfBought({ result, source, fetchedAt }: Bought<unknown>): Outcome {
    const { stopRule } = this.run;
    if (result instanceof PdiError) {
      if (source === 'book') stopRule.itemFailed(result);
      return { ...stopRule.outcomeOf(result), source, fetchedAt };
    }
    const { body, record } = result;
    const isEmpty = Array.isArray(body) && body.length === 0;
    return { ...(isEmpty ? { status: 'not_found', error: 'no match' } : { status: 'ok', record }), source, fetchedAt };
  }
}
