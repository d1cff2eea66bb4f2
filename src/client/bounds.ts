/** Whether a body is parsed at all: one that is all brackets and commas takes twenty times its length in memory. Pure. */

/** Objects, arrays and members: many times what the API means, and what can be checked one by one within 300 MB. */
const mostValues = 400_000;

/** Whether a JSON text has more than `mostValues`. Those in strings count as well: of prose, one character in fifty. */
export function holdsTooMany(text: string): boolean {
  if (text.length <= mostValues) return false;
  let found = 0;
  for (const mark of [',', '{', '[']) {
    for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) {
      found += 1;
      if (found > mostValues) return true;
    }
  }
  return false;
}
