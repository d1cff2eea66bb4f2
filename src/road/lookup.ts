/** Makes one call for each item of person, revenue, searches and investors. */
import { askedBy, type Bought } from '../book/buyer.ts';
import type { Endpoint, Question } from '../contract/endpoint.ts';
import { bare, type Invalid, looksLikeWebsite, plainIdentifier } from '../contract/identifier.ts';
import { findInvestors, plainInvestor } from '../contract/investors.ts';
import { orFailure, PdiError, shellWord, UsageError } from '../errors.ts';
import { kindByName } from '../input/kind.ts';
import { isObject } from '../json/exact.ts';
import type { InputRow, Outcome } from '../rows/row.ts';
import { inLessMemory, type Job, type JobRun, type Keyed } from './ask.ts';
import { refuseFiles, type Source } from './input-source.ts';
import type { Plan } from './plan.ts';
import { runJob } from './run-job.ts';
import type { Tools } from './tools.ts';

export async function runLookup(
  plan: Plan,
  tools: Tools,
  kind: Pick<Job<LookupQuestion>, 'endpoint' | 'identifierColumns'>,
  source: Source & { readonly resolve?: true | undefined },
): Promise<void> {
  const refuse = () => refuseFiles(source.identifiers, { command: plan.show.command, flag: '-i' });
  const first =
    source.resolve === true
      ? new (await import('./resolve-first.ts')).ResolveFirst(tools)
      : undefined;
  await runJob(plan, tools, lookupJob({ ...kind, ask: pathQuestion(kind.endpoint) }), source, {
    refuse,
    first,
  });
}

export interface LookupQuestion extends Keyed, Question {
  /** The column that it was read from. */
  readonly column?: string | undefined;
}

export function pathQuestion(endpoint: Endpoint): Job<LookupQuestion>['ask'] {
  const [[name, { shape }] = ['', { shape: 'company' }] as const] = Object.entries(
    endpoint.pathParameters ?? {},
  );
  return (text, { field: column }) => {
    const found = plainIdentifier(text, shape);
    if ('invalid' in found) return found;
    return { key: found.text, endpoint, request: { path: { [name]: found.text } }, column };
  };
}

export async function findOne(
  plan: Plan,
  tools: Tools,
  names: { readonly name?: string | undefined; readonly website?: string | undefined },
): Promise<void> {
  const { call } = await import('./run-calls.ts');
  const { query } = findInvestors.check(
    { path: {}, query: names },
    (parameter) => `--${parameter}`,
  );
  await call(plan, tools, { endpoint: findInvestors, request: { path: {}, query } });
}

export async function findEach(plan: Plan, tools: Tools, source: Source): Promise<void> {
  const job = lookupJob({
    endpoint: findInvestors,
    identifierColumns: ['website', 'name'],
    ask: investorQuestion,
  });
  await runJob(plan, tools, job, source);
}

/** An argument is told by its shape. @throws UsageError with what to type instead of a file, and of a name without quotes */
export function investorNamed(words: readonly string[], name?: string) {
  const wanted = [name ?? [], words].flat().join(' ');
  const isFile = wanted === '-' || (kindByName(wanted) !== undefined && !wanted.includes('://'));
  const isWhole = name === undefined && words.length === 1 && !isFile;
  if (isWhole) return { [investorBy(wanted)]: wanted };
  const message = isFile ? `${wanted} is no investor` : 'a name of several words needs quotes';
  throw new UsageError(message, {
    item: wanted,
    hint: `\`pdi investors ${isFile ? '-i' : '--name'} ${shellWord(wanted)}\``,
  });
}

/** What no column tells is told by its shape. */
function investorBy(written: string, column?: string): 'name' | 'website' {
  const text = bare(written);
  const isWebsite =
    column === 'website' ||
    /^https?:\/\/\S+$/i.test(text) ||
    (column !== 'name' && looksLikeWebsite(text));
  return isWebsite ? 'website' : 'name';
}

/** Equal spellings have one key, so that the first of them is asked for all. */
export function investorQuestion(
  written: string,
  { field }: Pick<InputRow, 'field'>,
): LookupQuestion | Invalid {
  const as = investorBy(written, field?.toLowerCase());
  const found = plainInvestor(as, written);
  if ('invalid' in found) return found;
  const request = { path: {}, query: { [as]: found.text } };
  return {
    key: askedBy({ endpoint: findInvestors, request }).item,
    endpoint: findInvestors,
    request,
    column: field,
  };
}

export const lookupJob = (
  kind: Pick<Job<LookupQuestion>, 'endpoint' | 'identifierColumns' | 'ask'>,
): Job<LookupQuestion> => ({
  ...kind,
  perRequest: 1,
  requests: (questions) => questions.map(({ request }) => request),
  sender: (run) => {
    const lookup = new Lookup(run);
    return (questions) => Promise.all(questions.map(lookup.outcomeOf));
  },
});

