/** The formula guard: text that a spreadsheet would run is made text again by a leading apostrophe. */

/** A formula sign, also full-width, behind whatever a spreadsheet or an attacker puts before it unseen. */
const formula = /^[\s\p{C}]*[=+\-@\uff1d\uff0b\uff0d\uff20]/u;
/** A tab or line break at the start hides what follows from a reader of the cell. */
const hidden = /^[\t\r\n]/;
/** A negative number as text is a number to a spreadsheet too. With a plus sign it is more likely a telephone number. */
const negativeNumber = /^-\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** No text, or a first letter or digit, as nearly all have it: no formula, told without the patterns. */
function beginsPlainly(text: string): boolean {
  if (text === '') return true;
  const code = text.charCodeAt(0);
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39);
}

const wouldRun = (text: string): boolean => !beginsPlainly(text) && (formula.test(text) || hidden.test(text)) && !negativeNumber.test(text);

/** `text`, behind an apostrophe if a spreadsheet would run it as a formula. */
export const guarded = (text: string): string => (wouldRun(text) ? `'${text}` : text);
