/** Every call is reserved under the cap and written to the ledger here before it is sent, and its outcome is written after. */
import type { Answer } from '../client/call.ts';
import { stoppedBeforeSending } from '../client/rate-limiter.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { type Billed, orFailure, PdiError } from '../errors.ts';
import type { Budget } from '../money/budget.ts';
import type { Cap } from '../money/cap.ts';
import type { Ledger, SentCall } from '../money/ledger.ts';
import type { CallOutcome } from '../money/ledger-lines.ts';
import { endOfTurn, semaphore } from './map-ordered.ts';

interface PurchaseParts {
  readonly cap: Cap;
  /** It is opened before the first call that may be billed. */
  readonly ledger: () => Promise<Ledger>;
  readonly buyer?: () => Promise<Buyer>;
  readonly profile: string;
  readonly command: string;
  readonly baseUrl: string;
  /** The service is the sandbox inside this process. */
  readonly sandbox: boolean;
}

export interface Buyer {
  readonly owner: string;
  readonly budget: Budget | undefined;
}

/** Writes down how a call ended. @throws PdiError `internal` where the ledger cannot take it */
type Settle = (end: CallEnd) => Promise<void>;

/** A 404 is not counted, because its error says that it was not billed. */
export interface Spent {
  billed: number;
  unknown: number;
}

/** With `trouble` the ledger could not take the outcome: use the answer, then end the run with the trouble. */
export type Purchased<T> = Answer<T> & { readonly trouble?: PdiError };

/** Makes one call about `item`, unless it may be billed and the run has `stopped`. Here failures of call, cap and ledger become values. */
export type Purchase = <T>(
  endpoint: Endpoint,
  item: Item,
  call: () => Promise<Answer<T>>,
  stopped: () => boolean,
) => Promise<Purchased<T> | PdiError>;

/** `freeText` is for what is not an identifier of the service. */
export type Item = string | { readonly freeText: string };

/** Gives a `purchase` and the running count of what it bought. Free calls pass untouched. */
export function createPurchase({ cap, ledger, buyer, ...facts }: PurchaseParts): { purchase: Purchase; spent: Spent } {
  const spent: Spent = { billed: 0, unknown: 0 };
  /** While a call waits for the budget, the other calls of the run wait behind it and take no place under the cap. */
  const inTurn = semaphore(1);
  /** Takes a place under the cap, writes down that a call is about to be sent, and gives what writes down how it ended. */
  const noted = async (line: SentCall, { owner, budget }: Partial<Buyer>, stopped: () => boolean): Promise<Settle> => {
    const book = await ledger();
    if (stopped()) throw stoppedBeforeSending();
    cap.reserve();
    try {
      const { id, at } = await book.sent({ ...line, owner });
      const refusal = budget && (await refusalBy(budget, id, at, stopped));
      if (refusal !== undefined) {
        await book.outcome(id, 'not_billed');
        throw refusal;
      }
      return async ({ outcome, billed }) => {
        if (billed === 'yes') spent.billed += 1;
        if (billed === 'unknown') spent.unknown += 1;
        await book.outcome(id, outcome, billed);
      };
    } catch (error) {
      cap.release();
      throw error;
    }
  };
  const buy = async <T>(
    endpoint: Endpoint,
    billing: Price,
    item: Item,
    call: () => Promise<Answer<T>>,
    stopped: () => boolean,
  ): Promise<Purchased<T> | PdiError> => {
    const asked = typeof item === 'string' ? { item } : { query: item.freeText };
    const operation = `${endpoint.method} ${endpoint.path}`;
    const line = { ...facts, operation, billing, ...asked };
    const settle = await orFailure(async () => {
      const who: Partial<Buyer> = (await buyer?.()) ?? {};
      return who.budget === undefined ? noted(line, who, stopped) : inTurn(() => noted(line, who, stopped));
    });
    if (settle instanceof PdiError) return settle;
    const answer = await orFailure(call).catch(async (bug: unknown) => {
      await settle(endWithoutAnswer(billing));
      throw bug;
    });
    await endOfTurn();
    const end = answer instanceof PdiError ? endOfFailure(billing, answer) : endOfAnswer(endpoint, answer.body);
    const trouble = await orFailure(() => settle(end));
    if (answer instanceof PdiError) return trouble ?? answer;
    return trouble === undefined ? answer : { ...answer, trouble };
  };
  const purchase: Purchase = (endpoint, item, call, stopped) => {
    const { billing } = endpoint;
    return billing === 'free' ? orFailure(call) : buy(endpoint, billing, item, call, stopped);
  };
  return { purchase, spent };
}

/** The run may have been stopped while the call waited for the budget. */
async function refusalBy(budget: Budget, id: string, at: string, stopped: () => boolean): Promise<PdiError | undefined> {
  const refusal = await orFailure(() => budget.refusalOf(id, at, stopped));
  return stopped() ? stoppedBeforeSending() : refusal;
}

type Price = SentCall['billing'];

interface CallEnd {
  readonly outcome: CallOutcome;
  readonly billed: Billed;
}

const notBilled: CallEnd = { outcome: 'not_billed', billed: 'no' };
const wasBilled: CallEnd = { outcome: 'billed', billed: 'yes' };

/** Nobody knows whether the service carried the call out. */
const endWithoutAnswer = (billing: Price): CallEnd => ({ outcome: billing === 'charged' ? 'lost' : 'unpriced', billed: 'unknown' });

/** A charged answer was billed, but an empty page was not. Nobody says whether an operation of unstated price costs anything. */
export function endOfAnswer(endpoint: Endpoint, body: unknown): CallEnd {
  if (endpoint.billing === 'unstated') return { outcome: 'unpriced', billed: 'unknown' };
  return endpoint.emptyPage === 'not_billed' && Array.isArray(body) && body.length === 0 ? notBilled : wasBilled;
}

/** A 404 answers the question, and the document states no price for it. After other refusals nothing was carried out. */
function endOfFailure(billing: Price, { code, details: { billed, status } }: PdiError): CallEnd {
  if (billed === 'yes') return wasBilled;
  if (billed === 'unknown') return endWithoutAnswer(billing);
  return code === 'not_found' && status === 404 ? { outcome: 'unpriced', billed: 'no' } : notBilled;
}