/** What was paid for is used whatever it is about, but never without a word: the record's own id must be the one that was asked for. */
export function comparedWith({ endpoint, request }: Question, outcome: Outcome): Outcome {
  const { billing, askedBy: [field] = [] } = endpoint;
  const [asked] = Object.values(request.path);
  const record = outcome.status === 'ok' ? outcome.record?.value : undefined;
  const told =
    billing === 'charged' && field !== undefined && isObject(record) ? record[field] : undefined;
  if (told === undefined || told === null || asked === undefined) return outcome;
  const aboutAnother = String(told);
  if (aboutAnother === asked) return outcome;
  return {
    ...outcome,
    aboutAnother,
    error: `the answer is about another id: ${field} is ${aboutAnother}`,
  };
}

const isLost = ({ result }: Bought): boolean =>
  result instanceof PdiError && result.details.billed === 'unknown';

class Lookup {
  /** The disk refused them. */
  private readonly unsaved = new Map<string, Outcome>();

  constructor(private readonly run: JobRun) {}

  readonly outcomeOf = async (question: LookupQuestion): Promise<Outcome> => {
    const { journal, stopRule } = this.run;
    const { key } = question;
    if (await this.isCleared(question)) journal?.notBilled(key);
    const known = this.unsaved.get(key) ?? journal?.find(key);
    if (known?.status === 'ok') stopRule.found();
    if (known?.source === 'journal')
      await orFailure(() => this.run.buyer.settleLate(question, known));
    if (known !== undefined)
      return comparedWith(question, await this.knownOutcome(question, known));
    if (stopRule.stopped) return this.unasked(key);
    const bought = await this.bought(question);
    // What was lost before the call was withheld may have been billed.
    if (bought.withheld === true && stopRule.stopped && !isLost(bought)) return this.unasked(key);
    return comparedWith(question, this.saved(key, bought));
  };

  /** What the journal has as lost may have turned out not to be billed. */
  private async isCleared(question: LookupQuestion): Promise<boolean> {
    const { journal, buyer } = this.run;
    if (journal?.lost(question.key) === undefined) return false;
    const cleared = await orFailure(() => buyer.isCleared(question));
    return cleared === true;
  }

  /** An item that is not asked for stays lost if an earlier run lost its answer. */
  private unasked(key: string): Outcome {
    return this.run.journal?.lost(key) ?? this.run.stopRule.skipped;
  }

  /** What an earlier run of this job lost, another run may have bought since. */
  private async knownOutcome(question: LookupQuestion, outcome: Outcome): Promise<Outcome> {
    const bought =
      outcome.status === 'unknown'
        ? await orFailure(() => this.run.buyer.find(question))
        : undefined;
    if (bought instanceof PdiError) this.run.stopRule.failed(bought);
    else if (bought?.result instanceof PdiError && bought.withheld === true)
      return { ...outcome, error: bought.result.details.reason ?? outcome.error };
    return bought instanceof PdiError || bought?.source === undefined
      ? outcome
      : this.saved(question.key, bought);
  }

  /** Puts what was bought on disk before it is used. Where the disk refuses, it still goes out, and the run ends if another could go on with it. */
  private saved(key: string, bought: Bought): Outcome {
    const { journal, stopRule } = this.run;
    const outcome = this.outcomeOfBought(bought);
    try {
      journal?.answered(key, outcome);
    } catch (failure) {
      if (!(failure instanceof PdiError)) throw failure;
      this.unsaved.set(key, inLessMemory(outcome));
      if (journal?.isNameless === false) stopRule.failed(failure);
    }
    return outcome;
  }

  private async bought(question: LookupQuestion): Promise<Bought> {
    const { buyer, journal, stopRule } = this.run;
    let gaveUp = false;
    const bought = await buyer.buy(question, {
      stopped: () => stopRule.stopped,
      sending: async () => journal?.sent(question.key),
      refused: () => journal?.unsent(question.key),
      lostBefore: journal?.lost(question.key) !== undefined,
      isOfJob: true,
      goesOn: async (failure, attempt) => {
        stopRule.lost(failure);
        gaveUp = stopRule.stopped || !(await buyer.pause(attempt)) || stopRule.stopped;
        return !gaveUp;
      },
    });
    if (!gaveUp) stopRule.bought(bought, question.column);
    return bought;
  }

  private outcomeOfBought({ result, source, fetchedAt, withheld }: Bought): Outcome {
    const { stopRule } = this.run;
    if (result instanceof PdiError) {
      if (source === 'book' || withheld === true) stopRule.itemFailed(result);
      return { ...stopRule.outcomeOf(result), source, fetchedAt };
    }
    const { record, records } = result;
    const isEmpty = Array.isArray(record.value) && records.length === 0;
    return {
      ...(isEmpty ? { status: 'not_found', error: 'no match' } : { status: 'ok', record }),
      source,
      fetchedAt,
    };
  }
}
