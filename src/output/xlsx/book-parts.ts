/** Writes the zip of a workbook (Office Open XML): the parts around its rows, and the links of a sheet, which stand apart from the cells. */
import { constants, deflateRawSync } from 'node:zlib';
import { Zip, ZipPassThrough } from 'fflate';
import { columnLetters } from '../../rows/column-letters.ts';
import { parseUrl } from '../../rows/url.ts';

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packageRelations = 'http://schemas.openxmlformats.org/package/2006/relationships';
const spreadsheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

export interface WrittenSheet {
  readonly number: number;
  readonly name: string;
  readonly rows: number;
  readonly columns: number;
  /** So many at the left stand on every page. */
  readonly repeated: number;
  /** Of all its columns, in characters. */
  readonly width: number;
}

const sheetPath = (number: number): string => `xl/worksheets/sheet${number}.xml`;

export const sheetStart = (frozen: boolean, columns: string): string => {
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
  const view = frozen
    ? `<sheetViews><sheetView workbookViewId="0">${pane}</sheetView></sheetViews>`
    : '';
  const fitted = '<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>';
  return `${declaration}<worksheet xmlns="${main}" xmlns:r="${relations}">${fitted}${view}${columns}<sheetData>`;
};

/** So many characters side by side can be read on paper. */
const widestPage = 200;
const pagesBeside = ({ width }: WrittenSheet): number => Math.max(1, Math.ceil(width / widestPage));

const paper = (sheet: WrittenSheet): string =>
  '<pageMargins left="0.4" right="0.4" top="0.5" bottom="0.6" header="0.3" footer="0.3"/>' +
  `<pageSetup orientation="landscape" fitToWidth="${pagesBeside(sheet)}" fitToHeight="0"/>` +
  '<headerFooter><oddFooter>&amp;L&amp;A&amp;RPage &amp;P of &amp;N</oddFooter></headerFooter>';

const lastCell = ({ rows, columns }: WrittenSheet, mark = ''): string =>
  `${mark}${columnLetters(columns - 1)}${mark}${rows}`;

export function sheetEnd(sheet: WrittenSheet, hasHeader: boolean, links: string): string {
  const range = `A1:${lastCell(sheet)}`;
  const isEmpty = sheet.columns === 0 || sheet.rows === 0;
  const filter = hasHeader && !isEmpty ? `<autoFilter ref="${range}"/>` : '';
  const texts = isEmpty
    ? ''
    : `<ignoredErrors><ignoredError sqref="${range}" numberStoredAsText="1"/></ignoredErrors>`;
  return `</sheetData>${filter}${links}${paper(sheet)}${texts}</worksheet>`;
}

const relationships = (inner: string): string =>
  `<Relationships xmlns="${packageRelations}">${inner}</Relationships>`;

/** A sheet's name holds 31 characters and none of `[]:*?/\`; a table that goes on in further sheets has a number there. */
export const sheetName = (name: string, number: number): string =>
  `${name.replace(/[[\]:*?/\\'&<>"]/g, ' ').slice(0, 25)}${number === 1 ? '' : ` ${number}`}`;

function workbook(sheets: readonly WrittenSheet[], hasHeader: boolean): string {
  const listed = sheets.map(
    ({ name, number }) => `<sheet name="${name}" sheetId="${number}" r:id="rId${number}"/>`,
  );
  const names = sheets.flatMap((sheet, at) => {
    if (sheet.columns === 0) return [];
    const place = `localSheetId="${at}"`;
    // LibreOffice finds the filter without this name, Excel wants it.
    const filter = `<definedName name="_xlnm._FilterDatabase" ${place} hidden="1">'${sheet.name}'!$A$1:${lastCell(sheet, '$')}</definedName>`;
    const printed = (name: string, range: string) =>
      `<definedName name="_xlnm.Print_${name}" ${place}>${range}</definedName>`;
    const beside =
      pagesBeside(sheet) > 1 ? `'${sheet.name}'!$A:$${columnLetters(sheet.repeated - 1)},` : '';
    const area =
      sheet.rows === 0 ? '' : printed('Area', `'${sheet.name}'!$A$1:${lastCell(sheet, '$')}`);
    return [filter, area, printed('Titles', `${beside}'${sheet.name}'!$1:$1`)];
  });
  const defined =
    hasHeader && names.length > 0 ? `<definedNames>${names.join('')}</definedNames>` : '';
  return `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>${listed.join('')}</sheets>${defined}</workbook>`;
}

function bookParts(
  sheets: readonly WrittenSheet[],
  hasHeader: boolean,
): readonly (readonly [path: string, text: string])[] {
  const each = (part: (number: number) => string): string =>
    sheets.map(({ number }) => part(number)).join('');
  const listed = each(
    (n) =>
      `<Relationship Id="rId${n}" Type="${relations}/worksheet" Target="worksheets/sheet${n}.xml"/>`,
  );
  const parts: readonly (readonly [string, string])[] = [
    ['xl/workbook.xml', workbook(sheets, hasHeader)],
    [
      'xl/_rels/workbook.xml.rels',
      relationships(
        `${listed}<Relationship Id="styles" Type="${relations}/styles" Target="styles.xml"/>`,
      ),
    ],
    ['xl/styles.xml', styles],
    [
      '_rels/.rels',
      relationships(
        `<Relationship Id="rId1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/>`,
      ),
    ],
    [
      '[Content_Types].xml',
      `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${spreadsheet}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${spreadsheet}.styles+xml"/>${each((n) => `<Override PartName="/${sheetPath(n)}" ContentType="${spreadsheet}.worksheet+xml"/>`)}</Types>`,
    ],
  ];
  return parts.map(([path, text]) => [path, declaration + text]);
}

