/** Reads a URL that may be none, and a path that may be encoded. */
import { attempt } from '../errors.ts';

/**
 * Undefined where the text is no URL. `URL.canParse` tells less: once it was called some thousand times, that of Node 20 and 22 takes
 * every address with an accent in it for none, and rows of a long job would be refused.
 */
export const parseUrl = (text: string, base?: string): URL | undefined => attempt(() => new URL(text, base));

/** Programs write the letters of a path as they are, or percent-encoded. What cannot be decoded stays as it is. */
export const percentDecoded = (path: string): string => attempt(() => decodeURIComponent(path)) ?? path;
