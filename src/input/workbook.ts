/** Reads one sheet of a workbook (.xlsx) as rows of a table, each cell as the text that its user sees. */

import { posix } from 'node:path';
import { listed, pluralize, UsageError } from '../errors.ts';
import { nearestFirst } from '../rows/nearest.ts';
import type { SheetRow } from './cell-links.ts';
import { inMebibytes, mistakeIn } from './lines.ts';
import { type SeparatedRow, separatedCell, sheetDelimiter } from './separated.ts';
import { readFormats, readSharedTexts, readSheet } from './sheet.ts';
import { Archive, tooLarge } from './workbook-parts.ts';

/** A workbook is held in memory whole, so there is a limit. */
const maxBytes = 256 * 1024 * 1024;

/** A row has all columns of its sheet, so few are built at once. The unit is cells. */
const builtAtOnce = 20_000;

/** A row without any text is none. @throws UsageError for a book that cannot be read, or has no such sheet, or too many rows */
export async function openSheet(
  chunks: AsyncIterable<Buffer>,
  name: string,
  sheetName: string | undefined,
) {
  const bytes = await wholeOf(chunks, name);
  try {
    return await sheetIn(await Archive.open(bytes, name), sheetName);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const why = error instanceof Error ? error.message.replace(/\s+/g, ' ') : String(error);
    const hint =
      'Open it in a spreadsheet and save it as .xlsx again, or save the sheet as CSV UTF-8.';
    throw mistakeIn(name, `cannot be read as a workbook (${why})`, hint);
  }
}

async function wholeOf(chunks: AsyncIterable<Buffer>, name: string): Promise<Buffer> {
  const taken: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    taken.push(chunk);
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(name, `is larger than ${inMebibytes(maxBytes)}`);
  }
  return Buffer.concat(taken);
}

/** `whichSheet` names the sheet that was read and the others, for a complaint about it; it is empty where the sheet is the only one. */
async function sheetIn(archive: Archive, sheetName: string | undefined) {
  const book = await readBook(archive);
  const found = chosenSheet(book.sheets, archive.name, sheetName);
  const shared = await readSharedTexts(archive, book.partOf('sharedStrings'));
  const formats = await readFormats(archive, book.partOf('styles'));
  const sheet = await readSheet(archive, found.path, {
    shared,
    formats,
    since1904: book.since1904,
  });
  const others = book.sheets.filter(({ name }) => name !== found.name).map(({ name }) => name);
  const notices: string[] = [];
  if (sheetName === undefined && book.sheets[0]?.name !== found.name)
    notices.push(
      `${archive.name}: the sheet ${quoted(found.name)} is read, the first that shows a table`,
    );
  const { hidden } = sheet;
  if (hidden > 0)
    notices.push(
      `${archive.name}: ${pluralize(hidden, 'row')} that a filter or a person hid ${hidden === 1 ? 'is' : 'are'} taken too`,
    );
  const whichSheet =
    others.length === 0
      ? ''
      : `this is the sheet ${quoted(found.name)}; --sheet NAME reads another: ${listed(others.map(quoted))}.`;
  return { rows: () => rowsOf(sheet), notices, whichSheet };
}

const quoted = (name: string): string => JSON.stringify(name);

interface ListedSheet {
  readonly name: string;
  readonly path: string;
  readonly isVisible: boolean;
  /** Charts, dialogs and macros are sheets as well. */
  readonly isTable: boolean;
}

/** The main part is the one that the archive's own relationships name. */
async function readBook(archive: Archive) {
  const ofArchive = await archive.relationshipsOf('');
  const main =
    [...ofArchive.values()].find(({ type }) => type === 'officeDocument')?.target ??
    'xl/workbook.xml';
  if (/\.bin$/i.test(main) || archive.has('xl/workbook.bin'))
    throw new Error('it is a binary workbook (.xlsb)');
  if (!archive.has(main)) throw new Error('it is a ZIP archive without one');
  const relationships = await archive.relationshipsOf(main);
  const sheets: ListedSheet[] = [];
  let since1904 = false;
  await archive.read(main, {
    opened: ({ name, attribute }) => {
      if (name === 'workbookPr') since1904 = /^(?:1|true)$/.test(attribute('date1904') ?? '');
      const { target: path = '', type } = relationships.get(attribute('id') ?? '') ?? {};
      if (name !== 'sheet' || path === '') return;
      const isVisible = (attribute('state') ?? 'visible') === 'visible';
      sheets.push({
        name: attribute('name') ?? '',
        path,
        isVisible,
        isTable: type === 'worksheet',
      });
    },
  });
  const partOf = (kind: string): string | undefined => {
    const named = [...relationships.values()].find(
      ({ type, target }) => type === kind && archive.has(target),
    )?.target;
    const usual = posix.join(posix.dirname(main), `${kind}.xml`);
    return named ?? (archive.has(usual) ? usual : undefined);
  };
  return { sheets, since1904, partOf };
}

/** The first sheet that a person sees and that holds cells. @throws UsageError naming the sheets */
function chosenSheet(
  sheets: readonly ListedSheet[],
  name: string,
  sheetName: string | undefined,
): ListedSheet {
  const found = sheets.find((sheet) =>
    sheetName === undefined ? sheet.isVisible && sheet.isTable : sheet.name === sheetName,
  );
  if (found?.isTable === true) return found;
  const names = nearestFirst(
    sheetName ?? '',
    sheets.map((sheet) => sheet.name),
  );
  const hint = `Its sheets are: ${names}.`;
  if (sheetName !== undefined && found === undefined)
    throw mistakeIn(name, `has no sheet ${quoted(sheetName)}`, hint);
  if (sheetName !== undefined)
    throw new UsageError(
      `${name}: the sheet ${quoted(sheetName)} holds no cells: it is a chart or a macro`,
      { item: name, hint },
    );
  const wayOn =
    sheets.length === 0 ? 'Save it again as .xlsx.' : `Name one with --sheet: ${names}.`;
  throw mistakeIn(name, 'has no visible sheet with cells', wayOn);
}

async function* rowsOf({
  rows,
  width,
}: Awaited<ReturnType<typeof readSheet>>): AsyncGenerator<readonly SeparatedRow[]> {
  const atOnce = Math.max(1, Math.floor(builtAtOnce / Math.max(1, width)));
  for (let at = 0; at < rows.length; at += atOnce)
    yield rows.slice(at, at + atOnce).map((row) => rowOf(row, width));
}

function rowOf({ line, cells: filled }: SheetRow, width: number): SeparatedRow {
  const cells = Array<string>(width).fill('');
  const written = cells.slice();
  for (const { column, text } of filled) {
    cells[column] = text;
    written[column] = separatedCell(text, sheetDelimiter);
  }
  const marked = filled.filter(
    ({ spoilt, link, unlinked }) => (spoilt ?? link ?? unlinked) !== undefined,
  );
  const marks = marked.length > 0 && { marks: new Map(marked.map((cell) => [cell.column, cell])) };
  return { line, raw: written.join(sheetDelimiter), cells, ...marks };
}
