/** Writes the fixed parts of a workbook (Office Open XML). */

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packageRelations = 'http://schemas.openxmlformats.org/package/2006/relationships';
const spreadsheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** These numbers are the places of the cell styles in `styles`. */
export const style = { header: 1, day: 2, time: 3 } as const;

export const sheetPath = (number: number): string => `xl/worksheets/sheet${number}.xml`;

/** Returns what comes before a sheet's first row; with `frozen`, the header row stays in view. */
export const sheetStart = (frozen: boolean): string => {
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
  const view = frozen ? `<sheetViews><sheetView workbookViewId="0">${pane}</sheetView></sheetViews>` : '';
  return `${declaration}<worksheet xmlns="${main}">${view}<sheetData>`;
};

export const sheetEnd = '</sheetData></worksheet>';

/** Returns path and text of the parts that name the sheets and their styles. */
export function bookParts(sheets: number): readonly (readonly [path: string, text: string])[] {
  const numbers = Array.from({ length: sheets }, (_, index) => index + 1);
  const each = (part: (number: number) => string): string => numbers.map(part).join('');
  return [
    [
      'xl/workbook.xml',
      `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>${each((n) => `<sheet name="pdi${n === 1 ? '' : ` ${n}`}" sheetId="${n}" r:id="rId${n}"/>`)}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `<Relationships xmlns="${packageRelations}">${each((n) => `<Relationship Id="rId${n}" Type="${relations}/worksheet" Target="worksheets/sheet${n}.xml"/>`)}<Relationship Id="styles" Type="${relations}/styles" Target="styles.xml"/></Relationships>`,
    ],
    ['xl/styles.xml', styles],
    [
      '_rels/.rels',
      `<Relationships xmlns="${packageRelations}"><Relationship Id="rId1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ],
    [
      '[Content_Types].xml',
      `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${spreadsheet}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${spreadsheet}.styles+xml"/>${each((n) => `<Override PartName="/${sheetPath(n)}" ContentType="${spreadsheet}.worksheet+xml"/>`)}</Types>`,
    ],
  ].map(([path = '', text = '']) => [path, declaration + text]);
}

/** Readers ignore a format if any of these attributes is missing. */
const cellFormat = (font: number, numberFormat: number): string =>
  `<xf numFmtId="${numberFormat}" fontId="${font}" fillId="0" borderId="0" xfId="0" applyFont="1" applyNumberFormat="1"/>`;

const font = (weight: string): string => `<font>${weight}<sz val="11"/><name val="Calibri"/></font>`;

const styles =
  `<styleSheet xmlns="${main}">` +
  '<numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>' +
  `<fonts count="2">${font('')}${font('<b/>')}</fonts>` +
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
  `<cellXfs count="4">${cellFormat(0, 0)}${cellFormat(1, 0)}${cellFormat(0, 164)}${cellFormat(0, 165)}</cellXfs>` +
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>';
