/** What the book records of a call: whose it is, what it asks, how it ended, and the answer that is kept. */
import { hash } from 'node:crypto';
import type { Billing } from '../contract/endpoint.ts';
import type { BudgetUse } from './budget.ts';

/** Calls and answers belong to an account at a base URL. */
export interface Owner {
  /** It is in its one form, so that two can be compared. */
  readonly baseUrl: string;
  /** It is the setting `account`. Where it is unset, the key is the account. */
  readonly account?: string | undefined;
  readonly key: string;
}

/** Names an account in the book by a quarter of a hash, which does not lead back to the key. */
export function ownerName({ baseUrl, account, key }: Owner): string {
  const named = JSON.stringify(account === undefined ? { baseUrl, key } : { baseUrl, account });
  return hash('sha256', named).slice(0, 16);
}

/** `lost`: no answer came, and it may have been billed. `unpriced`: the document states no price, as for a 404 or other operations. */
export type CallOutcome = 'billed' | 'not_billed' | 'lost' | 'unpriced';

/** A call that is about to be made, in the words of the book. */
export interface BookCall {
  /** Calls with the same key ask the same. */
  readonly key: string;
  /** It is the endpoint, such as `GET /people/{personId}`. */
  readonly operation: string;
  /** It is the service's identifier, or the hash of a free text. */
  readonly item: string | undefined;
  readonly billing: Exclude<Billing, 'free'>;
  /** Its answer is kept for so many milliseconds; 0: neither kept nor taken. */
  readonly maxAge: number;
}

/** The body's own text, or the words of a 404. */
export interface KeptAnswer {
  readonly at: number;
  readonly missing: boolean;
  readonly body: string;
}

/** The right to make one call, which has this number in the book. Whoever has it settles it. */
export interface Ticket {
  readonly call: BookCall;
  readonly number: number;
}

/** `lost`: an earlier call may have been billed. `held`: another run is asking it. */
export type Known = { readonly answer: KeptAnswer } | 'lost' | 'held';

/**
 * `full`: calls under way use up the budget, unless some of them turn out not to be billed. `over`: the budget is used up. `capped`: this
 * run may make no more calls.
 */
export type Taken = Known | { readonly ticket: Ticket } | { readonly over: BudgetUse } | { readonly full: BudgetUse } | 'capped';

export interface Settled {
  readonly ticket: Ticket;
  readonly outcome: CallOutcome;
  /** It is kept for the next who asks. */
  readonly answer?: KeptAnswer | undefined;
}

/** What is asked for alike has this name in the book. `within` is the run where the same words mean something else in another. */
export const keyOf = (owner: string, { operation, item }: { readonly operation: string; readonly item: string }, within = ''): string =>
  hash('sha256', `${owner}\n${operation}\n${item}\n${within}`, 'base64url').slice(0, 16);

/** This is enough to recognise what one already knows. */
export const hashOf = (text: string): string => `sha256:${hash('sha256', text).slice(0, 16)}`;
