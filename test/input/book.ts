/** Makes workbooks by hand, with what spreadsheets write and with what they do not. */
import { strToU8, zipSync } from 'fflate';

const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

export interface BookParts {
  /** Sheets in their order: the XML between `<sheetData>` and its end. */
  readonly sheets: Readonly<Record<string, string>>;
  readonly shared?: readonly string[];
  /** Number formats by their places in the styles, from 1. */
  readonly formats?: readonly string[];
  readonly since1904?: boolean;
  /** What comes after the rows of each sheet. */
  readonly after?: string;
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

export function bookOf({ sheets, shared = [], formats = [], since1904 = false, after = '' }: BookParts): Buffer {
  const names = Object.keys(sheets);
  const files = {
    'xl/workbook.xml': `<workbook xmlns:r="${relations}"><workbookPr${since1904 ? ' date1904="1"' : ''}/><sheets>${names.map((name, index) => `<sheet name="${escaped(name)}" sheetId="${index + 1}" r:id="s${index}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${names.map((_name, index) => `<Relationship Id="s${index}" Type="${relations}/worksheet" Target="worksheets/sheet${index + 1}.xml"/>`).join('')}</Relationships>`,
    'xl/sharedStrings.xml': `<sst>${shared.map((text) => `<si>${text}</si>`).join('')}</sst>`,
    'xl/styles.xml': `<styleSheet><numFmts>${formats.map((code, index) => `<numFmt numFmtId="${164 + index}" formatCode="${escaped(code)}"/>`).join('')}</numFmts><cellXfs><xf numFmtId="0"/>${formats.map((_code, index) => `<xf numFmtId="${164 + index}"/>`).join('')}</cellXfs></styleSheet>`,
    ...Object.fromEntries(
      Object.values(sheets).map((xml, index) => [
        `xl/worksheets/sheet${index + 1}.xml`,
        `<worksheet><sheetData>${xml}</sheetData>${after}</worksheet>`,
      ]),
    ),
  };
  return Buffer.from(zipSync(Object.fromEntries(Object.entries(files).map(([path, xml]) => [path, strToU8(xml)]))));
}

/** A row of cells, each given as its attributes and what is in it; texts are cells of text. */
export const row = (number: number, ...cells: readonly (string | readonly [attributes: string, inside: string])[]): string =>
  `<row r="${number}">${cells
    .map((cell, index) => {
      const address = `r="${String.fromCharCode(65 + index)}${number}"`;
      if (typeof cell === 'string') return cell === '' ? '' : `<c ${address} t="inlineStr"><is><t>${escaped(cell)}</t></is></c>`;
      return `<c ${address} ${cell[0]}>${cell[1]}</c>`;
    })
    .join('')}</row>`;

export const value = (digits: string, style = 0): readonly [string, string] => [`s="${style}"`, `<v>${digits}</v>`];
