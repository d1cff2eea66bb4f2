/** Every call of every command and of MCP goes through here; failures of call, cap, budget and book become values. */
import * as z from 'zod/mini';
import type { Answer, Client } from '../client/client.ts';
import { decode } from '../client/decode.ts';
import { NoAnswer } from '../client/failure.ts';
import { stoppedBeforeSending } from '../client/pace.ts';
import { planRequest } from '../client/request.ts';
import type { Endpoint, Question } from '../contract/endpoint.ts';
import { fateOf, isMissing, mayCost } from '../contract/price.ts';
import {
  argumentWord,
  type FailureDetails,
  orFailure,
  PdiError,
  ServiceError,
  withMoreHint,
} from '../errors.ts';
import type { Outcome } from '../rows/row.ts';
import type { RunBook } from './book.ts';
import { type Cap, refusalOfUsedUp } from './budget.ts';
import {
  type BookCall,
  hashOf,
  type KeptAnswer,
  type Lost,
  type Taken,
  type Ticket,
} from './calls.ts';

/** With `trouble` the book could not take the answer: use it, then end the run with the trouble. */
export type Purchased = Answer & { readonly trouble?: PdiError };

export interface Bought {
  readonly result: Purchased | PdiError;
  readonly source?: 'book';
  readonly fetchedAt?: string;
  /** The book kept the call from being sent, or the run was stopped before. */
  readonly withheld?: true;
}

interface BuyOptions {
  readonly stopped: () => boolean;
  /** Then even a call that waits for its turn is not sent. */
  readonly isGivenUp?: () => boolean;
  readonly sending?: () => Promise<void>;
  /** It was not carried out, and waits to be sent again. */
  readonly refused?: () => void;
  /** It is told of a lost answer, and gives whether call `attempt + 1` may be made. */
  readonly goesOn?: (lost: PdiError, attempt: number) => Promise<boolean>;
  readonly lostBefore?: boolean;
  /** One of many, after which `flush` is called. */
  readonly isOfJob?: true;
}

/** A 404 counts in neither: its error says that it was not billed. */
interface Spent {
  billed: number;
  unknown: number;
  /** Of the unknown ones, those that got no answer; the others are of unstated price. */
  lost: number;
}

interface BuyerParts {
  readonly client: () => Promise<Client>;
  readonly book: () => Promise<RunBook>;
  readonly place: {
    /** A round trip away: who has many calls to make takes them ahead, and waits for no settlement. */
    readonly isFar: boolean;
    isThere(): boolean;
  };
  readonly cap: Cap;
  /** In milliseconds, for operations whose answers are kept; 0: they are neither kept nor taken. */
  readonly maxAge: number;
  readonly retriesOfUnknown: number;
  readonly longestWaitMs: number;
  /** It takes keys out of an item, because somebody may have typed one in an identifier's place. */
  readonly redact: (text: string) => string;
}

const shortestPauseMs = 10;
const longestPauseMs = 250;

/** So long a call took of late to be taken in the book, and to be sent and answered, in milliseconds. */
interface Took {
  taking: number;
  sending: number;
}

export class Buyer {
  readonly spent: Spent = { billed: 0, unknown: 0, lost: 0 };
  private readonly writing = new Set<Promise<unknown>>();
  private trouble: PdiError | undefined;
  private lost: Promise<ReadonlyMap<string, number>> | undefined;
  private readonly took: Took = { taking: 0, sending: 0 };

  constructor(private readonly parts: BuyerParts) {}

  async buy(question: Question, options: BuyOptions): Promise<Bought> {
    if (!mayCost(question.endpoint))
      return { result: await orFailure(() => this.send(question, options, 0)) };
    const { goesOn = (_lost: PdiError, attempt: number) => this.pause(attempt) } = options;
    let wasLost = options.lostBefore === true;
    for (let before = 0; ; before += 1) {
      const outcome = await orFailure(() => this.buyOnce(question, options, before));
      const bought = outcome instanceof PdiError ? { result: outcome } : outcome;
      const { result } = bought;
      if (!(result instanceof PdiError) || bought.source !== undefined) return bought;
      const isLost = bought.withheld !== true && result.details.billed === 'unknown';
      const again =
        isLost && before < this.parts.retriesOfUnknown && (await goesOn(result, before + 1));
      if (!again) return wasLost ? { ...bought, result: afterLoss(result, isLost) } : bought;
      wasLost = true;
    }
  }

