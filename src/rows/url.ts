import { attempt } from '../errors.ts';

/** Not `URL.canParse`: called some thousand times, that of Node 20 and 22 takes every address with an accent for none. */
export const parseUrl = (text: string, base?: string): URL | undefined =>
  attempt(() => new URL(text, base));

export const percentDecoded = (path: string): string =>
  attempt(() => decodeURIComponent(path)) ?? path;
