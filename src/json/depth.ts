/**
 * How deep JSON is nested, told before it is parsed: the engine parses any depth, but writing such a value again, or
 * walking through it, overflows the stack.
 */
import { endOfString } from './split.ts';

/** Levels of arrays and objects; the API's own bodies have six. */
export const maxDepth = 500;

const quote = 0x22;
const opening: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const closing: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** Whether a JSON text has more than `maxDepth` levels. Costs next to nothing for the common text, which has few brackets. */
export function isNestedTooDeep(text: string): boolean {
  return hasMany(text) && depthExceeds(text, maxDepth);
}

/** Whether there are enough opening brackets at all, those in strings included. */
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
