/** Writes the parts of a workbook around its rows (Office Open XML). */
import { columnLetters, type SheetLinks, utf8 } from './sheet-links.ts';

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packageRelations = 'http://schemas.openxmlformats.org/package/2006/relationships';
const spreadsheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** These numbers are the places of the cell styles in `styles`. */
export const style = { header: 1, day: 2, time: 3, whole: 4, cents: 5, link: 6, flag: 7 } as const;

export interface WrittenSheet {
  readonly rows: number;
  readonly columns: number;
  readonly links: SheetLinks;
}

export const sheetPath = (number: number): string => `xl/worksheets/sheet${number}.xml`;

export const relationsPath = (number: number): string => `xl/worksheets/_rels/sheet${number}.xml.rels`;

/** Returns what comes before a sheet's first row; with `frozen`, the header row stays in view. */
export const sheetStart = (frozen: boolean, columns: string): string => {
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
  const view = frozen ? `<sheetViews><sheetView workbookViewId="0">${pane}</sheetView></sheetViews>` : '';
  return `${declaration}<worksheet xmlns="${main}" xmlns:r="${relations}">${view}${columns}<sheetData>`;
};

const lastCell = ({ rows, columns }: WrittenSheet, mark = ''): string => `${mark}${columnLetters(columns - 1)}${mark}${rows}`;

/** Returns what comes after the last row: filters, links, and that digits in a text are meant. */
export function sheetEnd(sheet: WrittenSheet, hasHeader: boolean): readonly Uint8Array[] {
  const range = `A1:${lastCell(sheet)}`;
  const isEmpty = sheet.columns === 0 || sheet.rows === 0;
  const filter = hasHeader && !isEmpty ? `<autoFilter ref="${range}"/>` : '';
  const texts = isEmpty ? '' : `<ignoredErrors><ignoredError sqref="${range}" numberStoredAsText="1"/></ignoredErrors>`;
  return [utf8(`</sheetData>${filter}`), ...sheet.links.end(), utf8(`${texts}</worksheet>`)];
}

const relationships = (inner: string): string => `<Relationships xmlns="${packageRelations}">${inner}</Relationships>`;

/** A sheet's name holds 31 characters and none of `[]:*?/\`; the second and later sheets have a number. */
const sheetName = (name: string, number: number): string =>
  `${name.replace(/[[\]:*?/\\'&<>"]/g, ' ').slice(0, 25)}${number === 1 ? '' : ` ${number}`}`;

function workbook(name: string, sheets: readonly WrittenSheet[], hasHeader: boolean): string {
  const listed = sheets.map((_sheet, at) => `<sheet name="${sheetName(name, at + 1)}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`);
  // LibreOffice finds the filter without this name, Excel wants it.
  const filters = sheets.flatMap((sheet, at) => {
    const range = `'${sheetName(name, at + 1)}'!$A$1:${lastCell(sheet, '$')}`;
    return sheet.columns === 0 ? [] : [`<definedName name="_xlnm._FilterDatabase" localSheetId="${at}" hidden="1">${range}</definedName>`];
  });
  const names = hasHeader && filters.length > 0 ? `<definedNames>${filters.join('')}</definedNames>` : '';
  return `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>${listed.join('')}</sheets>${names}</workbook>`;
}

interface WrittenBook {
  readonly name: string;
  readonly sheets: readonly WrittenSheet[];
  readonly hasHeader: boolean;
}

export function bookParts({ name, sheets, hasHeader }: WrittenBook): readonly (readonly [path: string, text: string])[] {
  const each = (part: (number: number) => string): string => sheets.map((_sheet, at) => part(at + 1)).join('');
  const parts: readonly (readonly [string, string])[] = [
    ['xl/workbook.xml', workbook(name, sheets, hasHeader)],
    [
      'xl/_rels/workbook.xml.rels',
      relationships(
        `${each((n) => `<Relationship Id="rId${n}" Type="${relations}/worksheet" Target="worksheets/sheet${n}.xml"/>`)}<Relationship Id="styles" Type="${relations}/styles" Target="styles.xml"/>`,
      ),
    ],
    ['xl/styles.xml', styles],
    ['_rels/.rels', relationships(`<Relationship Id="rId1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/>`)],
    [
      '[Content_Types].xml',
      `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${spreadsheet}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${spreadsheet}.styles+xml"/>${each((n) => `<Override PartName="/${sheetPath(n)}" ContentType="${spreadsheet}.worksheet+xml"/>`)}</Types>`,
    ],
  ];
  return parts.map(([path, text]) => [path, declaration + text]);
}

/** Readers ignore a format if any of these attributes is missing. */
const cellFormat = (font: number, numberFormat: number, fill = 0): string =>
  `<xf numFmtId="${numberFormat}" fontId="${font}" fillId="${fill}" borderId="0" xfId="0" applyFont="1" applyNumberFormat="1" applyFill="1"/>`;

const font = (look: string): string => `<font>${look}<name val="Calibri"/></font>`;
const plain = '<sz val="11"/>';

/** Built in: a number with separators, without and with cents. */
const [wholeFormat, centsFormat] = [3, 4];

/** Without a format of its own, LibreOffice shows the first truth value of a sheet as 0. */
const formats = [
  cellFormat(0, 0),
  cellFormat(1, 0, 2),
  cellFormat(0, 164),
  cellFormat(0, 165),
  cellFormat(0, wholeFormat),
  cellFormat(0, centsFormat),
  cellFormat(2, 0),
  cellFormat(0, 166),
];

const styles =
  `<styleSheet xmlns="${main}">` +
  '<numFmts count="3"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/><numFmt numFmtId="166" formatCode="&quot;TRUE&quot;;&quot;TRUE&quot;;&quot;FALSE&quot;"/></numFmts>' +
  `<fonts count="3">${font(plain)}${font(`<b/>${plain}`)}${font(`<u/>${plain}<color rgb="FF0563C1"/>`)}</fonts>` +
  '<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FFE7E6E6"/><bgColor indexed="64"/></patternFill></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
  `<cellXfs count="${formats.length}">${formats.join('')}</cellXfs>` +
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>';
