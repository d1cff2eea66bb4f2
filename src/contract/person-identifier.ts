/** The kind of a person identifier, by `--as`, else by its shape (section "PersonResolveIdentifier" of the API document). */

import { shellWord } from '../errors.ts';
import { ExactNumber } from '../json/exact.ts';
import { parseUrl, percentDecoded } from '../rows/url.ts';
import {
  asianMarks,
  bare,
  type Invalid,
  idOfAnInvestor,
  isFlag,
  isUuid,
  isWordless,
  mailAddress,
  severalIds,
  spoiltNumber,
  visiblyBroken,
  withHint,
} from './identifier.ts';
import type { PersonResolveIdentifier } from './resolve.ts';

export interface Classified {
  readonly identifier: PersonResolveIdentifier;
  readonly key: string;
  readonly linkInText?: true;
}

const vanityId = { as: 'id', field: 'profnet_id', shape: /^/, read: readVanityId } as const;

/** The first whose shape a text has is its kind: only a slash makes a URL, so a word with dots, such as `ada.sample`, is a vanity id. */
export const identifierForms = [
  { as: 'urn', field: 'profnet_urn', shape: /^urn:/i, read: readUrn },
  { as: 'url', field: 'profnet_url', shape: /\/|%2Fin%2F/i, read: readUrl },
  { as: 'num-id', field: 'profnet_num_id', shape: /^\d+$/, read: readNumber },
  vanityId,
] as const;

export type IdentifierName = (typeof identifierForms)[number]['as'];

/** A longer text is a paragraph in the wrong column. */
const maxIdentifierLength = 2000;
const maxNumberLength = 30;
/** In a longer text no link is looked for, which would take a time that grows with the square of its length. */
const maxTextLength = 10_000;

