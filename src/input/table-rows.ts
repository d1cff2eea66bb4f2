/** Reads CSV and TSV as input: the header, the identifier columns, and each row with its own cells. */
import {
  isBlankCell,
  looksLikeWebsite,
  mayLabelTotals,
  nameKey,
  plainName,
} from '../contract/identifier.ts';
import { pluralize } from '../errors.ts';
import { carriedOver, type InputRow, NoRows, type OwnCells, type OwnTable } from '../rows/row.ts';
import {
  chooseInputColumns,
  companyOfPosition,
  type InputColumn,
  tellForeignId,
  tellPosition,
} from './column.ts';
import { type ColumnWish, filledIn, findHeader, isFieldName, isNote } from './header.ts';
import { identifierWithin } from './json-rows.ts';
import { mistakeIn, type OnBrokenText } from './lines.ts';
import {
  type Cut,
  cellsIn,
  hasLoneReturn,
  isPlainId,
  quotedCell,
  type SeparatedRow,
} from './separated.ts';

/** Empty cells past the header are dropped. Where one holds text, the last cell takes all of it, so that nothing is lost. */
function fitCells(
  { raw, cells }: OwnCells,
  width: number,
  cut: Cut,
): { readonly own: OwnCells; readonly spilt: boolean } {
  const spilt = cells.slice(width).some((cell) => cell.trim() !== '');
  const kept = spilt
    ? [...cells.slice(0, width - 1), cells.slice(width - 1).join(cut.delimiter)]
    : cells.slice(0, width);
  const untouched = spilt ? width - 1 : width;
  const written = cellsIn(raw, cut).written.slice(0, untouched);
  return {
    own: {
      raw: [...written, ...kept.slice(untouched).map(quotedCell)].join(cut.delimiter),
      cells: kept,
    },
    spilt,
  };
}

/** `onOtherHeader` is told of one in another order. @throws UsageError for a file without rows, a broken header, or no column to use */
export async function openTable(
  source: AsyncGenerator<readonly SeparatedRow[]>,
  form: Omit<OwnTable, 'header' | 'rawHeader'> & Cut,
  wish: ColumnWish,
  name: string,
  onOtherHeader: OnBrokenText,
) {
  const { above, header, others, below } = await findHeader(source, wish);
  if (!header) {
    if (wish.headerRow === undefined) throw new NoRows(name);
    // Of a pipe whose rows all stand above the named line, none would come back.
    const what = `has no line ${wish.headerRow}, where --header-row says the header is`;
    throw mistakeIn(name, what, 'Name the line that holds the column names.');
  }
  const columns = chooseInputColumns(header.cells, others, wish, name);
  if (wish.headerRow === undefined && above.length > 0) {
    refuseRowsAbove(above, header, columns[0].index, name);
    const one = above.length === 1;
    wish.notice?.(
      `${name}, line ${header.line}: the header; ${pluralize(above.length, 'row')} above it ${one ? 'is' : 'are'} passed over`,
    );
  }
  if (wish.column === undefined && columns[0].field === companyOfPosition)
    wish.notice?.(tellPosition(name));
  await tellForeignId(columns[0].field, header.cells, wish, name);
  const beforeHeader = headerWatch(header, columns[0], form, (line) => {
    const what = `another header, with other columns or in another order than line ${header.line}`;
    onOtherHeader(
      mistakeIn(name, what, 'Give the tables one by one, or bring their columns into one order.', {
        line,
      }),
      line,
    );
  });
  const read = rowReader(header.cells, columns, wish, form);
  const beside = (wish.named?.slice(1) ?? []).map(
    (column) => chooseInputColumns(header.cells, others, { ...wish, column }, name)[0].index,
  );
  const rowOf = (row: SeparatedRow): InputRow => {
    const cells = beside.map((at) => ({
      text: row.cells[at],
      invalid: row.marks?.get(at)?.spoilt,
    }));
    return beside.length === 0 ? read(row) : { ...read(row), others: cells };
  };
  const rows = withoutHeaders(below, above, beforeHeader);
  return {
    own: {
      header: header.cells,
      rawHeader: header.raw,
      read: columns.map(({ index }) => index),
      ...form,
    },
    rows,
    rowOf,
  };
}

