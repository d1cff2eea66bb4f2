/** Tells an identifier from what people and programs write around it, in its place, or of it: quotes, fillers, spoilt numbers. Pure. */

/** Soft hyphens, zero-width characters and marks of direction, which nobody sees and copying brings along. */
const invisible = '\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff';
const blank = new RegExp(`[\\s${invisible}]`);
const around = new RegExp(`[\\s${invisible}"'\`<>«»‹›\u2018-\u201f]`);

/** A word processor puts these in. Joiners between letters of other scripts are parts of their words. */
const unseenWithin = /[\u00ad\u200b\u200e\u200f\u2060\ufeff]|(?<=[!-~])[\u200c\u200d]/g;
const hyphens = /[\u2010\u2011\ufe63\uff0d]/g;

/** Gives an id or a URL alone. Nothing that is taken off can be a part of one, and another hyphen can only be a mistake for `-`. */
export function bare(written: string): string {
  const text = written.replace(unseenWithin, '').replace(hyphens, '-');
  // Spreadsheets write `="700000001"`, and people write `@ada`.
  return stripped(text, around, (at) => text[at] === '@' || (text[at] === '=' && text[at + 1] === '"'));
}

/** A pattern such as `\s+$` takes a time that grows with the square of the length. */
function stripped(text: string, taken: RegExp, standsBefore: (at: number) => boolean = () => false): string {
  let [start, end] = [0, text.length];
  while (start < end && (taken.test(text.charAt(start)) || standsBefore(start))) start += 1;
  while (end > start && taken.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

const quotedWhole = /^=?"([^"]*)"$/;
/** The formula guard writes this apostrophe. */
const guard = /^'(?=[=+\-@])/;

/** Gives a name alone. Unlike an id, it may begin or end with a quote of its own, such as an apostrophe. */
export function bareName(text: string): string {
  const unguarded = stripped(text, blank).replace(guard, '');
  return stripped(quotedWhole.exec(unguarded)?.[1] ?? unguarded, blank);
}

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
const total = /^(?:grand |sub[ -]?)?totals?(?: g[eé]n[eé]ral)?[\s:=]*(?:(?:\(|(?<=[\s:=]))[\d.,\s]+\)?)?$|^gesamtergebnis$/i;

/** Salesforce writes `--None--`, and people `(none)` or `n/a.` */
const marksAround = /^[-<([{.*\s]+|[->)\]}.*\s]+$/g;

const isWord = (text: string): boolean => words.has(text) || words.has(text.replace(marksAround, ''));

/** In brackets these are no name. */
const noName: ReadonlySet<string> = new Set(['', 'blank', 'empty', 'unknown', 'text', 'string', 'name']);

export const isRuler = (text: string): boolean => ruler.test(text);

const namesNothing = (text: string): boolean => ruler.test(text) || isWord(text.toLowerCase()) || bracketed.test(text) || total.test(text);

const isNameColumn = (field: string | undefined): boolean => field?.toLowerCase() === 'name';

/** A name may stand in brackets. */
function isNameInBrackets(text: string): boolean {
  const name = text.slice(1, -1).trim().toLowerCase();
  return bracketed.test(text) && !isWord(name) && !noName.has(name) && !ruler.test(name) && !/^\d+ rows?$/.test(name);
}

/** Tells whether a cell of a table, or a line of a file, names nothing. */
export function isBlankCell(written: string, field?: string): boolean {
  const text = bare(written);
  return text === '' || (namesNothing(text) && !(isNameColumn(field) && isNameInBrackets(text)));
}

const asText = 'export the column as text';

const spoilings: readonly { readonly shape: RegExp; readonly reason: string }[] = [
  { shape: /^[+-]?\d+(?:[.,]\d+)?E\+\d+$|^[+-]?\d[.,]\d+E-?\d+$|^[+-]?\dE\d{1,2}$/i, reason: `a rounded number: ${asText}` },
  {
    shape: /^[+-]?\d{1,3}(?:([.,'’_٬])\d{3})(?:\1\d{3})*(?:[.,]\d+)?$|^\d{1,2}(?:,\d{2})+,\d{3}$|^\d+(?:_\d+)+$/,
    reason: `a number with separators: ${asText}`,
  },
  { shape: /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z?)?$|^\d{1,2}\.\d{1,2}\.\d{4}$/, reason: `a day, which a spreadsheet makes of an id: ${asText}` },
  { shape: /^[+-]?\d+[.,]\d*$/, reason: `a number with decimals: ${asText}` },
  { shape: /^[+\-−$€£¥]\d+$|^\d+[%$€£¥]$/, reason: `a number with a sign: ${asText}` },
  { shape: /^\d{5,}(?:u?l{1,2}|u|n|[iu]\d{2}|d|f)$|^0x[\da-f]+$/i, reason: `a number with the mark of a programming language: ${asText}` },
  {
    shape: /^(?=.*[^\d.,'_+-])[+\-−]?\p{Nd}(?:[.,'’_٬٫]?\p{Nd})*$/u,
    reason: 'a number in the digits of another script: write it as 0 to 9',
  },
];

const maybeNumber = /^[+\-−$€£¥]?\p{Nd}/u;

/** Says how a number was spoilt; undefined for whole numbers and for what is no number. */
export function spoiltNumber(text: string): string | undefined {
  if (text === 'TRUE' || text === 'FALSE') return 'a truth value: format the column as text in the spreadsheet';
  if (!maybeNumber.test(text)) return undefined;
  return spoilings.find(({ shape }) => shape.test(text))?.reason;
}
