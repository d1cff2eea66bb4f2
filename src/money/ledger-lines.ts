/** Every line of the spend ledger names the version of its form, because several versions of pdi may append to one file. */
import type { Billing } from '../contract/endpoint.ts';
import type { PdiError } from '../errors.ts';
import { type JsonObject, parseObject, writtenByNewer } from './stored.ts';

/** Version 1 had one outcome `unknown` for what is now `lost` and `unpriced`, and named neither version, price nor sandbox. */
export const ledgerVersion = 2;

/** `lost`: a charged call got no answer and may have been billed. `unpriced`: no price is documented, as for a 404 or other operations. */
export type CallOutcome = 'billed' | 'not_billed' | 'lost' | 'unpriced';

export interface SentLine {
  readonly id: string;
  /** It is ISO 8601 in UTC. */
  readonly at: string;
  readonly profile: string;
  readonly command: string;
  /** It is the endpoint, such as `GET /people/{personId}`. */
  readonly operation: string;
  readonly baseUrl: string;
  /** It is the identifier asked for, or `sha256:…` of a free text. */
  readonly item: string | undefined;
  /** It names base URL and account, for the budget. Older lines have none. */
  readonly owner?: string | undefined;
  readonly billing: Exclude<Billing, 'free'>;
  readonly sandbox: boolean;
}

export interface OutcomeLine {
  readonly id: string;
  readonly outcome: CallOutcome | 'unknown';
}

/** Every line of this version ends with it. */
export const lineEnding = `,"v":${ledgerVersion}}`;

/** Every line begins with it, and it stands nowhere else in a line. */
export const lineOpening = '{"id":"';

export const sentText = ({ id, at, profile, command, operation, baseUrl, item, owner, billing, sandbox }: SentLine): string =>
  JSON.stringify({
    id,
    event: 'sent',
    at,
    profile,
    command,
    operation,
    base_url: baseUrl,
    item,
    owner,
    billing,
    ...(sandbox && { sandbox }),
    v: ledgerVersion,
  });

/** Nothing in it needs an escape, and JSON.stringify takes longer than the writing of the line. */
export const outcomeText = (id: string, outcome: CallOutcome, at: string): string =>
  `${lineOpening}${id}","event":"${outcome}","at":"${at}"${lineEnding}`;

/** Gives only the version where a newer pdi wrote the line; undefined where the line is not the ledger's. */
export function parseLedgerLine(line: string): SentLine | OutcomeLine | { readonly newer: number } | undefined {
  const object = parseObject(line);
  if (object === undefined) return undefined;
  const { id, event, v } = object;
  if (typeof v === 'number' && v > ledgerVersion) return { newer: v };
  if (event === 'sent') return sentIn(object);
  const outcome = outcomeOf(event);
  return isText(id) && outcome !== undefined ? { id, outcome } : undefined;
}

export const newerLedger = (path: string, version: number): PdiError =>
  writtenByNewer(path, { of: 'the ledger', version, known: ledgerVersion, hint: 'use that pdi' });

function sentIn(object: JsonObject): SentLine | undefined {
  const { id, at, profile, command, operation, base_url: baseUrl, item, billing, sandbox } = object;
  const whole = isText(id) && isText(at) && isText(profile) && isText(command) && isText(operation) && isText(baseUrl);
  if (!whole) return undefined;
  const known = { id, at, profile, command, operation, baseUrl, item: isText(item) ? item : undefined };
  return sentOf({ ...known, billing, sandbox: sandbox === true });
}

/** A line of version 1 names neither price nor sandbox: they are known from the operation and from the sandbox's own profile. */
function sentOf({ billing, ...line }: Omit<SentLine, 'billing'> & { readonly billing: unknown }): SentLine {
  if (isPrice(billing)) return { ...line, billing };
  const sandbox = line.profile === 'sandbox' && line.baseUrl.startsWith('http://127.0.0.1:');
  return { ...line, billing: chargedInVersion1.includes(line.operation) ? 'charged' : 'unstated', sandbox };
}

/** It stays as it is, whatever is charged later. */
export const chargedInVersion1: readonly string[] = [
  'GET /people/{personId}',
  'GET /companies/{companyId}/latest-revenue',
  'GET /investor-interest',
];

const outcomes: readonly unknown[] = ['billed', 'not_billed', 'lost', 'unpriced', 'unknown'] satisfies readonly OutcomeLine['outcome'][];

const outcomeOf = (event: unknown): OutcomeLine['outcome'] | undefined => (isOutcome(event) ? event : undefined);
export const isPrice = (billing: unknown): billing is SentLine['billing'] => billing === 'charged' || billing === 'unstated';
export const isOutcome = (event: unknown): event is OutcomeLine['outcome'] => outcomes.includes(event);
const isText = (value: unknown): value is string => typeof value === 'string';