const left = '<alignment horizontal="left"/>';
const right = '<alignment horizontal="right" indent="1"/>';

/** Readers ignore a format if any of these attributes is missing. */
const cellFormat = (numberFormat: number, alignment = '', font = 0, fill = 0): string =>
  `<xf numFmtId="${numberFormat}" fontId="${font}" fillId="${fill}" borderId="0" xfId="0" applyFont="1" applyNumberFormat="1" applyFill="1" applyAlignment="1">${alignment}</xf>`;

const font = (look: string): string => `<font>${look}<name val="Calibri"/></font>`;
const plain = '<sz val="11"/>';

/** Each number is the place that the look of that name has in the book. */
export const style = {
  header: 1,
  headerRight: 2,
  day: 3,
  time: 4,
  whole: 5,
  cents: 6,
  figure: 7,
  link: 8,
  flag: 9,
} as const;

/** LibreOffice keeps no indent beside a text, but a bracket's width (167, 168), and without 166 shows the first truth value as 0. */
const looks: Readonly<Record<keyof typeof style, string>> = {
  header: cellFormat(0, left, 1, 2),
  headerRight: cellFormat(0, right, 1, 2),
  day: cellFormat(164, left),
  time: cellFormat(165, left),
  whole: cellFormat(167, right),
  cents: cellFormat(168, right),
  figure: cellFormat(0, right),
  link: cellFormat(0, '', 2),
  flag: cellFormat(166, left),
};

const formats = [cellFormat(0), ...Object.values(looks)];

const styles =
  `<styleSheet xmlns="${main}">` +
  '<numFmts count="5"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/><numFmt numFmtId="166" formatCode="&quot;TRUE&quot;;&quot;TRUE&quot;;&quot;FALSE&quot;"/><numFmt numFmtId="167" formatCode="#,##0_)"/><numFmt numFmtId="168" formatCode="#,##0.00_)"/></numFmts>' +
  `<fonts count="3">${font(plain)}${font(`<b/>${plain}`)}${font(`<u/>${plain}<color rgb="FF0563C1"/>`)}</fonts>` +
  '<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FFE7E6E6"/><bgColor indexed="64"/></patternFill></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
  `<cellXfs count="${formats.length}">${formats.join('')}</cellXfs>` +
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>';

const maxAddress = 2079;

const isPlain = /^https?:\/\/[\w.:-]+(?:\/(?:[\w.~!$&'()*+,;=:@/?#-]|%[\da-f]{2})*)?$/i;

function addressOf(text: string): string | undefined {
  const url = /^https?:\/\/[^\s/]/i.test(text) ? parseUrl(text) : undefined;
  if (url === undefined) return undefined;
  const href = isPlain.test(text) ? text : url.href;
  return href.length <= maxAddress ? href : undefined;
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

export const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => escapes[character] ?? '');

class SheetLinks {
  isFull = false;
  private count = 0;
  private places = '';
  private relations = '';

  constructor(private readonly most: number) {}

  add(text: string, column: number, row: number): boolean {
    const address = addressOf(text);
    if (address === undefined) return false;
    this.isFull ||= this.count >= this.most;
    if (this.isFull) return false;
    this.count += 1;
    this.places += `<hyperlink ref="${columnLetters(column)}${row}" r:id="l${this.count}"/>`;
    this.relations += `<Relationship Id="l${this.count}" Type="${relations}/hyperlink" Target="${escaped(address)}" TargetMode="External"/>`;
    return true;
  }

  get inSheet(): string {
    return this.count === 0 ? '' : `<hyperlinks>${this.places}</hyperlinks>`;
  }

  get part(): string {
    return declaration + relationships(this.relations);
  }
}

/** Larger pieces shrink better, because each is compressed by itself. */
export const pieceLength = 262_144;

/** A part of a book, compressed by Node's zlib, which takes a third of the time of fflate's own. */
class DeflatedPart extends ZipPassThrough {
  override compression = 8;

  pushText(text: string, isLast = false): void {
    this.push(Buffer.from(text), isLast);
  }

  protected override process(chunk: Uint8Array, isLast: boolean): void {
    const finishFlush = isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
    this.ondata(null, new Uint8Array(deflateRawSync(chunk, { finishFlush })), isLast);
  }
}

/** The zip of a book. fflate keeps what is pushed into a later part until the earlier ones have ended, compressed. */
export class Workbook {
  private sheets = 0;
  private readonly written: Uint8Array[] = [];
  private readonly zip = new Zip((error, chunk) => {
    if (error !== null) throw error;
    this.written.push(chunk);
  });

  constructor(
    readonly hasHeader: boolean,
    readonly room: { readonly rows: number; readonly links: number },
  ) {}

  private part(path: string): DeflatedPart {
    const part = new DeflatedPart(path);
    this.zip.add(part);
    return part;
  }

  sheet(hasLinks: boolean) {
    this.sheets += 1;
    const part = this.part(sheetPath(this.sheets));
    const relations = hasLinks
      ? this.part(`xl/worksheets/_rels/sheet${this.sheets}.xml.rels`)
      : undefined;
    return { number: this.sheets, part, relations, links: new SheetLinks(this.room.links) };
  }

  take(): Uint8Array {
    return Buffer.concat(this.written.splice(0));
  }

  end(sheets: readonly WrittenSheet[]): Uint8Array {
    for (const [path, text] of bookParts(sheets, this.hasHeader))
      this.part(path).pushText(text, true);
    this.zip.end();
    return this.take();
  }
}
