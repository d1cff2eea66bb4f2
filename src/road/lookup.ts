/** Makes one call for each item: person, revenue, searches, investors. Rows come back in input order; identical items are asked once. */
import type { Bought, BuyerQuestion, Item } from '../book/buyer.ts';
import type { Endpoint, RequestOf, RequestParts, ResponseOf } from '../contract/endpoint.ts';
import { plainIdentifier } from '../contract/identifier.ts';
import { orFailure, PdiError } from '../errors.ts';
import { isNested, isObject } from '../json/parse.ts';
import { jsonText } from '../json/write.ts';
import type { Outcome } from '../rows/result-row.ts';
import { refuseFiles, type Source } from './input-source.ts';
import type { Job, JobRun, Keyed } from './job.ts';
import type { JobPlan } from './plan.ts';
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
  sender: (run) => {
    const lookup = new Lookup(kind.endpoint, run);
    return (questions) => Promise.all(questions.map((question) => lookup.outcomeOf(question)));
  },
  compared: (question, outcome) => comparedWith(kind.endpoint, question, outcome),
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

class Lookup<E extends Endpoint> {
  /** The disk refused them, which ends the run. */
  private readonly unsaved = new Map<string, Outcome>();

  constructor(
    private readonly endpoint: E,
    private readonly run: JobRun,
  ) {}

  async outcomeOf(question: LookupQuestion<E>): Promise<Outcome> {
    const { journal, stopRule } = this.run;
    const { key } = question;
    const known = this.unsaved.get(key) ?? journal?.known(key);
    if (known !== undefined) return this.knownOutcome(question, known);
    if (stopRule.stopped) return this.unasked(key);
    const bought = await this.bought(question);
    if (bought.withheld === true && stopRule.stopped) return this.unasked(key);
    return this.saved(key, this.outcomeOfBought(bought));
  }

  /** An item that is not asked for stays lost if an earlier run lost its answer. */
  private unasked(key: string): Outcome {
    return this.run.journal?.lost(key) ?? this.run.stopRule.skipped;
  }

  /** What an earlier run of this job lost, another run may have bought since. */
  private async knownOutcome(question: LookupQuestion<E>, known: Outcome): Promise<Outcome> {
    const bought = known.status === 'unknown' ? await this.run.buyer.known(this.questionOf(question)) : undefined;
    return bought?.source === undefined ? known : this.saved(question.key, this.outcomeOfBought(bought));
  }

  /** Puts an outcome on disk before it is used. Where the disk refuses, it still goes out. */
  private async saved(key: string, outcome: Outcome): Promise<Outcome> {
    const failure = await orFailure(async () => this.run.journal?.answered(key, outcome));
    if (failure instanceof PdiError) {
      this.unsaved.set(key, outcome);
      this.run.stopRule.failed(failure);
    }
    return outcome;
  }

  private async bought(question: LookupQuestion<E>): Promise<Bought<ResponseOf<E>>> {
    const { buyer, journal, stopRule } = this.run;
    let gaveUp = false;
    const bought = await buyer.buy(this.questionOf(question), {
      stopped: () => stopRule.stopped,
      sending: async () => journal?.sent(question.key),
      lostBefore: journal?.lost(question.key) !== undefined,
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
    return { endpoint: this.endpoint, request, item, label: key };
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
