/** A base URL as our files keep it. */

/** Without user, password, query and closing slashes: nothing secret, and one spelling for one service. */
export function plainUrl(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return origin + pathname.replace(/\/+$/, '');
}
