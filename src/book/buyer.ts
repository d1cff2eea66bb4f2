/**
 * Buys answers: every call of every command and of MCP goes through here. It is written down before it is sent and settled after it; what
 * the book has is not sent. Failures of call, cap, budget and book become values.
 */
import type { Answer, Client } from '../client/client.ts';
import { stoppedBeforeSending } from '../client/pace.ts';
import type { Endpoint, RequestOf, RequestParts, ResponseOf } from '../contract/endpoint.ts';
import { type Billed, orFailure, PdiError } from '../errors.ts';
import type { Outcome } from '../rows/result-row.ts';
import { contentOf, fromBook, isMissing, lateFailure, lostFailure } from './answers.ts';
import type { Book } from './book.ts';
import { type BudgetUse, refusalOfUsedUp } from './budget.ts';
import { type BookCall, type CallOutcome, hashOf, type KeptAnswer, keyOf, type Taken, type Ticket } from './calls.ts';
import type { Cap } from './cap.ts';
import { type Owner, ownerName } from './owner.ts';

/** `freeText` is for what is not an identifier of the service: the book keeps a hash of it. */
export type Item = string | { readonly freeText: string };

export interface BuyerQuestion<E extends Endpoint> {
  readonly endpoint: E;
  readonly request: RequestOf<E>;
  /** The book records this item, or the words of the question where none is given. */
  readonly item?: Item | undefined;
  /** It names what is asked for in failures. Without it, the words of the question do. */
  readonly label?: string | undefined;
}

/** With `trouble` the book could not take the answer: use it, then end the run with the trouble. */
export type Purchased<T> = Answer<T> & { readonly trouble?: PdiError };

export interface Bought<T> extends Pick<Outcome, 'source' | 'fetchedAt'> {
  readonly result: Purchased<T> | PdiError;
  /** It is set where the book kept the call from being sent, or the run was stopped before. */
  readonly withheld?: true;
}

export interface BuyOptions {
  readonly stopped: () => boolean;
  /** It is called before a call is sent. If it fails, the call is not sent. */
  readonly sending?: () => Promise<void>;
  /** It is told of a lost answer before call `attempt + 1`, and gives whether that call may be made. */
  readonly goesOn?: (lost: PdiError, attempt: number) => Promise<boolean>;
  readonly lostBefore?: boolean;
}

/** A 404 is not counted, because its error says that it was not billed. */
export interface Spent {
  billed: number;
  unknown: number;
}

interface BuyerParts {
  readonly client: () => Promise<Client>;
  /** It is opened before the first call that may be billed. */
  readonly book: () => Promise<Book>;
  readonly owner: () => Promise<Owner>;
  readonly cap: Cap;
  /** Answers of operations that are kept are kept for so many milliseconds; 0: they are neither kept nor taken. */
  readonly maxAge: number;
  /** A call whose answer was lost is made again so many times: 0 unless `--retry-unknown`. */
  readonly retriesOfUnknown: number;
  /** A run waits so many milliseconds for another that is asking the same. */
  readonly longestWait: number;
  /** It takes keys out of an item, because somebody may have typed one in an identifier's place. */
  readonly redact: (text: string) => string;
}

/** Another run is asked about after so many milliseconds: soon at first, then more rarely. */
const shortestPause = 10;
const longestPause = 250;

type NoTicket = Exclude<Taken, { readonly ticket: Ticket } | 'held' | { readonly full: BudgetUse }> | 'late' | 'stopped';

export class Buyer {
  readonly spent: Spent = { billed: 0, unknown: 0 };

  constructor(private readonly parts: BuyerParts) {}

  /** Gives what the book has, or buys it. While another run is asking the same, it waits for that one. */
  async buy<E extends Endpoint>(question: BuyerQuestion<E>, options: BuyOptions): Promise<Bought<ResponseOf<E>>> {
    const { endpoint } = question;
    if (endpoint.billing === 'free') return { result: await orFailure(() => this.send(question, 0)) };
    let wasLost = options.lostBefore === true;
    for (let before = 0; ; before += 1) {
      const bought = await orFailure(() => this.buyOnce(question, options, before));
      if (bought instanceof PdiError) return { result: wasLost ? afterLoss(bought, false) : bought };
      const { result } = bought;
      if (!(result instanceof PdiError) || bought.source !== undefined) return bought;
      if (bought.withheld === true) return before > 0 ? { ...bought, result: afterLoss(result, false) } : bought;
      const isLost = result.details.billed === 'unknown';
      const again = isLost && before < this.parts.retriesOfUnknown && (await this.goesOn(options, result, before + 1));
      if (!again) return wasLost ? { ...bought, result: afterLoss(result, isLost) } : bought;
      wasLost = true;
    }
  }

