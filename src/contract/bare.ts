/** Takes off what stands around an identifier where people copied it from: a sheet, a mail, a web page. Pure. */

/** Soft hyphens, zero-width characters and marks of direction, which nobody sees and copying brings along. */
const invisible = '\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff';
const blank = new RegExp(`[\\s${invisible}]`);
const around = new RegExp(`[\\s${invisible}"'\`<>«»‹›\u2018-\u201f]`);

const ascii = /^[ -~]*$/;
/** A word processor puts these in. Joiners between letters of other scripts are parts of their words. */
const unseenWithin = /[\u00ad\u200b\u200e\u200f\u2060\ufeff]|(?<=[!-~])[\u200c\u200d]/g;
const hyphens = /[\u2010\u2011\ufe63\uff0d]/g;

/** Gives an id or a URL alone. Nothing that is taken off can be a part of one, and another hyphen can only be a mistake for `-`. */
export function bare(written: string): string {
  const text = ascii.test(written) ? written : written.replace(unseenWithin, '').replace(hyphens, '-');
  let start = 0;
  while (start < text.length && standsBefore(text, start)) start += 1;
  return text.slice(start, endOf(text, start, around));
}

/** Spreadsheets write `="700000001"`, and people write `@ada`. */
const standsBefore = (text: string, at: number): boolean =>
  around.test(text.charAt(at)) || text[at] === '@' || (text[at] === '=' && text[at + 1] === '"');

/** A pattern such as `\s+$` takes a time that grows with the square of the length. */
function endOf(text: string, start: number, taken: RegExp): number {
  let end = text.length;
  while (end > start && taken.test(text.charAt(end - 1))) end -= 1;
  return end;
}

const quotedWhole = /^=?"([^"]*)"$/;
/** The formula guard writes this apostrophe. */
const guard = /^'(?=[=+\-@])/;

/** Gives a name alone. Unlike an id, it may begin or end with a quote of its own, such as an apostrophe. */
export function bareName(text: string): string {
  const unguarded = withoutBlanks(text).replace(guard, '');
  return withoutBlanks(quotedWhole.exec(unguarded)?.[1] ?? unguarded);
}

function withoutBlanks(text: string): string {
  let start = 0;
  while (start < text.length && blank.test(text.charAt(start))) start += 1;
  return text.slice(start, endOf(text, start, blank));
}