/** What stands above the header may come again with it. Without a header right below, it is a row that happens to be the same. */
async function* withoutHeaders(
  batches: AsyncIterable<readonly SeparatedRow[]>,
  above: readonly SeparatedRow[],
  beforeHeader: ReturnType<typeof headerWatch>,
): AsyncGenerator<readonly SeparatedRow[]> {
  const notes = new Set(above.map(({ raw }) => plainName(raw)));
  let held: SeparatedRow[] = [];
  for await (const batch of batches) {
    const kept: SeparatedRow[] = [];
    for (const row of batch) {
      if (held.length < above.length && notes.has(plainName(row.raw))) {
        held.push(row);
        continue;
      }
      const own = beforeHeader(row);
      if (held.length > 0 && own !== undefined) kept.push(...held);
      if (held.length > 0) held = [];
      if (own !== undefined) kept.push(own);
    }
    yield kept;
  }
  if (held.length > 0) yield held;
}

/** Tables that were put together may have rows with an identifier above a header, and these must not be lost. @throws UsageError naming the first one */
function refuseRowsAbove(
  above: readonly SeparatedRow[],
  header: SeparatedRow,
  index: number,
  name: string,
): void {
  const asWide = above.filter((row) => filledIn(row) >= filledIn(header));
  const textIn = (row: SeparatedRow): string => row.cells[index]?.trim() ?? '';
  // Above a single column, one word may be its title, but several are a list.
  const words =
    filledIn(header) === 1
      ? asWide.filter((row) => !isNote(textIn(row)) && !isBlankCell(textIn(row)))
      : [];
  const lost =
    asWide.find((row) => mayBeId(textIn(row))) ?? (words.length > 1 ? words[0] : undefined);
  if (lost === undefined) return;
  const hint = `Put the header first; --header-row ${header.line} leaves out what is above it.`;
  throw mistakeIn(name, `a row above the header, which is in line ${header.line}`, hint, lost);
}

const mayBeId = (text: string): boolean => isPlainId(text) || /^\S*\d\S*$/.test(text);

