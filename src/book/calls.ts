import { hash } from 'node:crypto';
import type { Billing, CallOutcome } from '../contract/price.ts';
import type { BudgetUse } from './budget.ts';

/** Calls and answers belong to an account at a base URL, which is in its one form. */
export interface Owner {
  readonly baseUrl: string;
  /** The setting `account`; unset, the key is the account. */
  readonly account?: string | undefined;
  readonly key: string;
}

/** A quarter of a hash (16 hex digits), which does not lead back to the key. */
export function ownerName({ baseUrl, account, key }: Owner): string {
  const named = JSON.stringify(account === undefined ? { baseUrl, key } : { baseUrl, account });
  return hash('sha256', named).slice(0, 16);
}

export interface BookCall {
  readonly key: string;
  readonly operation: string;
  /** The service's identifier, or the hash of a free text. */
  readonly item: string | undefined;
  readonly billing: Exclude<Billing, 'free'>;
  /** Its answer is kept for so many milliseconds; 0: neither kept nor taken. */
  readonly maxAge: number;
  /** The service refused it without carrying it out, so it has its place under the cap of the run already. */
  readonly hasPlace?: true;
}

/** `body` is the answer's own text, or, where it is `missing`, the words of a 404 as JSON. */
export interface KeptAnswer {
  readonly at: number;
  readonly missing: boolean;
  readonly body: string;
}

/** The right to make one call, which has this number in the book, or 0 once it is given back; whoever has it settles it. */
export interface Ticket {
  readonly call: BookCall;
  readonly number: number;
}

/** An earlier call may have been billed, or was for certain, by the service's own log. */
export type Lost = 'lost' | 'billed_lost';

/** `held`: another run is asking the same. */
export type Known = { readonly answer: KeptAnswer } | Lost | 'held';

/** `over`: the budget is used up; `full`: it is, unless calls under way turn out not to be billed; `capped`: this run may make no more. */
export type Taken =
  | Known
  | { readonly ticket: Ticket }
  | { readonly over: BudgetUse }
  | { readonly full: BudgetUse }
  | 'capped';

export interface Settled {
  readonly ticket: Ticket;
  readonly outcome: CallOutcome;
  readonly answer?: KeptAnswer | undefined;
}

/** Clocks of two machines that use one book may differ by so many milliseconds. */
export const maxSkew = 15 * 60_000;

/** The name of a question in the book; `within` is the token of a run where the same words mean something else in another. */
export const keyOf = (
  owner: string,
  { operation, item }: { readonly operation: string; readonly item: string },
  within = '',
): string => hash('sha256', `${owner}\n${operation}\n${item}\n${within}`, 'base64url').slice(0, 16);

/** An answer that stays past its age goes then. */
export const never = Number.MAX_SAFE_INTEGER;

/** Behind all versions of an answer: the key of an earlier one is its question's, a blank and its time. */
export const behind = (key: string): string => `${key}!`;

/** Enough to recognise what one already knows. */
export const hashOf = (text: string): string => `sha256:${hash('sha256', text).slice(0, 16)}`;

/** More bytes than the longest profile or page of signals that is to be expected. */
export const roomForAnswer = 256 * 1024;

/** How many of these took a place under the cap. */
export const newPlacesIn = (taken: readonly Taken[]): number =>
  taken.filter(
    (one) => typeof one === 'object' && 'ticket' in one && one.ticket.call.hasPlace !== true,
  ).length;
