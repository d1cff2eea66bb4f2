/** Makes a workbook one that the library reads as it is shown: with an address in each cell, errors such as #N/A, and times as they are. */
import { unzipSync, zipSync } from 'fflate';
import { UsageError } from '../errors.ts';

/** The engine cannot hold a much longer text. */
const maxPartSize = 480 * 1024 * 1024;

export const tooLarge = (name: string, what: string): UsageError =>
  new UsageError(`${name} ${what}`, { item: name, hint: 'Save the sheet as CSV UTF-8, which may be of any size.' });

/** Gives the book with nothing but its tables. @throws Error for bytes that are no whole ZIP archive, UsageError for too large a sheet */
export function readableBook(bytes: Buffer, name: string): ArrayBuffer {
  const parts = unzipSync(bytes, {
    filter: ({ name: path, originalSize }) => {
      if (!/\.(?:xml|rels)$/.test(path) || decoration.test(path)) return false;
      if (originalSize > maxPartSize) throw tooLarge(name, `unpacks to more than ${maxPartSize / 1024 / 1024} MiB`);
      return true;
    },
  });
  if (parts['xl/workbook.xml'] === undefined) throw new Error('it is a ZIP archive without one');
  const readable = Object.entries(parts).map(([path, part]) => [path, readablePart(part)] as const);
  const book = zipSync(Object.fromEntries(readable), { level: 0 });
  return new Uint8Array(book).buffer;
}

const decoration = /^(?:docProps|xl\/(?:charts|comments|drawings|externalLinks|pivotCache|pivotTables|tables|theme))\b/;

/** Rows and cells may leave out their address, and then come next to the one before. */
function readablePart(part: Uint8Array): Uint8Array {
  const bytes = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
  const sheet = bytes.indexOf('<sheetData');
  if (sheet < 0) return part;
  const lacksAddresses = /<c(?=[\s/>])(?![^>]*\sr=)/.test(bytes.toString('latin1', sheet, sheet + pieceSize));
  if (!lacksAddresses && !bytes.includes(errorType) && !bytes.includes(timeType)) return part;
  const work = new Addresses();
  const pieces: Buffer[] = [];
  // As one text, a large sheet would take several times its size.
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(endOfRow, at + pieceSize);
    const next = end < 0 ? bytes.length : end + endOfRow.length;
    pieces.push(Buffer.from(work.added(bytes.toString('utf8', at, next))));
    at = next;
  }
  return Buffer.concat(pieces);
}

const pieceSize = 64 * 1024;
const endOfRow = '</row>';
const errorType = ' t="e"';
const timeType = ' t="d"';
/** The library reads a time without a zone as one of this machine's. */
const timeWithoutZone = /(\st="d"[^>]*><v>[^<]*T[\d:.]+)(?=<)/g;

class Addresses {
  private row = 0;
  private column = 0;

  added(xml: string): string {
    const zoned = xml.includes(timeType) ? xml.replace(timeWithoutZone, '$1Z') : xml;
    return zoned.replace(/<(row|c)(?=[\s/>])([^>]*)>/g, (tag, element: string, attributes: string) => {
      const [, letters = '', number] = /\sr="([A-Z]*)(\d+)"/.exec(attributes) ?? [];
      if (element === 'row') {
        this.row = number === undefined ? this.row + 1 : Number(number);
        this.column = 0;
        return tag;
      }
      this.column = number === undefined ? this.column + 1 : columnNumber(letters);
      const readable = tag.replace(errorType, ' t="str"');
      return number === undefined ? `<c r="${columnName(this.column)}${this.row}"${readable.slice(2)}` : readable;
    });
  }
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Columns count from 1, as A to Z, then AA. */
const columnName = (column: number): string =>
  column === 0 ? '' : columnName(Math.floor((column - 1) / alphabet.length)) + alphabet.charAt((column - 1) % alphabet.length);

const columnNumber = (name: string): number =>
  [...name].reduce((number, letter) => number * alphabet.length + alphabet.indexOf(letter) + 1, 0);
