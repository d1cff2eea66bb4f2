/** Makes outside text safe for a terminal: it cannot move the cursor, change colours, hide or reorder characters, or make links. */
import { memoize } from '../rows/memoize.ts';

const [bell, introducer] = [String.fromCharCode(0x07), String.fromCharCode(0x1b)];

/** A payload also ends at the next introducer, because many introducers without terminator would take quadratic time. */
const introducers = '\\u0090\\u0098\\u009d-\\u009f';
const controlStrings = `(?:${introducer}[\\]PX^_]|[${introducers}])[^${bell}${introducer}\\u009c${introducers}]*(?:${bell}|${introducer}\\\\|\\u009c)`;
const controlSequences = `(?:${introducer}\\[|\\u009b)[0-?]*[ -/]*[@-~]`;
const shortEscapes = `${introducer}[ -/]*[0-~]`;

const breaks = new Set(['\t', '\n', '\v', '\f', '\r', '\u0085', '\u2028', '\u2029']);

/** Joiners are kept inside emoji sequences and where Arabic and Indic scripts need them. */
const joined = '\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\p{M}\\p{Script_Extensions=Arabic}';

/** They are built on first use, because Unicode property classes slow down every start of the program. */
const patterns = memoize(() => ({
  sequences: new RegExp(`${controlStrings}|${controlSequences}|${shortEscapes}`, 'gu'),
  controls: /[\p{Cc}\u2028\u2029]/gu,
  /** These characters have no shape: bidirectional controls, zero-width spaces, tags, fillers. */
  shapeless: /(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu,
  strayJoiners: new RegExp(
    `(?<![${joined}])[\\u200c\\u200d]|[\\u200c\\u200d](?![\\p{L}\\p{Extended_Pictographic}])`,
    'gu',
  ),
  loneSurrogates: /\p{Surrogate}/gu,
}));

const plain = /^[ -~]*$/;

/** Removes escape sequences, control and invisible characters; a line break becomes a space. A second cleaning changes nothing. */
export function cleanForTerminal(text: string): string {
  if (plain.test(text)) return text;
  const { sequences, controls, shapeless, strayJoiners, loneSurrogates } = patterns();
  return text
    .replace(sequences, '')
    .replace(controls, (character) => (breaks.has(character) ? ' ' : ''))
    .replace(shapeless, '')
    .replace(strayJoiners, '')
    .replace(loneSurrogates, '\ufffd');
}

export const cleanLine = (text: string): string =>
  cleanForTerminal(text).replace(/\s+/g, ' ').trim();
