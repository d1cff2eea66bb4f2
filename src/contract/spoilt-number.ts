/** Tells a number that a program has spoilt: as another kind of id it would find nothing, or another. Pure. */

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
