/** Reads base URLs, the versioned root of the service (section "Versioning"), in one form only, so that two can be compared. */
import { attempt, UsageError } from '../errors.ts';
import { parseUrl } from '../rows/url.ts';

const hint = 'give the versioned root of the service, such as https://HOST/api/v1';

/** The form has no default port and no trailing slash. @throws UsageError unless it is absolute http(s) without user, query and fragment */
export function parseBaseUrl(text: string): string {
  const trimmed = text.trim();
  const url = /^https?:\/\/[^\s\\]+$/i.test(trimmed) ? parseUrl(trimmed) : undefined;
  // A file of variables for containers keeps them. An apostrophe alone may end a URL (RFC 3986, 2.2).
  if (/^["'`\u2018-\u201f]|["`\u2018-\u201f]$/.test(trimmed))
    throw new UsageError('the URL is in quotes', { hint: 'leave the quotes out' });
  if (url === undefined)
    throw new UsageError('expected an absolute http:// or https:// URL', { hint });
  // The text is not repeated, because it may hold a password.
  if (url.username !== '' || url.password !== '')
    throw new UsageError('expected a base URL without a user name or password in it', { hint });
  if (/[?#]/.test(trimmed))
    throw new UsageError('expected a base URL without a query (?) or fragment (#)', { hint });
  return url.origin + url.pathname.replace(/\/+$/, '');
}

export const normalBaseUrl = (value: unknown): string | undefined =>
  typeof value === 'string' ? attempt(() => parseBaseUrl(value)) : undefined;

export function isLoopback(url: string): boolean {
  // The URL parser has already turned every spelling of an IPv4 address into four decimals.
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** Gives the URL. @throws UsageError for http:// outside loopback without `allowHttp`, because the key would travel unencrypted */
export function checkBaseUrl(url: string, allowHttp: boolean): string {
  if (allowHttp || new URL(url).protocol === 'https:' || isLoopback(url)) return url;
  throw new UsageError(
    `base URL ${url} is http://: the key and the data would travel unencrypted`,
    {
      hint: 'use https://, or pass --allow-http if you accept that',
    },
  );
}

/** A stored key is sent only to the base URL written beside it (`api-key-for`), so that a change of `base-url` cannot redirect it. */
export const boundNames = ['key-command', 'api-key'] as const;
type BoundName = (typeof boundNames)[number];

export const bindingName = (name: BoundName): string => `${name}-for`;

/** A file written by hand binds a key by its `base-url`. It is undefined for a key without a base URL, which is sent nowhere. */
export function boundTo(
  values: Readonly<Record<string, unknown>>,
  name: BoundName,
): string | undefined {
  const written = bindingName(name);
  return normalBaseUrl(Object.hasOwn(values, written) ? values[written] : values['base-url']);
}
