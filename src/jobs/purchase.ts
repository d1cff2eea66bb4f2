/** Every call goes through here: reserved under the cap and written to the ledger before it is sent, its outcome after. */
import type { Answer } from '../client/call.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { orFailure, PdiError } from '../errors.ts';
import type { Budget } from '../money/budget.ts';
import type { Cap } from '../money/cap.ts';
import type { CallOutcome, Ledger, SentCall } from '../money/ledger.ts';

export interface PurchaseParts {
  readonly cap: Cap;
  /** Opened before the first call that may be billed. */
  readonly ledger: () => Promise<Ledger>;
  /** Who buys, as the ledger names them, and what they may spend. */
  readonly buyer?: () => Promise<Buyer>;
  readonly profile: string;
  readonly command: string;
  readonly baseUrl: string;
}

export interface Buyer {
  readonly owner: string;
  readonly budget: Budget | undefined;
}

/** What the calls of a run came to. */
export interface Spent {
  billed: number;
  unknown: number;
}

/** A bought answer. With `trouble` the ledger could not take its outcome: use the answer, then end the run with it. */
export type Purchased<T> = Answer<T> & { readonly trouble?: PdiError };

/**
 * Makes one call of `endpoint` about `item`; `freeText` where the item is not an identifier of the service. From here on a failure
 * is a value: of the call, of the cap, or of the ledger.
 */
export type Purchase = <T>(endpoint: Endpoint, item: Item, call: () => Promise<Answer<T>>) => Promise<Purchased<T> | PdiError>;

export type Item = string | { readonly freeText: string };

/** A `purchase` and the running count of what it bought. Free calls pass untouched. */
export function createPurchase({ cap, ledger, buyer, profile, command, baseUrl }: PurchaseParts): { purchase: Purchase; spent: Spent } {
  const spent: Spent = { billed: 0, unknown: 0 };
  /** Takes a place under the cap and writes down that a call is about to be sent; gives what writes down how it ended. */
  const noted = async (line: SentCall): Promise<(outcome: CallOutcome) => void> => {
    cap.reserve();
    try {
      const [book, who] = await Promise.all([ledger(), buyer?.()]);
      const id = book.sent({ ...line, owner: who?.owner });
      const refusal = who?.budget?.refusalOf(id, book.lastSentAt);
      if (refusal !== undefined) {
        book.outcome(id, 'not_billed');
        throw refusal;
      }
      return (outcome) => {
        if (outcome !== 'not_billed') spent[outcome] += 1;
        book.outcome(id, outcome);
      };
    } catch (error) {
      cap.release();
      throw error;
    }
  };
  const buy = async <T>(endpoint: Endpoint, item: Item, call: () => Promise<Answer<T>>): Promise<Purchased<T> | PdiError> => {
    const asked = typeof item === 'string' ? { item } : { query: item.freeText };
    const operation = `${endpoint.method} ${endpoint.path}`;
    const settle = await orFailure(() => noted({ profile, command, operation, baseUrl, ...asked }));
    if (settle instanceof PdiError) return settle;
    const answer = await orFailure(call).catch((bug: unknown) => {
      settle('unknown');
      throw bug;
    });
    const outcome = answer instanceof PdiError ? outcomeOfFailure(answer) : outcomeOfAnswer(endpoint, answer.body);
    const trouble = await orFailure(async () => settle(outcome));
    if (answer instanceof PdiError) return trouble ?? answer;
    return trouble === undefined ? answer : { ...answer, trouble };
  };
  const purchase: Purchase = (endpoint, item, call) => (endpoint.billing === 'free' ? orFailure(call) : buy(endpoint, item, call));
  return { purchase, spent };
}

/** A charged answer was billed, an empty page was not; whether an operation of unstated price costs anything, nobody says. */
function outcomeOfAnswer(endpoint: Endpoint, body: unknown): CallOutcome {
  if (endpoint.billing === 'unstated') return 'unknown';
  return endpoint.emptyPage === 'not_billed' && Array.isArray(body) && body.length === 0 ? 'not_billed' : 'billed';
}

const outcomeOfFailure = ({ details: { billed } }: PdiError): CallOutcome => {
  if (billed === 'yes') return 'billed';
  return billed === 'unknown' ? 'unknown' : 'not_billed';
};
