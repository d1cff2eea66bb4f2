/** Brings the URL of a profile to one form, whatever page or program it was copied from. Pure. */
import { parseUrl } from '../rows/url.ts';

/** Nearly every URL of a file has the one form already, and needs no second look. */
const inOneForm = /^https:\/\/www\.(?!(?:www|m|mobile|[a-z]{2}|[a-z]{2}-[a-z]{2})\.)(?:[a-z\d-]+\.)+[a-z]{2,}\/in\/[\w~%-]{1,200}$/;

export const isInOneForm = (text: string): boolean => inOneForm.test(text);

export function cleanUrl(text: string): { readonly url: string } | { readonly invalid: string } {
  // A scheme may be there twice, or have lost its slashes.
  const rest = text.replace(/^(?:https?:|\/)*/i, '');
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(rest)) return { invalid: 'not an http or https URL' };
  const [host = ''] = rest.split('/', 1);
  const shown = hostOf(host, /^https?:/i.test(text));
  if (shown === undefined) return { invalid: 'not a URL' };
  const page = otherPage.exec(rest.slice(host.length))?.[1];
  if (page !== undefined) return { invalid: `a page below /${page.toLowerCase()}, which is no profile of a person` };
  const path = profilePath(rest.slice(host.length));
  return path === undefined ? { invalid: 'a URL without a profile slug' } : { url: `https://${shown}${path}` };
}

/** These parts before a host lead to the same profile: `fr.`, `pt-br.`, `m.`. */
const carried = /^(?:(?:www|m|mobile|[a-z]{2}(?:-[a-z]{2})?)\.)+(?=[^.]+\.[^.])/;
/** An address of digits and a machine's own name have no www. */
const named = /^(?!www\.).*\.[a-z][^.]*$/;

/** A word without a dot is a host only where a scheme says so. */
function hostOf(written: string, hasScheme: boolean): string | undefined {
  const { hostname = '', port = '' } = urlOf(written) ?? {};
  if (hostname === '' || !(hasScheme || hostname.includes('.'))) return undefined;
  const host = hostname.replace(carried, '');
  return (named.test(host) ? 'www.' : '') + host + (port && `:${port}`);
}

/** A backslash would begin the path, and what stands before an @ would be a user. */
const urlOf = (host: string): URL | undefined => (/[\\@]/.test(host) ? undefined : parseUrl(`https://${host}/`));

/** The old mobile pages stood below such a folder, as translated pages stand below a language; `in` is the folder of profiles. */
export const locale = '(?:(?!in/)(?:mwlite|[a-z]{2}(?:[-_][a-z]{2})?)/+)?';
const profile = new RegExp(`^/+${locale}in/+([^/]+)`, 'i');
const withoutSlug = new RegExp(`^/*(?:${locale}(?:in|pub)/*)?$`, 'i');

/** Pages of the network that are about something else, or that only its own members can follow to a person. */
export const otherPages = [
  'company|company-beta|school|showcase|edu|jobs|groups|posts|feed|pulse|search|sales|recruiter|talent|learning',
  'events|newsletters|services|products|messaging|help|legal|directory|today|hashtag',
].join('|');
const otherPage = new RegExp(`^/+${locale}(${otherPages})(?=[/?#]|$)`, 'i');

/** They belong to the sentence that the URL stood in. */
const marksBehind = /[.,:!*…'’]+$/;

/** What follows the slug is another view of the profile. It is undefined where there is no slug; other paths keep their parts. */
function profilePath(path: string): string | undefined {
  if (withoutSlug.test(path) || /\/\.{1,2}(?:\/|$)/.test(path)) return undefined;
  const slug = profile.exec(path)?.[1]?.replace(marksBehind, '');
  if (slug === '') return undefined;
  return slug === undefined ? path.replace(/\/+/g, '/').replace(/\/$/, '') : `/in/${slug}`;
}