  /** Gives what the book has of a question; undefined where it would be sent. @throws PdiError `internal` */
  async find(question: Question): Promise<Bought | undefined> {
    if (question.endpoint.stored !== true || this.parts.maxAge === 0) return undefined;
    const book = await this.parts.book();
    const found = await book.find(this.callOf(question, book));
    return found === undefined ? undefined : answerIn(question, found);
  }

  /** Whether its answer was lost, and the service's log has shown since that it was not billed. @throws PdiError `internal` */
  async isCleared(question: Question): Promise<boolean> {
    if (!this.parts.place.isThere()) return false;
    const book = await this.parts.book();
    return book.isCleared(this.callOf(question, book));
  }

  /** When a question of this price was bought before; undefined where it never was. @throws PdiError `internal` */
  async boughtAt(question: Question): Promise<number | undefined> {
    if (question.endpoint.stored !== true) return undefined;
    const book = await this.parts.book();
    return book.boughtAt(this.callOf(question, book));
  }

  /**
   * A run that was killed had this answer in FILE.journal before the book had it: its call is not lost.
   * @throws PdiError
   */
  async settleLate(question: Question, { status, record, fetchedAt }: Outcome): Promise<void> {
    const isSettled = status === 'ok' || status === 'not_found';
    if (!isSettled || fetchedAt === undefined) return;
    this.lost ??= this.lostCalls();
    const lost = await this.lost;
    if (lost.size === 0) return;
    const book = await this.parts.book();
    const call = this.callOf(question, book);
    const number = lost.get(call.key);
    if (number === undefined) return;
    const { outcome } =
      record === undefined
        ? ({ outcome: 'unpriced' } as const)
        : fateOf(question.endpoint, { records: [record] });
    const answer = record && { at: Date.parse(fetchedAt), missing: false, body: record.asSent };
    await book.settle({ ticket: { call, number }, outcome, answer });
  }

  /** No book is made for the question. */
  private async lostCalls(): Promise<ReadonlyMap<string, number>> {
    return this.parts.place.isThere() ? (await this.parts.book()).lost() : new Map();
  }

  /** Pauses as a free call does before it is sent again, and tells whether the run still goes on. */
  async pause(attempt: number): Promise<boolean> {
    const { pause } = await this.parts.client();
    return pause(attempt).then(
      () => true,
      () => false,
    );
  }

