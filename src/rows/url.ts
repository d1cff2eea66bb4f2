/** Reads a URL that may be none. */

/**
 * Undefined where the text is no URL. `URL.canParse` tells less: once it was called some thousand times, that of Node 20 and 22 takes
 * every address with an accent in it for none, and rows of a long job would be refused.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