/** `as` decides the kind, else the shape, but never the column: a file means the same whatever its header says. */
export function classify(written: string, as?: IdentifierName): Classified | Invalid {
  if (as === undefined && oneForm.test(written)) return profileUrl(written);
  const text = bare(written);
  const refused = neverMatches(text) ?? (as === undefined ? notMeant(text) : undefined);
  if (refused !== undefined) return refused;
  const form =
    identifierForms.find((one) => (as === undefined ? one.shape.test(text) : one.as === as)) ??
    vanityId;
  const link = form.as === 'url' && text.length <= maxTextLength ? linkIn(text) : undefined;
  if (link !== undefined && 'invalid' in link) return link;
  // A query or a fragment of a URL may hold anything.
  const asked = form.as === 'url' ? (link?.url ?? withDots(text)).replace(/[?#].*$/s, '') : text;
  const invalid = visiblyBroken(asked, maxIdentifierLength);
  const found = invalid === undefined ? form.read(asked) : { invalid };
  if ('invalid' in found) return found;
  // A journal must tell apart a text that is asked for as two kinds; no shape allows a blank, so keys cannot collide.
  const key = as === undefined ? found.key : `${as} ${found.key}`;
  return { ...found, key, ...(link?.inText === true && { linkInText: true }) };
}

/** Whoever types Asian scripts writes their full stops in a host, where browsers take them for dots. */
const withDots = (url: string): string =>
  url.replace(/^(?:https?:)?\/*[^/]*/i, (beforePath) =>
    beforePath.replace(/[\u3002\uff0e\uff61]/g, '.'),
  );

function neverMatches(text: string): Invalid | undefined {
  if (/^per_./.test(text))
    return {
      invalid: 'a person id already',
      hint: `\`pdi person ${shellWord(text)}\` (1 charged call) gives the profile`,
    };
  if (/^inv_./.test(text)) return idOfAnInvestor;
  if (mailAddress.test(text)) {
    return {
      invalid: 'a mail address, which the service does not look up',
      hint: 'give a profile URL, a vanity id, a numeric id or a URN',
    };
  }
  return undefined;
}

/** As vanity ids these would find nothing, or somebody else. */
function notMeant(text: string): Invalid | undefined {
  if (isUuid(text))
    return { invalid: 'a UUID, which is no identifier of a person', hint: askAnyway };
  if (/^(?:null|undefined|\\N)$/.test(text) || (text !== '' && isWordless(text)))
    return { invalid: 'what programs write for nothing', hint: askAnyway };
  if (isFlag(text)) return { invalid: 'a flag of a command, not an identifier', hint: askAnyway };
  return withHint(spoiltNumber(text), askAnyway);
}

const askAnyway = '`--as id` asks for it as a vanity id';

function readUrl(text: string): Classified | Invalid {
  if (/,\s*(?:https?:|www\.|[^,/]+\/)/i.test(text)) return severalIds;
  const found = cleanUrl(text);
  return 'invalid' in found ? found : profileUrl(found.url);
}

const profileUrl = (url: string): Classified => ({ identifier: { profnet_url: url }, key: url });

function readVanityId(text: string): Classified | Invalid {
  const [mark] = /[/?#:;|\\"<>()[\]{}]/.exec(text) ?? [];
  if (mark !== undefined) return { invalid: `not an id: it holds ${mark}` };
  return text.includes(',') ? severalIds : { identifier: { profnet_id: text }, key: text };
}

function readNumber(text: string): Classified | Invalid {
  if (!/^\d+$/.test(text)) return { invalid: 'not a whole number' };
  const digits = text.replace(/^0+(?=\d)/, '');
  if (digits.length > maxNumberLength)
    return { invalid: `a number of more than ${maxNumberLength} digits` };
  const plain = Number(digits);
  const number = Number.isSafeInteger(plain) ? plain : new ExactNumber(digits);
  return { identifier: { profnet_num_id: number }, key: digits };
}

function readUrn(text: string): Classified | Invalid {
  if (/^urn:/i.test(text) && !/^urn:[^:]+:.+/i.test(text)) return { invalid: 'an incomplete URN' };
  if (/^[^(]*[,;|]urn:/i.test(text))
    return { invalid: 'holds several URNs', hint: 'give one of them a row' };
  return { identifier: { profnet_urn: text }, key: text };
}

/** Nearly every URL of a file has this form already, and needs no second look. */
export const oneForm =
  /^https:\/\/www\.(?!(?:www|m|mobile|[a-z]{2}|[a-z]{2}-[a-z]{2})\.)(?:[a-z\d-]+\.)+[a-z]{2,}\/in\/[\w~%-]{1,200}$/;

/** The one form of a profile's URL (contract, section "Bulk input"). */
export function cleanUrl(text: string): { readonly url: string } | { readonly invalid: string } {
  const rest = text.replace(/^(?:https?:|\/)*/i, '');
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(rest)) return { invalid: 'not an http or https URL' };
  const [host = ''] = rest.split('/', 1);
  const shown = hostOf(host, /^https?:/i.test(text));
  if (shown === undefined) return { invalid: 'not a URL' };
  const page = otherPage.exec(rest.slice(host.length))?.[1];
  if (page !== undefined)
    return { invalid: `a page below /${page.toLowerCase()}, which is no profile of a person` };
  const path = profilePath(rest.slice(host.length));
  if (path === undefined) return { invalid: 'a URL without a profile slug' };
  if (cutOff.test(rest.slice(host.length)))
    return { invalid: 'a link that was cut off, with an ellipsis: copy the whole address' };
  return { url: `https://${shown}${path}` };
}

/** These parts before a host lead to the same profile: `fr.`, `pt-br.`, `m.`. */
const carried = /^(?:(?:www|m|mobile|[a-z]{2}(?:-[a-z]{2})?)\.)+(?=[^.]+\.[^.])/;
const named = /^(?!www\.).*\.[a-z][^.]*$/;

function hostOf(written: string, hasScheme: boolean): string | undefined {
  const { hostname = '', port = '' } = urlOf(written) ?? {};
  if (hostname === '' || !(hasScheme || written.includes('.'))) return undefined;
  const host = hostname.replace(carried, '');
  return (named.test(host) ? 'www.' : '') + host + (port && `:${port}`);
}

/** A backslash would begin the path, and what stands before an @ would be a user. */
const urlOf = (host: string): URL | undefined =>
  /[\\@]/.test(host) ? undefined : parseUrl(`https://${host}/`);

/** Old mobile pages, links in mails and translated pages stand below such a folder; `in` is the folder of profiles. */
const locale = '(?:(?!in/)(?:mwlite|comm|[a-z]{2}(?:[-_][a-z]{2})?)/+)?';
const profile = new RegExp(`^/+${locale}in/+([^/]+)`, 'i');
const withoutSlug = new RegExp(`^/*(?:${locale}(?:in|pub)/*)?$`, 'i');

/** Pages of the network about something else, or that only its own members can follow to a person. */
const otherPages = [
  'company|company-beta|school|showcase|edu|jobs|groups|posts|feed|pulse|search|sales|recruiter|talent|learning',
  'events|newsletters|services|products|messaging|help|legal|directory|pub/dir|today|hashtag',
  // The person stands in the query, which is dropped: all such links would be one.
  'profile/view|authwall|login|signup|uas/login|checkpoint',
].join('|');
const otherPage = new RegExp(`^/+${locale}(${otherPages})(?=[/?#]|$)`, 'i');

/** What a program has shortened to be shown is somebody else's slug. */
const cutOff = new RegExp(`^/+${locale}in/+[^/]*(?:\\.\\.|…)[.,:!*…'’]*$`, 'i');

const marksBehind = /[.,:!*'’]+$/;

/** Undefined where there is no slug; what follows it is another view of the profile. */
function profilePath(path: string): string | undefined {
  if (withoutSlug.test(path) || /\/\.{1,2}(?:\/|$)/.test(path)) return undefined;
  const slug = profile.exec(path)?.[1]?.replace(marksBehind, '');
  if (slug === '') return undefined;
  return slug === undefined ? path.replace(/\/+/g, '/').replace(/\/$/, '') : `/in/${slug}`;
}

const inHost = String.raw`[\w\u00c0-\u024f-]`;
/** No part of another scheme, a mail address or a longer path, but a whole link may follow a label or, in archives, a path. */
const host = String.raw`(?:(?<!${inHost}|[@:/.])|(?=https?:)(?<=[^\s/]/+|[:.])|(?=www\.)(?<=:))(?:/{2,})?(?:https?:/*)*(?:${inHost}+(?:\.${inHost}+)+|localhost)(?::\d+)?`;
/** A slug may hold a comma, but not before another link; an `&` ends it, as do the marks of Asian scripts. */
const slug = String.raw`(?:[^\s|<>"“”«»()[\]{};,?#/&\\${asianMarks}]|,(?!\s|https?:|www\.|[\w-]+(?:\.[\w-]+)+/))+`;
const link = new RegExp(`${host}/+${locale}in/+${slug}`, 'gi');
const otherLink = new RegExp(`${host}/+(?:${otherPages})/`, 'i');
const view = /^(?:\/\S*)?(?:[?#].*)?$/s;
const onlyMarks = /^(?:[^\p{L}\p{N}\s]*|\|.*)$/su;

/** The one link to a profile in a text such as `Ada - https://…/in/ada`; `inText`: other words stood beside it. */
function linkIn(
  text: string,
): { readonly url: string; readonly inText: boolean } | Invalid | undefined {
  const found = [...text.matchAll(link)];
  const [first] = found;
  if (first === undefined) {
    // A redirect, such as that of a mail program, has the link in its query, encoded.
    const decoded = /%2Fin%2F/i.test(text) ? percentDecoded(text) : text;
    return decoded === text ? undefined : linkIn(decoded);
  }
  const urls = new Set(found.map(([written]) => inOneForm(written)));
  if (urls.size > 1 || otherLink.test(text.replace(link, '')))
    return { invalid: 'holds two different links', hint: 'give one of them a row' };
  const [url = ''] = urls;
  const rest = text.slice(first.index + first[0].length);
  const isAlone = first.index === 0 && (view.test(rest) || onlyMarks.test(rest));
  return { url, inText: !isAlone };
}

function inOneForm(url: string): string {
  const clean = cleanUrl(url);
  return 'url' in clean ? clean.url : url;
}
