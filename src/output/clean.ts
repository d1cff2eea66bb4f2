/**
 * Text from the service (or from a file) made safe for a terminal. Nothing that moves the cursor, recolours, hides,
 * reorders or links may pass; what a person writes in any script may.
 */

/** A pattern made when it is first needed: the engine looks up every property in it as soon as it reads a program that holds it. */
function whenNeeded(source: string): () => RegExp {
  let pattern: RegExp | undefined;
  return () => {
    pattern ??= new RegExp(source, 'gu');
    return pattern;
  };
}

const [bell, introducer] = [String.fromCharCode(0x07), String.fromCharCode(0x1b)];

/**
 * Operating-system commands, device control and the like: an introducer, any payload, a terminator. A payload ends at the
 * next introducer as well: looking past it from each of many would take time by the square of their number.
 */
const introducers = '\\u0090\\u0098\\u009d-\\u009f';
const controlStrings = `(?:${introducer}[\\]PX^_]|[${introducers}])[^${bell}${introducer}\\u009c${introducers}]*(?:${bell}|${introducer}\\\\|\\u009c)`;
/** Colours, cursor movement, erasing. */
const controlSequences = `(?:${introducer}\\[|\\u009b)[0-?]*[ -/]*[@-~]`;
const shortEscapes = `${introducer}[ -/]*[0-~]`;
const sequences = whenNeeded(`${controlStrings}|${controlSequences}|${shortEscapes}`);

/** Control characters of both sets, and the two Unicode line breaks. */
const controls = whenNeeded('[\\p{Cc}\\u2028\\u2029]');
const breaks = new Set(['\t', '\n', '\v', '\f', '\r', '\u0085', '\u2028', '\u2029']);

/** Characters without a shape: bidirectional controls, zero-width spaces, tags, fillers. Joiners and emoji selectors: below. */
const shapeless = whenNeeded('(?!\\u200c|\\u200d|\\ufe0e|\\ufe0f)[\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffb]');

/** Joiners anywhere but inside an emoji sequence or where Arabic and Indic scripts need them. */
const joined = '\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\p{M}\\p{Script_Extensions=Arabic}';
const strayJoiners = whenNeeded(`(?<![${joined}])[\\u200c\\u200d]|[\\u200c\\u200d](?![\\p{L}\\p{Extended_Pictographic}])`);

const loneSurrogates = whenNeeded('\\p{Surrogate}');

const plain = /^[ -~]*$/;

/**
 * `text` without escape sequences, control and bidirectional characters and invisible ones; line breaks and tabs become
 * a space, lone surrogates the replacement character. Never contains a line break. Cleaning twice changes nothing.
 */
export function cleanForTerminal(text: string): string {
  if (plain.test(text)) return text;
  return text
    .replace(sequences(), '')
    .replace(controls(), (character) => (breaks.has(character) ? ' ' : ''))
    .replace(shapeless(), '')
    .replace(strayJoiners(), '')
    .replace(loneSurrogates(), '\ufffd');
}

/** As `cleanForTerminal`, with every run of white space made one space and none at either end. */
export const cleanLine = (text: string): string => cleanForTerminal(text).replace(/\s+/g, ' ').trim();
