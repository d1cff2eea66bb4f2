/** Checks ids and websites that go into the path or the query of a request (section Identifier conventions of the API document). Pure. */
import { UsageError } from '../errors.ts';
import { parseUrl } from '../rows/url.ts';
import type { PathParameter } from './endpoint.ts';
import { bare, isBlankCell, spoiltNumber } from './written.ts';

export interface Invalid {
  readonly invalid: string;
  readonly hint?: string;
}

type IdShape = PathParameter['shape'];

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => uuid.test(text);

export const shellWord = (text: string): string => (/^[\w:/.@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

const complaints: Readonly<Record<IdShape, (text: string) => Required<Invalid> | undefined>> = {
  company: (text) => {
    const invalid = notOfACompany(text);
    return invalid === undefined ? undefined : { invalid, hint: 'give the company_id that feed, person and the service show' };
  },
  person: (text) => {
    if (/^per_./.test(text))
      return textAround.test(text) ? { invalid: 'not an id alone', hint: 'leave out what stands around it' } : undefined;
    if (text === 'per_') return { invalid: 'not a person id: nothing follows per_', hint: 'give the whole id' };
    if (isBlankCell(text)) return { invalid: 'what programs write for nothing, not an id', hint: 'give the id of a person' };
    if (mailAddress.test(text)) return { invalid: 'a mail address, which the service does not look up', hint: 'give the id of a person' };
    if (!text.includes('/')) {
      const invalid = 'not a person id: it does not begin with per_';
      return { invalid, hint: `\`pdi resolve ${shellWord(text)}\` (free) finds the person id of a vanity id, a numeric id or a URN` };
    }
    const hint = `\`pdi resolve ${shellWord(text)}\` (free) finds the person id; \`pdi resolve ${shellWord(text)} -o ndjson | pdi person -i -\` goes straight on`;
    return { invalid: 'a profile URL, not a person id: pdi resolve (free) finds the id', hint };
  },
  uuid: (text) =>
    uuid.test(text)
      ? undefined
      : {
          invalid: 'not a list id, which is a UUID',
          hint: '`pdi lists companies list` (free) shows those of company lists, the service those of others',
        },
  integer: (text) =>
    /^\d+$/.test(text) ? undefined : { invalid: 'not the id of a saved search, which is a whole number', hint: 'the service shows it' },
};

/** As the id of a company these name nothing; as a name or a vanity id, somebody may be meant. */
const noCompany =
  /^(?:unknown|missing|blank|empty|void|error|true|false|[+-]?inf(?:inity)?|sum|summe|text|string|varchar|char|int(?:eger|8|16|32|64)?)$/i;
const columnName = /^(?:company|(?:(?:company|organi[sz]ation|account)[_-]?)?(?:ids?|uuid|name|domain|website|url))$/i;
/** A line of a program or of its settings, a template, a formula. */
const code = /["'`[\]{}()<>|\\;$]|^%.*%$|=[^=]/;
/** Marks of the text that an id was copied from. */
const textAround = /["'`[\]{}()<>|\\;]|[.:!…]$/;

export const mailAddress = /^(?:mailto:)?[^\s@/:]+@[^\s@/:]+\.[^\s@/:]+$/i;

/** The shape of a company id is not documented; these are ids and texts of other kinds. */
function notOfACompany(text: string): string | undefined {
  if (isBlankCell(text) || noCompany.test(text)) return 'what programs write for nothing, not an id';
  if (/^per_./.test(text)) return 'a person id, not a company id';
  if (/^inv_./.test(text)) return 'an investor id, not a company id';
  if (text.includes('/')) return 'a URL, not a company id';
  if (text.includes('@')) return 'a mail address, not a company id';
  if (/^(?:[a-z\d-]+\.)+[a-z]{2,}$/i.test(text)) return 'a domain, not a company id';
  if (columnName.test(text)) return 'the name of a column, not an id';
  if (code.test(text)) return spoiltNumber(text) ?? 'a piece of code or of a setting, not an id';
  return spoiltNumber(text) ?? (textAround.test(text) ? 'not an id alone: leave out what stands around it' : undefined);
}

/** The service would take several ids for one unknown id. */
export const severalIds = { invalid: 'an id with a comma', hint: 'give one id at a time, separated by blanks or line ends' };

const misshapen = (shape: IdShape, text: string): Required<Invalid> | undefined =>
  text.includes(',') ? severalIds : complaints[shape](text);

/** Gives the id alone. @throws UsageError naming the argument or flag, and what to do instead */
export function requireShape(shape: IdShape, written: string, name: string): string {
  const text = bare(written);
  const found = misshapen(shape, text);
  if (found === undefined) return text;
  throw new UsageError(`${name} ${written}: ${found.invalid}`, { item: written, hint: `nothing was sent; ${found.hint}` });
}

const maxPathPartLength = 500;

/** Checks an id that goes into a request's path or query as it is. Never throws. */
export function plainIdentifier(written: string, shape: IdShape = 'company'): { readonly text: string } | Invalid {
  const text = bare(written);
  const invalid = visiblyBroken(text, maxPathPartLength);
  if (invalid !== undefined) return { invalid };
  // A URL's path would lose these two, and the request would reach another endpoint.
  if (text === '.' || text === '..') return { invalid: `"${text}" is not an id` };
  return misshapen(shape, text) ?? { text };
}

export const lostCharacter = 'holds a character that a program has lost (U+FFFD): take it from another export';
/** Half a character is written as U+FFFD too. */
export const hasLostCharacter = (text: string): boolean =>
  /\ufffd|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text);

export function visiblyBroken(text: string, longest: number): string | undefined {
  if (text === '') return 'empty';
  if (/\p{Cc}/u.test(text)) return 'holds a control character';
  if (/\s/.test(text)) return 'holds white space';
  if (/[\u2012-\u2015\u2212]/.test(text)) return 'holds a dash where ids have a hyphen';
  if (/[\u202a-\u202e\u2066-\u2069]/.test(text)) return 'holds a character that turns the direction of a text';
  if (hasLostCharacter(text)) return lostCharacter;
  return text.length > longest ? `longer than ${longest} characters` : undefined;
}

/** Tells a website from the name of an investor, where nothing else does: a name has spaces or no dot. */
export const looksLikeWebsite = (text: string): boolean => /^(https?:\/\/)?[^\s/]+\.[^\s/.]{2,}(\/\S*)?$/i.test(text);

/** Says why a text is no website; undefined where it may be one. To ask for it may be billed. */
export function objectionToWebsite(text: string): string | undefined {
  const isWebsite = !/\s/.test(text) && isWebAddress(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  return isWebsite ? undefined : 'not a website: neither a URL nor a domain';
}

/** A number such as `7.5E8` or `0` would be read as the address of a machine. */
const domain = /\.[a-z][^.]+\.?$/i;

function isWebAddress(text: string): boolean {
  const { protocol = '', hostname = '', username } = parseUrl(text) ?? {};
  return /^https?:$/.test(protocol) && domain.test(hostname) && username === '';
}