/** It tells Excel the separator of the next file. */
const separatorLine = /^"?sep=[^\w\s"]?[,;\t|"]*$/i;

/** Takes a header out that comes again, as in `cat a.csv b.csv`; `onOther` is told of one below which cells mean something else. */
function headerWatch(
  { cells, raw }: SeparatedRow,
  column: InputColumn,
  cut: Cut,
  onOther: (line: number) => void,
) {
  const header = withoutEmptyEnd(cells.map(nameKey));
  const names = new Set(header.filter((key) => key !== ''));
  const wanted = nameKey(column.field);
  // One plain word may also end a name.
  const tail = raw.includes(cut.delimiter) || isFieldName(raw) ? raw : undefined;
  /** A file may lack its last line end, and then the next header goes on in the line. */
  const beforeTail = (row: SeparatedRow): SeparatedRow | undefined => {
    if (tail === undefined || !row.raw.endsWith(tail)) return undefined;
    const rest = row.raw.slice(0, -tail.length).replace(/\ufeff$/, '');
    const { cells, isOpen } = cellsIn(rest, cut);
    return rest.trim() === '' || isOpen ? undefined : { ...row, raw: rest, cells };
  };
  return (row: SeparatedRow): SeparatedRow | undefined => {
    if (row.cells[0]?.startsWith('sep') === true && separatorLine.test(row.raw)) return undefined;
    if (!names.has(nameKey(row.cells[column.index] ?? '')) && !row.raw.includes(column.field))
      return row;
    const keys = withoutEmptyEnd(row.cells.map(nameKey));
    if (keys.length === header.length && keys.every((key, at) => key === header[at]))
      return undefined;
    const alone = beforeTail(row);
    if (alone !== undefined || !keys.includes(wanted)) return alone ?? row;
    const known = keys.filter((key) => names.has(key)).length;
    const filled = keys.filter((key) => key !== '').length;
    const isOther =
      (known > 1 && known * 2 >= filled) || (keys[column.index] === wanted && isFieldName(wanted));
    if (!isOther) return row;
    onOther(row.line);
    return undefined;
  };
}

const withoutEmptyEnd = (keys: readonly string[]): readonly string[] =>
  keys.slice(0, keys.findLastIndex((key) => key !== '') + 1);

/** Spreadsheets leave out empty cells at the end of a row, so missing cells count as empty. */
function rowReader(
  header: readonly string[],
  columns: readonly [InputColumn, ...InputColumn[]],
  wish: ColumnWish,
  cut: Cut,
) {
  const width = header.length;
  const filling = { isLabel: labelsOf(wish.candidates), all: wish.column !== undefined };
  const [status, error] = ['pdi_status', 'pdi_error'].map((name) =>
    header.findLastIndex((cell) => nameKey(cell) === name),
  );
  const isRowOfTotals = totalsWatch();
  return (row: SeparatedRow): InputRow => {
    const { line, raw, cells } = row;
    const { own, spilt } =
      cells.length > width ? fitCells(row, width, cut) : { own: { raw, cells }, spilt: false };
    const found = filledRow(row, own, columns, filling);
    const { text, field = columns[0].field } = found ?? { text: undefined };
    if (spilt) {
      const invalid = `${pluralize(cells.length, 'cell')} where the header has ${width}${reasonOfMore(raw)}`;
      return { line, text, field, own, invalid };
    }
    if (text !== undefined && isRowOfTotals(text, cells))
      return { line, text, field, own, invalid: 'a row of totals' };
    const { spoilt, unlinked } = row.marks?.get(columns[0].index) ?? {};
    return (
      found ?? {
        line,
        text,
        field,
        own,
        invalid: spoilt ?? unlinked,
        ...carriedOver(cells[status ?? -1], cells[error ?? -1]),
      }
    );
  };
}

function reasonOfMore(raw: string): string {
  if (raw.includes('\\"')) return '; it has \\" for a quote, which CSV writes twice';
  return hasLoneReturn(raw) ? '; it has line ends of old Macintoshes (CR alone)' : '';
}

/** A row of totals counts the rows above it, or adds up their ids where all are numbers; any smaller number may then be an id as well. */
function totalsWatch(): (text: string, cells: readonly string[]) => boolean {
  let [rows, sum, hasOtherIds] = [0, 0, false];
  return (text, cells) => {
    const number = /^\d+$/.test(text) ? Number(text) : undefined;
    const counts =
      number !== undefined &&
      (hasOtherIds ? number <= rows + 1 : number === rows || number === sum);
    if (counts && cells.some(mayLabelTotals)) return true;
    rows += 1;
    sum += number ?? 0;
    hasOtherIds ||= number === undefined;
    return false;
  };
}

/** Their ids are not those of pages. */
const idFields: ReadonlySet<string> = new Set(['person_id', 'company_id', 'investor_id', 'id']);

/** As in `Company ID` and `recordId`. */
const namesIds = /(?:^|[^\p{L}])[Ii][Dd]$|\p{Ll}I[Dd]$/u;

type IsLabel = (text: string, field: string) => boolean;

/** Behind a label a workbook may have the link that is meant; a CRM links its own pages behind ids and the names of investors. */
function labelsOf(candidates: readonly string[]): IsLabel {
  const takesLinks = candidates.some(
    (candidate) => candidate === 'profnet_url' || candidate === 'website',
  );
  const isOwnName = (text: string, key: string): boolean =>
    candidates.includes(key) && (key === 'name' || (key === 'website' && looksLikeWebsite(text)));
  return (text, field) => {
    const key = nameKey(field);
    if (isPlainId(text) || idFields.has(key) || isOwnName(text, key)) return false;
    return takesLinks || !namesIds.test(plainName(field));
  };
}

interface Filling {
  readonly isLabel: IsLabel;
  readonly all: boolean;
}

function filledRow(
  row: SeparatedRow,
  own: OwnCells,
  columns: readonly InputColumn[],
  filling: Filling,
): InputRow | undefined {
  const { line, cells, marks } = row;
  for (const column of columns) {
    const { index, field, path } = column;
    const cell = cells[index]?.trim() ?? '';
    const within = path === undefined ? undefined : identifierWithin(cell, path, line, field);
    const written = path === undefined ? cell : (within?.text ?? '');
    if (within?.invalid !== undefined) return { ...within, own };
    if (written === '' && marks === undefined) continue;
    const { spoilt, link, unlinked } = marks?.get(index) ?? {};
    const isLabel = (link ?? unlinked) !== undefined && filling.isLabel(written, field);
    const text = isLabel && link !== undefined ? link : written;
    if (isBlankCell(text, field)) continue;
    const next = filling.all
      ? filledRow(row, own, columns.slice(columns.indexOf(column) + 1), filling)
      : undefined;
    const invalid = text === written ? (spoilt ?? (isLabel ? unlinked : undefined)) : undefined;
    return { line, text: copied(text), field, own, invalid, next };
  }
  return undefined;
}

/** As long as anybody keeps a part of a text, the engine keeps all of it: the row, and the rows that were read with it. */
const copied = (text: string): string => ` ${text}`.slice(1);