  /** Gives what the book has of a question, which then is not sent; undefined where it would be sent. @throws as the book does */
  async known<E extends Endpoint>(question: BuyerQuestion<E>): Promise<Bought<ResponseOf<E>> | undefined> {
    if (!this.isKept(question.endpoint)) return undefined;
    const book = await this.parts.book();
    const found = await book.known(await this.callOf(question, book));
    return found === undefined ? undefined : answerIn(question, found);
  }

  /** Tells whether the run still goes on after the pause that a free call makes before it is sent again. */
  async pause(attempt: number): Promise<boolean> {
    const { pause } = await this.parts.client();
    return pause(attempt).then(
      () => true,
      () => false,
    );
  }

  private async buyOnce<E extends Endpoint>(
    question: BuyerQuestion<E>,
    options: BuyOptions,
    before: number,
  ): Promise<Bought<ResponseOf<E>>> {
    const book = await this.parts.book();
    const call = await this.callOf(question, book);
    const taken = await this.taken(book, call, options.stopped);
    if (typeof taken === 'object' && 'ticket' in taken) return this.settled(question, book, taken.ticket, options, before);
    return this.refused(question, taken);
  }

  private async taken(book: Book, call: BookCall, stopped: () => boolean): Promise<NoTicket | { readonly ticket: Ticket }> {
    const answer = book.kept(call);
    if (answer !== undefined) return { answer };
    let pause = 0;
    for (let waited = 0; ; waited += pause) {
      if (stopped()) return waited === 0 ? 'stopped' : 'late';
      const taken = await book.take(call);
      const isFull = typeof taken === 'object' && 'full' in taken;
      if (taken !== 'held' && !isFull) return taken;
      if (waited >= this.parts.longestWait) return isFull ? { over: taken.full } : 'late';
      pause = Math.min(waited + shortestPause, longestPause);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  private refused<E extends Endpoint>(question: BuyerQuestion<E>, taken: NoTicket): Bought<ResponseOf<E>> {
    if (taken === 'lost' || (typeof taken === 'object' && 'answer' in taken)) return answerIn(question, taken);
    if (taken === 'stopped') return { result: stoppedBeforeSending(), withheld: true };
    if (taken === 'late') return { result: lateFailure(question.endpoint, labelOf(question)), withheld: true };
    return { result: taken === 'capped' ? this.parts.cap.refusal() : refusalOfUsedUp(taken.over) };
  }

  private async settled<E extends Endpoint>(
    question: BuyerQuestion<E>,
    book: Book,
    ticket: Ticket,
    { sending, stopped }: BuyOptions,
    before: number,
  ): Promise<Bought<ResponseOf<E>>> {
    const { endpoint } = question;
    const answer = await orFailure(async () => {
      if (stopped()) throw stoppedBeforeSending();
      await sending?.();
      return this.send(question, before);
    }).catch(async (bug: unknown) => {
      await book.settle({ ticket, outcome: 'lost' });
      throw bug;
    });
    const at = book.now();
    const { outcome, billed } = answer instanceof PdiError ? endOfFailure(ticket.call, answer) : endOfAnswer(endpoint, answer.body);
    const trouble = await orFailure(() => book.settle({ ticket, outcome, answer: keptOf(question, answer, at) }));
    if (billed === 'yes') this.spent.billed += 1;
    if (billed === 'unknown') this.spent.unknown += 1;
    const fetched = fetchedAt(endpoint, answer, at);
    if (!(trouble instanceof PdiError)) return { result: answer, ...fetched };
    const told = new PdiError(trouble.code, `${trouble.message}; the last call stands there without its outcome`, {
      ...trouble.details,
      billed,
    });
    return { result: answer instanceof PdiError ? told : { ...answer, trouble: told }, ...fetched };
  }

  private async send<E extends Endpoint>(question: BuyerQuestion<E>, before: number): Promise<Answer<ResponseOf<E>>> {
    const client = await this.parts.client();
    return client.call(question.endpoint, question.request, { item: question.label, before });
  }

  /** Tells why a question would not be sent. @throws as the book does */
  async knows<E extends Endpoint>(question: BuyerQuestion<E>): Promise<'answered' | 'lost' | undefined> {
    const known = await this.known(question);
    if (known === undefined) return undefined;
    return known.source === undefined ? 'lost' : 'answered';
  }

  private goesOn({ goesOn }: BuyOptions, lost: PdiError, attempt: number): Promise<boolean> {
    return goesOn === undefined ? this.pause(attempt) : goesOn(lost, attempt);
  }

  private isKept({ stored }: Endpoint): boolean {
    return stored === true && this.parts.maxAge > 0;
  }

  private async callOf<E extends Endpoint>(question: BuyerQuestion<E>, book: Book): Promise<BookCall> {
    const { endpoint, request, item } = question;
    const { billing } = endpoint;
    if (billing === 'free') throw new Error('a free call is not written down');
    const asked = askedBy(endpoint, request);
    const key = keyOf(ownerName(await this.parts.owner()), asked, isPaged(endpoint) ? book.run : '');
    return {
      key,
      operation: asked.operation,
      item: this.itemOf(item ?? asked.item),
      billing,
      maxAge: this.isKept(endpoint) ? this.parts.maxAge : 0,
    };
  }

  private itemOf(item: Item): string | undefined {
    const text = typeof item === 'string' ? item : item.freeText;
    return typeof item === 'string' && identifierShape.test(this.parts.redact(text)) ? text : hashOf(text);
  }
}

/** Gives what a request asks in the words of the book: `per_1`, or `name:sample harbor`. Equal spellings ask the same. */
export function askedBy({ method, path: template, spelling = {} }: Endpoint, request: RequestParts) {
  const { path, query = {} } = request;
  const parameters = Object.entries(query).map(([name, value]) => `${name}:${spelling[name]?.(String(value)) ?? value}`);
  return { operation: `${method} ${template}`, item: [...Object.values(path), ...parameters].join(' ') };
}

/** The same words about a page mean other records in another run, because lists grow. */
const isPaged = ({ query }: Endpoint): boolean => query !== undefined && 'page' in query.shape;

const labelOf = <E extends Endpoint>({ endpoint, request, label }: BuyerQuestion<E>): string => label ?? askedBy(endpoint, request).item;

const answerIn = <E extends Endpoint>(
  question: BuyerQuestion<E>,
  found: NonNullable<Awaited<ReturnType<Book['known']>>>,
): Bought<ResponseOf<E>> =>
  found === 'lost'
    ? { result: lostFailure(question.endpoint, labelOf(question)), withheld: true }
    : fromBook(question.endpoint, found.answer, question.label);

function keptOf<E extends Endpoint>(
  { endpoint, request }: BuyerQuestion<E>,
  answer: Answer<unknown> | PdiError,
  at: number,
): KeptAnswer | undefined {
  const content = endpoint.stored === true ? contentOf(answer) : undefined;
  return content === undefined ? undefined : { at, item: askedBy(endpoint, request).item, ...content };
}

/** Only an answer or a 404 of an operation that is kept has a time of fetching. */
const fetchedAt = ({ stored }: Endpoint, answer: unknown, at: number): { readonly fetchedAt?: string } =>
  stored === true && (!(answer instanceof PdiError) || isMissing(answer)) ? { fetchedAt: new Date(at).toISOString() } : {};

interface CallEnd {
  readonly outcome: CallOutcome;
  readonly billed: Billed;
}

const notBilled: CallEnd = { outcome: 'not_billed', billed: 'no' };
const wasBilled: CallEnd = { outcome: 'billed', billed: 'yes' };

/** A charged answer was billed, but an empty page was not. Nobody says whether an operation of unstated price costs anything. */
export function endOfAnswer(endpoint: Endpoint, body: unknown): CallEnd {
  if (endpoint.billing === 'unstated') return { outcome: 'unpriced', billed: 'unknown' };
  return endpoint.emptyPage === 'not_billed' && Array.isArray(body) && body.length === 0 ? notBilled : wasBilled;
}

/** A 404 answers the question, and the document states no price for it. After other refusals nothing was carried out. */
function endOfFailure({ billing }: Pick<BookCall, 'billing'>, failure: PdiError): CallEnd {
  const { billed } = failure.details;
  if (billed === 'yes') return billing === 'charged' ? wasBilled : { outcome: 'unpriced', billed };
  if (billed === 'unknown') return { outcome: 'lost', billed };
  return isMissing(failure) ? { outcome: 'unpriced', billed: 'no' } : notBilled;
}

/** What may have been billed stays so, whatever the next call brings. */
function afterLoss(failure: PdiError, isLost: boolean): PdiError {
  const { code, message, details } = failure;
  if (isLost) {
    const hint = 'it was sent more than once, and may have been billed each time; see `pdi spend` before you repeat it';
    return new PdiError(code, message, { ...details, hint });
  }
  const more = 'an earlier call got no answer and may have been billed (`pdi spend`)';
  const hint = details.hint === undefined ? more : `${details.hint.replace(/\.$/, '')}; ${more}`;
  const reason = `${details.reason ?? message}; an earlier answer was lost and may have been billed`;
  return new PdiError(code, message, { ...details, hint, reason, billed: 'unknown' });
}

/** The service's identifiers look like this. Anything else typed in their place (a name, an address) is hashed. */
const identifierShape = /^[\w:=.-]{1,128}$/;
