/** The columns of a spreadsheet by their letters: A is 0, Z is 25, AA is 26. */

const letterCount = 26;
const codeOfA = 65;

export const columnLetters = (column: number): string =>
  (column < letterCount ? '' : columnLetters(Math.floor(column / letterCount) - 1)) +
  String.fromCharCode(codeOfA + (column % letterCount));

export const columnNumber = (letters: string): number =>
  [...letters.toUpperCase()].reduce(
    (number, letter) => number * letterCount + letter.charCodeAt(0) - codeOfA + 1,
    0,
  ) - 1;