  private async buyOnce(question: Question, options: BuyOptions, before: number): Promise<Bought> {
    if (this.trouble !== undefined) throw this.trouble;
    const { isFar } = this.parts.place;
    const book = await this.parts.book();
    const call = this.callOf(question, book);
    // What the book knows already takes no turn at the service; far away, what takes it tells that.
    const known = isFar ? undefined : await book.find(call);
    if (known !== undefined) return answerIn(question, known);
    let pause = 0;
    for (let waited = 0; ; waited += pause) {
      const right = new RightToCall(book, call, options);
      const ask = async () => {
        if (isFar) await this.timed('taking', right.hold());
        return this.timed('sending', this.send(question, options, before, right));
      };
      const answer = await orFailure(ask).catch((error: unknown) => right.endOfThrown(error));
      if (!(answer instanceof Withheld)) {
        const waits = !isFar || options.isOfJob !== true;
        return this.settled(question, book, right.ticket, answer, waits);
      }
      const { taken } = answer;
      // Another run is asking the same, or calls under way use up the budget.
      const mayChange = taken === 'held' || (typeof taken === 'object' && 'full' in taken);
      if (!mayChange || waited >= this.parts.longestWaitMs) return this.withheldBy(question, taken);
      pause = Math.min(waited + shortestPauseMs, longestPauseMs);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  private withheldBy(question: Question, taken: Withheld['taken']): Bought {
    if (taken === 'held')
      return { result: lateFailure(question.endpoint, labelOf(question)), withheld: true };
    if (taken === 'capped') return { result: this.parts.cap.refusal() };
    if (typeof taken === 'string' || 'answer' in taken) return answerIn(question, taken);
    return { result: refusalOfUsedUp('full' in taken ? taken.full : taken.over) };
  }

  private async settled(
    { endpoint }: Question,
    book: RunBook,
    ticket: Ticket | undefined,
    answer: Answer | PdiError,
    waits: boolean,
  ): Promise<Bought> {
    if (ticket === undefined) {
      if (answer instanceof PdiError)
        return { result: answer, ...(answer.code === 'interrupted' && { withheld: true }) };
      throw new Error('an answer came to a call that was not written down');
    }
    const at = book.now() - (answer instanceof PdiError ? 0 : (answer.ageMs ?? 0));
    const { outcome, billed } = fateOf(endpoint, answer);
    const kept = endpoint.stored === true ? keptOf(answer, at) : undefined;
    const settling = orFailure(() => book.settle({ ticket, outcome, answer: kept }));
    const trouble = waits ? await settling : this.later(settling);
    if (billed === 'yes') this.spent.billed += 1;
    if (billed === 'unknown') this.spent.unknown += 1;
    if (outcome === 'lost') this.spent.lost += 1;
    const fetched = kept && { fetchedAt: new Date(at).toISOString() };
    if (!(trouble instanceof PdiError)) return { result: answer, ...fetched };
    const message = `${trouble.message}; the last call stands there without its outcome`;
    const told = new PdiError(trouble.code, message, { ...trouble.details, billed });
    return { result: answer instanceof PdiError ? told : { ...answer, trouble: told }, ...fetched };
  }

  /** The next call, and `flush`, tell what came of it. */
  private later(settling: Promise<undefined | PdiError>): undefined {
    const written = settling.then((trouble) => {
      this.trouble ??= trouble;
      this.writing.delete(written);
    });
    this.writing.add(written);
  }

  /** How many times as many calls as are sent at once a job has under way: some are taken ahead. */
  get timesAtOnce(): number {
    return this.parts.place.isFar ? timesFor(this.took) : 1;
  }

  private async timed<T>(what: keyof Took, work: Promise<T>): Promise<T> {
    const start = performance.now();
    const result = await work;
    this.took[what] += (performance.now() - start - this.took[what]) / 10;
    return result;
  }

  /** Waits until all that was bought is written down, and gives what kept it from that. */
  async flush(): Promise<PdiError | undefined> {
    await Promise.all(this.writing);
    return this.trouble;
  }

  private async send(
    question: Question,
    { isGivenUp }: BuyOptions,
    before: number,
    ticket?: RightToCall,
  ): Promise<Answer> {
    const client = await this.parts.client();
    return client.call(question.endpoint, question.request, {
      item: askedBy(question).label,
      before,
      isGivenUp,
      ticket,
    });
  }

  private callOf(question: Question, book: RunBook): BookCall {
    const { endpoint } = question;
    if (!mayCost(endpoint)) throw new Error('a free call is not written down');
    const { billing, query, stored } = endpoint;
    const asked = askedBy(question);
    const { operation, recorded, item, keyedAs = operation } = asked;
    return {
      key: book.keyOf({ operation: keyedAs, item }, query !== undefined && 'page' in query.shape),
      operation,
      item: identifierShape.test(this.parts.redact(recorded)) ? recorded : hashOf(recorded),
      billing,
      maxAge: stored === true ? this.parts.maxAge : 0,
    };
  }
}

/** The more, the farther the book is. */
export const timesFor = ({ taking, sending }: Took): number => (1.5 * taking > sending ? 3 : 2);

/** Thrown through the client when the turn of a call has come that the book does not let go. */
class Withheld {
  constructor(readonly taken: Exclude<Taken, { readonly ticket: Ticket }>) {}
}

/** A call is in the book from its turn until it ends, but for the time in which it waits to be sent again. */
class RightToCall {
  /** Also once it is given back: how the call ended is written down. */
  ticket: Ticket | undefined;
  private isTold = false;

  constructor(
    private readonly book: RunBook,
    private readonly call: BookCall,
    private readonly options: BuyOptions,
  ) {}

  /** Its turn has come. */
  async take(): Promise<void> {
    await this.hold();
    if (this.isTold) return;
    this.isTold = true;
    await this.options.sending?.();
  }

  async hold(): Promise<void> {
    const { book } = this;
    const { stopped } = this.options;
    for (;;) {
      if (this.ticket?.number) {
        if (book.holds()) return;
        // The machine has slept, and others may have taken this run for dead.
        this.ticket = await book.giveBack(this.ticket);
      }
      if (stopped()) throw stoppedBeforeSending();
      const taken = await book.take(this.ticket?.call ?? this.call).catch((error: unknown) => {
        throw stopped() ? stoppedBeforeSending() : error;
      });
      if (typeof taken !== 'object' || !('ticket' in taken)) throw new Withheld(taken);
      this.ticket = taken.ticket;
      this.isTold = false;
      if (stopped()) throw stoppedBeforeSending();
    }
  }

  /** Where the book cannot be written, the call keeps its ticket. */
  async giveBack(): Promise<void> {
    const { ticket, book, options } = this;
    if (!ticket?.number) return;
    const given = await orFailure(() => book.giveBack(ticket));
    if (given instanceof PdiError) return;
    this.ticket = given;
    options.refused?.();
  }

  /** @throws what is no word of the book: a bug, after which nobody knows whether the call was sent */
  async endOfThrown(thrown: unknown): Promise<Withheld> {
    if (thrown instanceof Withheld) return thrown;
    if (this.ticket !== undefined) await this.book.settle({ ticket: this.ticket, outcome: 'lost' });
    throw thrown;
  }
}

interface Subject {
  readonly operation: string;
  /** All of it, such as `per_1` or `name:sample harbor`; equal spellings ask the same. */
  readonly item: string;
  /** For the book: an identifier, a page of some days, or the hash of a free text. */
  readonly recorded: string;
  /** For failures, where the name of the operation does not say all. */
  readonly label?: string | undefined;
  /** Which parts of a path are ids may be a guess: then the whole address is the question. */
  readonly keyedAs?: string;
}

export function askedBy({ endpoint, request }: Question): Subject {
  const { path, query = {}, about } = request;
  const { method, path: template, query: schema, spelling = {} } = endpoint;
  if (endpoint.isMade === true) {
    const { url, body = '' } = planRequest('', endpoint, request);
    const item = `${url} ${body}`;
    const operation = `${method} ${template}`;
    return { operation, item, recorded: about ?? item, label: about, keyedAs: method };
  }
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const parameters = given.map(
    ([name, value]) => `${name}:${spelling[name]?.(String(value)) ?? value}`,
  );
  const [identifier] = Object.values(path);
  const subject = {
    operation: `${method} ${template}`,
    item: [...Object.values(path), ...parameters].join(' '),
  };
  if (identifier !== undefined) return { ...subject, recorded: identifier, label: identifier };
  const [freeText] = Object.keys(spelling).flatMap((name) => query[name] ?? []);
  if (freeText !== undefined)
    return { ...subject, recorded: hashOf(String(freeText)), label: String(freeText) };
  if (schema === undefined || !('page' in schema.shape)) return { ...subject, recorded: template };
  const { page = 0, signal_date_after: from = '', signal_date_before: to = '' } = query;
  return {
    ...subject,
    recorded: `page:${page}${from === '' && to === '' ? '' : `:${from}..${to}`}`,
    label: `page ${page}`,
  };
}

function labelOf(question: Question): string {
  const { label, item } = askedBy(question);
  return label ?? item;
}

function answerIn(question: Question, found: { readonly answer: KeptAnswer } | Lost): Bought {
  if (typeof found === 'string')
    return { result: lostFailure(question.endpoint, labelOf(question), found), withheld: true };
  return {
    result: keptResult(question, found.answer),
    source: 'book',
    fetchedAt: new Date(found.answer.at).toISOString(),
  };
}

function keptResult(question: Question, { at, missing, body }: KeptAnswer): Answer | PdiError {
  const { endpoint } = question;
  try {
    if (!missing) return { status: 200, ...decode(endpoint, body) };
    return notFoundFailure(
      z.parse(notFoundWords, JSON.parse(body)),
      labelOf(question),
      new Date(at).toISOString(),
    );
  } catch (error) {
    if (!missing && !(error instanceof NoAnswer)) throw error;
    const { item } = askedBy(question);
    const reason = error instanceof NoAnswer ? error.message : 'it is no 404';
    const message = `${endpoint.title}, ${item}: the answer in the book is damaged: ${reason}`;
    const hint = `\`pdi store forget ${argumentWord(item)}\` lets it be bought again`;
    return new PdiError('internal', message, { item, billed: 'no', hint });
  }
}

/** What may have been billed stays so, whatever the next call brings. */
function afterLoss(failure: PdiError, isLost: boolean): PdiError {
  if (isLost)
    return failure.with({
      hint: 'it was sent more than once, and may have been billed each time; see `pdi spend` before you repeat it',
    });
  const reason = `${failure.details.reason ?? failure.message}; an earlier answer was lost and may have been billed`;
  const unknown = failure.with({ reason, billed: 'unknown' });
  return withMoreHint(
    unknown,
    'an earlier call got no answer and may have been billed (`pdi spend`)',
  );
}

/** The service's identifiers look like this; anything else typed in their place (a name, an address) is hashed. */
const identifierShape = /^[\w:=.-]{1,128}$/;

const notFoundWords = z.object({
  message: z.string(),
  reason: z.optional(z.string()),
  errorCode: z.optional(z.string()),
  hint: z.optional(z.string()),
});

/** An answer is kept by its own text, with every digit, a 404 by its words, so that a later run can say the same. */
function keptOf(result: Answer | PdiError, at: number): KeptAnswer | undefined {
  if (!(result instanceof PdiError)) return { at, missing: false, body: result.record.asSent };
  const { message, details } = result;
  const { reason, errorCode, hint } = details;
  return isMissing(result)
    ? { at, missing: true, body: JSON.stringify({ message, reason, errorCode, hint }) }
    : undefined;
}

/** Somebody may have shared it with the API since, so the hint offers to ask again. */
function notFoundFailure(
  { message, reason, errorCode, hint }: z.infer<typeof notFoundWords>,
  item: string,
  at: string,
): PdiError {
  const again = `this is the answer of ${at}, from the book; --fresh asks again`;
  return new ServiceError('not_found', message, {
    status: 404,
    reason,
    errorCode,
    item,
    billed: 'no',
    hint: hint === undefined ? again : `${hint}; ${again}`,
  });
}

const lostWords = {
  lost: ['may have been billed', 'may be'],
  billed_lost: ["was billed, as the service's log has it", 'is'],
} as const satisfies Record<Lost, readonly string[]>;

export function lostFailure(endpoint: Endpoint, item: string, lost: Lost = 'lost'): PdiError {
  const [was, is] = lostWords[lost];
  const what = `sent earlier, and the answer was lost: it ${was}`;
  const hint = `nothing was sent now; see \`pdi spend\`; --retry-unknown sends it again: 1 call that ${is} billed a second time, and more where its answer is lost again`;
  const reason = `${what} (--retry-unknown sends it again, which ${is} billed a second time)`;
  return unanswered(endpoint, item, what, { reason, billed: 'unknown', hint });
}

const lateFailure = (endpoint: Endpoint, item: string): PdiError =>
  unanswered(endpoint, item, 'another run of pdi is buying it, and has no answer yet', {
    billed: 'no',
    retryable: true,
    hint: 'nothing was sent',
    rerun: 'run the command again',
  });

const unanswered = (
  { title }: Endpoint,
  item: string,
  reason: string,
  details: FailureDetails,
): PdiError =>
  new ServiceError('unavailable', `${title}, ${item}: ${reason}`, { reason, item, ...details });
