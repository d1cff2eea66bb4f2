/** What a person identifier is, told by `--as`, else by its shape. Sections PersonResolveIdentifier and Limits of the API document. */

import type { PathParameter } from '../contract/endpoint.ts';
import type { IdentifierKind, PersonResolveIdentifier } from '../contract/resolve.ts';
import { UsageError } from '../errors.ts';
import { ExactNumber } from '../json/parse.ts';

export type IdShape = PathParameter['shape'];

/** What is wrong with a text that is no id of a shape, and what to do instead. */
export interface Misshapen {
  readonly reason: string;
  readonly hint: string;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** As a shell takes it. */
const typed = (text: string): string => (/^[\w:/.@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

const complaints: Readonly<Record<IdShape, (text: string) => Misshapen | undefined>> = {
  opaque: () => undefined,
  person: (text) => {
    if (text.startsWith('per_')) return undefined;
    if (!text.includes('/')) {
      const reason = 'not a person id: it does not begin with per_';
      return { reason, hint: `\`pdi resolve ${typed(text)}\` (free) finds the person id of a vanity id, a numeric id or a URN` };
    }
    const hint = `\`pdi resolve ${typed(text)}\` (free) finds the person id; \`pdi resolve ${typed(text)} -o ndjson | pdi person -i -\` goes straight on`;
    return { reason: 'a profile URL, not a person id: pdi resolve (free) finds the id', hint };
  },
  uuid: (text) =>
    uuid.test(text)
      ? undefined
      : { reason: 'not a list id, which is a UUID', hint: '`pdi lists companies list` (free) shows the ids of company lists' },
  integer: (text) =>
    /^\d+$/.test(text) ? undefined : { reason: 'not the id of a saved search, which is a whole number', hint: 'the service shows it' },
};

/** Why a text, already trimmed, is no id of this shape; undefined where it may be one. */
function misshapen(shape: IdShape, text: string): Misshapen | undefined {
  // The service would take several for one that it does not know.
  if (text.includes(',')) return { reason: 'an id with a comma', hint: 'give one id at a time, separated by blanks or line ends' };
  return complaints[shape](text);
}

/** @throws UsageError naming the argument or flag, and what to do instead */
export function requireShape(shape: IdShape, text: string, name: string): void {
  const found = misshapen(shape, text.trim());
  if (found !== undefined)
    throw new UsageError(`${name} ${text}: ${found.reason}`, { item: text, hint: `nothing was sent; ${found.hint}` });
}

/** The values of `--as`. */
export type IdentifierName = 'url' | 'id' | 'num-id' | 'urn';

export interface Invalid {
  /** Why it is visibly malformed, for the row's `pdi_error`. */
  readonly invalid: string;
  /** What to do instead, where more can be said of an argument than of a row. */
  readonly hint?: string;
}

export interface Classified {
  readonly identifier: PersonResolveIdentifier;
  /** The same for identifiers that are one question: same kind, same value. Its own text where its shape tells the kind. */
  readonly key: string;
}

const kindByName: Readonly<Record<IdentifierName, IdentifierKind>> = {
  url: 'profnet_url',
  id: 'profnet_id',
  'num-id': 'profnet_num_id',
  urn: 'profnet_urn',
};

/** No identifier of the service is near this; what is longer is a paragraph in the wrong column. */
const maxIdentifierLength = 2000;
const maxNumberLength = 30;
const maxPathPartLength = 500;

/**
 * The request item for an identifier as the user wrote it. `as` decides its kind, else its shape: never the column it stood in,
 * so that a file means the same whatever its header says. Never throws.
 */
export function classify(written: string, as?: IdentifierName): Classified | Invalid {
  const text = written.trim();
  if (as === undefined && plainWord.test(text)) return vanityId(text);
  const invalid = visiblyBroken(text, maxIdentifierLength);
  if (invalid !== undefined) return { invalid };
  if (as !== undefined) return keyedBy(as, readers[kindByName[as]](text));
  const spoilt = spoiltNumber(text);
  return spoilt === undefined ? readers[kindByShape(text)](text) : { invalid: spoilt };
}

/** What has the shape of one kind may be asked for as another: a journal must not take them for one. No shape allows a blank. */
const keyedBy = (as: IdentifierName, found: Classified | Invalid): Classified | Invalid =>
  'invalid' in found ? found : { ...found, key: `${as} ${found.key}` };

/** An id that goes into a request's path or query as it is: a person, company, investor or search id, by its shape. Never throws. */
export function plainIdentifier(written: string, shape: IdShape = 'opaque'): { readonly text: string } | Invalid {
  const text = written.trim();
  const invalid = visiblyBroken(text, maxPathPartLength);
  if (invalid !== undefined) return { invalid };
  // A URL's path would lose these two on the way, and the request would reach another endpoint.
  if (text === '.' || text === '..') return { invalid: `"${text}" is not an id` };
  const found = misshapen(shape, text);
  return found === undefined ? { text } : { invalid: found.reason, hint: found.hint };
}

/** Nearly every identifier: nothing in it that would have to be looked at twice. */
const visible = /^[!-~]+$/;
/** Of both control sets. */
const isControl = (character: string): boolean => character < ' ' || (character >= '\u007f' && character <= '\u009f');
/** Nearly every vanity id. */
const plainWord = /^[a-z][a-z0-9-]{0,99}$/i;

function visiblyBroken(text: string, longest: number): string | undefined {
  if (text === '') return 'empty';
  if (!visible.test(text)) {
    if (Array.from(text).some(isControl)) return 'holds a control character';
    if (/\s/.test(text)) return 'holds white space';
  }
  return text.length > longest ? `longer than ${longest} characters` : undefined;
}

/** A program made a decimal or a figure of a numeric id: taken for a vanity id, it would be nobody's. `--as id` asks for it all the same. */
function spoiltNumber(text: string): string | undefined {
  if (/^\d+\.0+$/.test(text)) return 'a number with decimals: export the column as text, or name what it is with --as';
  return /^\d{1,3}(?:,\d{3})+$/.test(text) ? 'a number with separators: export the column as text' : undefined;
}

/** A slash makes a URL: a word with dots, such as `ada.sample`, is a vanity id. */
function kindByShape(text: string): IdentifierKind {
  if (/^urn:/i.test(text)) return 'profnet_urn';
  if (text.includes('/')) return 'profnet_url';
  return /^\d+$/.test(text) ? 'profnet_num_id' : 'profnet_id';
}

const readers: Readonly<Record<IdentifierKind, (text: string) => Classified | Invalid>> = {
  profnet_url: readUrl,
  profnet_id: readVanityId,
  profnet_num_id: readNumber,
  profnet_urn: readUrn,
};

function readUrl(text: string): Classified | Invalid {
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  const url = hasScheme ? text : `https://${text.replace(/^\/\//, '')}`;
  const parsed = parseUrl(url);
  if (parsed === undefined || (!hasScheme && !parsed.hostname.includes('.'))) return { invalid: 'not a URL' };
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') return { invalid: 'not an http or https URL' };
  if (!hasSlug(parsed.pathname)) return { invalid: 'a URL without a profile slug' };
  return { identifier: { profnet_url: url }, key: url };
}

function parseUrl(url: string): URL | undefined {
  try {
    return new URL(url);
  } catch {
    return undefined;
  }
}

/** `/in` and `/pub` alone are the folders that profiles lie in. */
function hasSlug(path: string): boolean {
  const parts = path.split('/').filter((part) => part !== '');
  return parts.length > 1 || (parts[0] !== undefined && parts[0] !== 'in' && parts[0] !== 'pub');
}

function readVanityId(text: string): Classified | Invalid {
  // Excel's rendering of a long number: the digits are gone, and asking would find somebody else or nobody.
  if (/^\d+(?:[.,]\d+)?E\+\d+$/i.test(text)) return { invalid: 'a rounded number: format the column as text in the spreadsheet' };
  if (/[/?#:]/.test(text)) return { invalid: 'not an id: it holds one of / ? # :' };
  return vanityId(text);
}

const vanityId = (text: string): Classified => ({ identifier: { profnet_id: text }, key: text });

function readNumber(text: string): Classified | Invalid {
  if (!/^\d+$/.test(text)) return { invalid: 'not a whole number' };
  const digits = text.replace(/^0+(?=\d)/, '');
  if (digits.length > maxNumberLength) return { invalid: `a number of more than ${maxNumberLength} digits` };
  const plain = Number(digits);
  const number = Number.isSafeInteger(plain) ? plain : new ExactNumber(digits);
  return { identifier: { profnet_num_id: number }, key: digits };
}

function readUrn(text: string): Classified | Invalid {
  if (/^urn:/i.test(text) && !/^urn:[^:]+:.+/i.test(text)) return { invalid: 'an incomplete URN' };
  return { identifier: { profnet_urn: text }, key: text };
}
