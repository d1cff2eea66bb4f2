/** Tells what other programs write where there is nothing (contract, section Bulk input). Pure. */
import { bare } from './bare.ts';

/** R, SQL, JavaScript, Python, Java, spreadsheets and people write these. */
const words: ReadonlySet<string> = new Set(
  [
    'na n/a n.a. n.a #na null nil none undefined \\n nat tbd tba nan +nan -nan 1.#ind -1.#ind 1.#qnan -1.#qnan'.split(' '),
    ['#n/a n/a', 'not available', 'not applicable', 'to be determined'],
  ].flat(),
);

/** A ruler, a dash, question marks. */
const ruler = /^[!-/:-@[-`{-~\p{P}\s]+$/u;
/** A unit, a type, or a remark: `(text)`, `[USD]`, `(blank)`, `(25 rows)`. */
const bracketed = /^(?:\([^()]{0,30}\)|\[[^[\]]{0,30}\]|\{[^{}]{0,30}\})$/;
const total = /^(?:grand |sub[ -]?)?totals?(?: g[eé]n[eé]ral)?[\s:=]*(?:\(?[\d.,\s]+\)?)?$|^gesamtergebnis$/i;

/** Nearly every id has a digit early, or is longer than all of these. */
const isPlain = /^(?!1\.#)[a-z]*[-_]?\d|^[a-z][\w-]{24}/i;

export const isRuler = (text: string): boolean => ruler.test(text);

export function isFiller(written: string): boolean {
  if (isPlain.test(written)) return false;
  const text = bare(written);
  return ruler.test(text) || words.has(text.toLowerCase()) || bracketed.test(text) || total.test(text);
}

/** A name may stand in brackets. */
const isNameColumn = (field: string | undefined): boolean => field?.toLowerCase() === 'name';

/** Tells whether a cell of a table, or a line of a file, names nothing. */
export const isBlankCell = (written: string, field?: string): boolean =>
  isPlain.test(written) ? false : bare(written) === '' || (isFiller(written) && !(isNameColumn(field) && bracketed.test(bare(written))));
