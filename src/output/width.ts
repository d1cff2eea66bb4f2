/** How many cells of a terminal a cleaned text takes, by the measure that cli-table3 has, and cutting and wrapping by it. */
import stringWidth from 'string-width';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const ascii = /^[ -~]*$/;

/** Characters that may join their neighbours into one grapheme. Segmenting is slow, and most texts have none. */
const composed =
  /[\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\p{Join_Control}\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/u;

/** What a person takes for one character, as the units of measuring and cutting; one by one, since a text may be long. */
function* graphemesOf(text: string): Iterable<string> {
  if (!composed.test(text)) yield* text;
  else yield* segmentsOf(text);
}

/** Segmenting takes time by more than the square of a text's length: it is done in stretches of this size. */
const stretch = 1000;

function* segmentsOf(text: string): Iterable<string> {
  let size = stretch;
  for (let start = 0; start < text.length; ) {
    const end = endOfStretch(text, start + size);
    const found = Array.from(graphemes.segment(text.slice(start, end)), ({ segment }) => segment);
    // The last one may go on behind the stretch; one that fills it asks for a longer one.
    if (end < text.length) found.pop();
    yield* found;
    start = found.reduce((reached, { length }) => reached + length, start);
    size = found.length === 0 ? size * 2 : stretch;
  }
}

/** Never between the two halves of a character: the first would stand as a grapheme of its own. */
const endOfStretch = (text: string, end: number): number => (/[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end);

/** Cells that `text` takes; it holds no control characters. */
export const cellWidth = (text: string): number => (ascii.test(text) ? text.length : stringWidth(text));

/** How many UTF-16 units of `text` fit into `width` cells, whole graphemes only. */
function fittingLength(text: string, width: number): number {
  if (ascii.test(text)) return Math.min(text.length, width);
  let [length, used] = [0, 0];
  for (const grapheme of graphemesOf(text)) {
    used += cellWidth(grapheme);
    if (used > width) break;
    length += grapheme.length;
  }
  return length;
}

/** `text` in at most `width` cells: cut at the end of a word, where one ends in its second half, and marked with `…`. */
export function cut(text: string, width: number): string {
  if (cellWidth(text) <= width) return text;
  if (width < 1) return '';
  const length = fittingLength(text, width - 1);
  const kept = text.slice(0, length);
  const wordEnd = text[length] === ' ' ? length : kept.lastIndexOf(' ');
  return `${(wordEnd >= length / 2 ? kept.slice(0, wordEnd) : kept).trimEnd()}…`;
}

/** A word in pieces that are no longer than a line; one grapheme may be wider than a narrow line, and is a piece nevertheless. */
function pieces(word: string, width: number): readonly string[] {
  if (word === '') return [];
  if (cellWidth(word) <= width) return [word];
  const found: string[] = [];
  let [start, end, used] = [0, 0, 0];
  for (const grapheme of graphemesOf(word)) {
    const size = cellWidth(grapheme);
    if (used + size > width && end > start) {
      found.push(word.slice(start, end));
      [start, used] = [end, 0];
    }
    end += grapheme.length;
    used += size;
  }
  return [...found, word.slice(start)];
}

/** `text` in lines of at most `width` cells, broken between words where possible; the empty text is one empty line. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let [line, used] = ['', 0];
  for (const piece of text.split(' ').flatMap((word) => pieces(word, width))) {
    const size = cellWidth(piece);
    const fits = line !== '' && used + 1 + size <= width;
    if (line !== '' && !fits) lines.push(line);
    [line, used] = fits ? [`${line} ${piece}`, used + 1 + size] : [piece, size];
  }
  return [...lines, line];
}
