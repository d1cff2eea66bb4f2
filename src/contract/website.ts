/** Tells whether a text can be the website of an investor: a URL, with or without scheme, or a bare domain. Pure. */
import { parseUrl } from '../rows/url.ts';

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
