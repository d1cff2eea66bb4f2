/** Tells what other programs write where there is nothing (contract, section Bulk input). Pure. */
import { bare } from './bare.ts';

/** R, SQL, JavaScript, Python, Java, spreadsheets and people write these. */
const words: ReadonlySet<string> = new Set(
  [
    'na n/a n.a. n.a #na null nil none undefined \\n nat tbd tba nan +nan -nan 1.#ind -1.#ind 1.#qnan -1.#qnan'.split(' '),
    ['#n/a n/a', 'not available', 'not applicable', 'to be determined', 'no data', 'not set', 'not found', 'k.a.', 'n/d', 'n.d.', 's/o'],
  ].flat(),
);

/** A ruler, a dash, question marks. */
const ruler = /^[!-/:-@[-`{-~\p{P}\s]+$/u;
/** A unit, a type, or a remark: `(text)`, `[USD]`, `(blank)`, `(25 rows)`. */
const bracketed = /^(?:\([^()]{0,30}\)|\[[^[\]]{0,30}\]|\{[^{}]{0,30}\})$/;
const total = /^(?:grand |sub[ -]?)?totals?(?: g[eé]n[eé]ral)?[\s:=]*(?:\(?[\d.,\s]+\)?)?$|^gesamtergebnis$/i;

/** Salesforce writes `--None--`, and people `(none)` or `n/a.` */
const marksAround = /^[-<([{.*\s]+|[->)\]}.*\s]+$/g;

const isWord = (text: string): boolean => words.has(text) || words.has(text.replace(marksAround, ''));

/** In brackets these are no name. */
const noName: ReadonlySet<string> = new Set(['', 'blank', 'empty', 'unknown', 'text', 'string', 'name']);

/** Nearly every id has a digit early, or is longer than all of these. */
const isPlain = /^(?!1\.#)[a-z]*[-_]?\d|^[a-z][\w-]{24}/i;

export const isRuler = (text: string): boolean => ruler.test(text);

export function isFiller(written: string): boolean {
  if (isPlain.test(written)) return false;
  const text = bare(written);
  return ruler.test(text) || isWord(text.toLowerCase()) || bracketed.test(text) || total.test(text);
}

const isNameColumn = (field: string | undefined): boolean => field?.toLowerCase() === 'name';

/** A name may stand in brackets. */
function isNameInBrackets(text: string): boolean {
  const name = text.slice(1, -1).trim().toLowerCase();
  return bracketed.test(text) && !isWord(name) && !noName.has(name) && !ruler.test(name) && !/^\d+ rows?$/.test(name);
}

/** Tells whether a cell of a table, or a line of a file, names nothing. */
export const isBlankCell = (written: string, field?: string): boolean =>
  isPlain.test(written) ? false : bare(written) === '' || (isFiller(written) && !(isNameColumn(field) && isNameInBrackets(bare(written))));
