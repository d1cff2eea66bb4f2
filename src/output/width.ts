/** Measures text in terminal cells, and cuts and wraps it. */
import stringWidth from 'string-width';

/** So many cells stand between two columns, and before what is indented. */
export const gap = 2;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const ascii = /^[ -~]*$/;

const graphemesOf = (text: string): Iterable<string> => (ascii.test(text) ? text : segmentsOf(text));

/** Intl.Segmenter takes more than quadratic time, so a text is segmented in stretches of this length. */
const stretch = 1000;

function* segmentsOf(text: string): Iterable<string> {
  let size = stretch;
  for (let start = 0; start < text.length; ) {
    const end = endOfStretch(text, start + size);
    const found = Array.from(graphemes.segment(text.slice(start, end)), ({ segment }) => segment);
    // The last grapheme may continue after the stretch; if it fills the whole stretch, the next one is longer.
    if (end < text.length) found.pop();
    yield* found;
    start = found.reduce((reached, { length }) => reached + length, start);
    size = found.length === 0 ? size * 2 : stretch;
  }
}

/** A stretch must not end inside a surrogate pair, because the first half would become a grapheme of its own. */
const endOfStretch = (text: string, end: number): number => (/[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end);

/** The cells that `text` takes. It must not hold control characters. */
export const cellWidth = (text: string): number => (ascii.test(text) ? text.length : stringWidth(text));

function fittingLength(text: string, width: number): number {
  let [length, used] = [0, 0];
  for (const grapheme of graphemesOf(text)) {
    used += cellWidth(grapheme);
    if (used > width) break;
    length += grapheme.length;
  }
  return length;
}

/** Cuts `text` to `width` cells and adds `…`. It cuts at the end of a word if one ends in the second half. */
export function cut(text: string, width: number): string {
  if (cellWidth(text) <= width) return text;
  if (width < 1) return '';
  const length = fittingLength(text, width - 1);
  const kept = text.slice(0, length);
  const wordEnd = text[length] === ' ' ? length : kept.lastIndexOf(' ');
  return `${(wordEnd >= length / 2 ? kept.slice(0, wordEnd) : kept).trimEnd()}…`;
}

/** A grapheme that is wider than the line is still a piece of its own. */
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

/** Wraps `text` to lines of at most `width` cells, between words if possible. An empty text is one empty line. */
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
