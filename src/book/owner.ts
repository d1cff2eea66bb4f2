/** Calls and answers belong to an account at a base URL. */
import { hash } from 'node:crypto';

export interface Owner {
  /** It is in its one form, so that two can be compared. */
  readonly baseUrl: string;
  /** It is the setting `account`. Where it is unset, the key is the account. */
  readonly account?: string | undefined;
  readonly key: string;
}

const nameLength = 16;

/** Names an account in the book by a quarter of a hash, which does not lead back to the key. */
export function ownerName({ baseUrl, account, key }: Owner): string {
  const named = JSON.stringify(account === undefined ? { baseUrl, key } : { baseUrl, account });
  return hash('sha256', named).slice(0, nameLength);
}
