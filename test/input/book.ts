/** Makes workbooks by hand, with what spreadsheets write and with what they do not. */
import { strToU8, zipSync } from 'fflate';

export const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

export type Parts = Readonly<Record<string, string | Uint8Array>>;

export const zipOf = (parts: Parts): Buffer =>
  Buffer.from(
    zipSync(
      Object.fromEntries(
        Object.entries(parts).map(([path, part]) => [
          path,
          typeof part === 'string' ? strToU8(part) : part,
        ]),
      ),
    ),
  );

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

export const rels = (
  entries: readonly (readonly [id: string, type: string, target: string, external?: boolean])[],
  of = relations,
): string =>
  `<Relationships>${entries.map(([id, type, target, external]) => `<Relationship Id="${id}" Type="${of}/${type}" Target="${target}"${external === true ? ' TargetMode="External"' : ''}/>`).join('')}</Relationships>`;

/** Styles that have these number formats, from the first on. */
export const stylesOf = (codes: readonly string[]): string =>
  `<styleSheet><numFmts>${codes.map((code, at) => `<numFmt numFmtId="${164 + at}" formatCode="${escaped(code)}"/>`).join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${codes.map((_code, at) => `<xf numFmtId="${164 + at}"/>`).join('')}</cellXfs></styleSheet>`;

export interface Listed {
  readonly name: string;
  /** What is between `<sheetData>` and its end. */
  readonly xml: string;
  readonly state?: string;
  readonly type?: string;
  /** What comes after the rows. */
  readonly after?: string;
  /** Addresses behind the cells of the first column, from the second row on. */
  readonly links?: readonly string[];
}

const hyperlinks = (links: readonly string[] = []): string =>
  links.length === 0
    ? ''
    : `<hyperlinks>${links.map((_link, at) => `<hyperlink ref="A${at + 2}" r:id="l${at}"/>`).join('')}</hyperlinks>`;

/** A workbook of these sheets, as Excel lays it out. */
export function book(sheets: readonly Listed[], more: Parts = {}, since1904 = false): Buffer {
  return zipOf({
    '_rels/.rels': rels([['w', 'officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `<workbook xmlns:r="${relations}"><workbookPr${since1904 ? ' date1904="1"' : ''}/><sheets>${sheets.map(({ name, state }, at) => `<sheet name="${escaped(name)}" sheetId="${at + 1}" r:id="r${at}"${state === undefined ? '' : ` state="${state}"`}/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': rels(
      sheets.map(({ type = 'worksheet' }, at) => [`r${at}`, type, `worksheets/sheet${at + 1}.xml`]),
    ),
    ...Object.fromEntries(
      sheets.flatMap(({ xml, after = '', links }, at) => [
        [
          `xl/worksheets/sheet${at + 1}.xml`,
          `<worksheet xmlns:r="${relations}"><sheetData>${xml}</sheetData>${after}${hyperlinks(links)}</worksheet>`,
        ],
        [
          `xl/worksheets/_rels/sheet${at + 1}.xml.rels`,
          rels((links ?? []).map((link, number) => [`l${number}`, 'hyperlink', link, true])),
        ],
      ]),
    ),
    ...more,
  });
}

export interface BookParts {
  /** Sheets in their order: the XML between `<sheetData>` and its end. */
  readonly sheets: Readonly<Record<string, string>>;
  readonly shared?: readonly string[];
  /** Number formats by their places in the styles, from 1. */
  readonly formats?: readonly string[];
  readonly since1904?: boolean;
}

export const bookOf = ({ sheets, shared = [], formats = [], since1904 }: BookParts): Buffer =>
  book(
    Object.entries(sheets).map(([name, xml]) => ({ name, xml })),
    {
      'xl/sharedStrings.xml': `<sst>${shared.map((text) => `<si>${text}</si>`).join('')}</sst>`,
      'xl/styles.xml': stylesOf(['General', ...formats]),
    },
    since1904,
  );

/** A row of cells, each given as its attributes and what is in it; texts are cells of text. */
export const row = (
  number: number,
  ...cells: readonly (string | readonly [attributes: string, inside: string])[]
): string =>
  `<row r="${number}">${cells
    .map((cell, index) => {
      const address = `r="${String.fromCharCode(65 + index)}${number}"`;
      if (typeof cell === 'string')
        return cell === ''
          ? ''
          : `<c ${address} t="inlineStr"><is><t>${escaped(cell)}</t></is></c>`;
      return `<c ${address} ${cell[0]}>${cell[1]}</c>`;
    })
    .join('')}</row>`;

export const value = (digits: string, style = 0): readonly [string, string] => [
  `s="${style}"`,
  `<v>${digits}</v>`,
];
