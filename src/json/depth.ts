/** Deep JSON is refused before it is parsed, because writing such a value, or walking through it, overflows the stack. */
import { endOfString } from './split.ts';

/** It counts levels of arrays and objects; the API's own bodies have six. */
export const maxDepth = 500;

const quote = 0x22;
const opening: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const closing: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** Tells whether a JSON text has more than `maxDepth` levels. Common text has few brackets, so this costs almost nothing. */
export function isNestedTooDeep(text: string): boolean {
  return hasMany(text) && depthExceeds(text, maxDepth);
}

function hasMany(text: string): boolean {
  if (text.length <= maxDepth) return false;
  let found = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0 && found <= maxDepth; at = text.indexOf(bracket, at + 1)) found += 1;
  }
  return found > maxDepth;
}

function depthExceeds(text: string, most: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === quote) at = endOfString(text, at);
    else if (opening.has(character)) depth += 1;
    else if (closing.has(character)) depth -= 1;
    if (depth > most) return true;
  }
  return false;
}
