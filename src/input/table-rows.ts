/** Reads CSV and TSV as input: the header, the identifier columns, and each row with its own cells. */
import { isBlankCell } from '../contract/filler.ts';
import { pluralize, UsageError } from '../errors.ts';
import { carriedOver, type InputRow, NoRows, type OwnCells, startingWith } from '../rows/input-row.ts';
import { rowStatuses } from '../rows/result-row.ts';
import type { OnBrokenText } from './broken-text.ts';
import { type ColumnWish, chooseInputColumns, type InputColumn, wantedNames } from './column.ts';
import { HeaderWatch } from './header-again.ts';
import { headerAt, likelyHeaderAt, refuseRowsAbove, rowsSearched } from './header-row.ts';
import { endOfCell, type SeparatedRow } from './separated.ts';

/** Empty cells past the header are dropped. Where one holds text, the last cell takes all of it, so that nothing is lost. */
function fitCells({ raw, cells }: OwnCells, width: number, delimiter: string): { readonly own: OwnCells; readonly spilt: boolean } {
  const spilt = cells.slice(width).some((cell) => cell.trim() !== '');
  const kept = spilt ? [...cells.slice(0, width - 1), cells.slice(width - 1).join(delimiter)] : cells.slice(0, width);
  const untouched = spilt ? width - 1 : width;
  const start = firstCells(raw, untouched, delimiter) ?? kept.slice(0, untouched).map(quoted);
  return { own: { raw: [...start, ...kept.slice(untouched).map(quoted)].join(delimiter), cells: kept }, spilt };
}

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

/** It is undefined where the row's quotes are too careless. */
function firstCells(raw: string, count: number, delimiter: string): string[] | undefined {
  const found: string[] = [];
  let at = 0;
  while (found.length < count) {
    const end = endOfCell(raw, delimiter, at);
    if (end === undefined || !raw.startsWith(delimiter, end)) return undefined;
    found.push(raw.slice(at, end));
    at = end + delimiter.length;
  }
  return found;
}

interface Table {
  readonly header: readonly string[];
  readonly rawHeader: string;
  readonly batches: AsyncGenerator<readonly InputRow[]>;
}

/** @throws UsageError for a file without rows, a broken header, or no column to use */
export async function openTable(
  source: AsyncGenerator<readonly SeparatedRow[]>,
  delimiter: string,
  wish: ColumnWish,
  { name, onBroken }: { readonly name: string; readonly onBroken?: OnBrokenText | undefined },
): Promise<Table> {
  const { above, header, others } = await findHeader(source, wish);
  if (!header) throw new NoRows(name);
  const columns = chooseInputColumns({ header: header.cells, rows: others.map(({ cells }) => cells) }, wish, name);
  if (wish.headerRow === undefined && above.length > 0) {
    refuseRowsAbove(above, header, columns[0].index, name);
    const one = above.length === 1;
    wish.notice?.(`${name}, line ${header.line}: the header; ${pluralize(above.length, 'row')} above it ${one ? 'is' : 'are'} passed over`);
  }
  const watch = new HeaderWatch(
    header,
    above.map(({ raw }) => raw),
    columns[0],
    delimiter,
  );
  const rows = withoutHeaders(startingWith([others], source), watch, otherHeader(name, header.line), onBroken);
  const status = header.cells.findLastIndex((cell) => statusName.test(cell));
  const shape = { columns, named: wish.column !== undefined, delimiter, width: header.cells.length, status };
  return { header: header.cells, rawHeader: header.raw, batches: inputRows(rows, shape) };
}

/** A chain of joins has a status for each command, such as `person_pdi_status`. */
const statusName = /(?:^|_)pdi_status(?:_\d+)?$/;

/** Blank rows before the first one are skipped. */
export async function firstRows(source: AsyncGenerator<readonly SeparatedRow[]>): Promise<readonly SeparatedRow[]> {
  for (let next = await source.next(); !next.done; next = await source.next()) {
    const start = next.value.findIndex(({ raw }) => raw.trim() !== '');
    if (start >= 0) return next.value.slice(start);
  }
  return [];
}

/** Reads no further than the header, if it is found, so that a slow pipe does not have to wait. */
export async function findHeader(
  source: AsyncGenerator<readonly SeparatedRow[]>,
  wish: Pick<ColumnWish, 'column' | 'candidates' | 'headerRow'>,
) {
  const { headerRow } = wish;
  const wanted = wantedNames(wish);
  const rows: SeparatedRow[] = [];
  let at: number | undefined;
  for (let next = await source.next(); !next.done; next = await source.next()) {
    rows.push(...next.value.filter(({ line, raw }) => line >= (headerRow ?? 1) && (rows.length > 0 || raw.trim() !== '')));
    at = headerRow === undefined ? headerAt(cellsOf(rows), wanted) : 0;
    if ((at !== undefined && rows.length > 0) || rows.length >= rowsSearched) break;
  }
  const found = at ?? likelyHeaderAt(cellsOf(rows));
  return { above: rows.slice(0, found).filter(({ raw }) => raw.trim() !== ''), header: rows[found], others: rows.slice(found + 1) };
}

const cellsOf = (rows: readonly SeparatedRow[]): (readonly string[])[] => rows.slice(0, rowsSearched).map(({ cells }) => cells);

/** A header that comes again is no row. One in another order breaks the rows below it, and those above come first. */
async function* withoutHeaders(
  source: AsyncIterable<readonly SeparatedRow[]>,
  watch: HeaderWatch,
  mistakeAt: (line: number) => UsageError,
  onBroken: OnBrokenText = (mistake) => {
    throw mistake;
  },
): AsyncGenerator<readonly SeparatedRow[]> {
  for await (const batch of source) {
    let rows: SeparatedRow[] = [];
    for (const row of batch) {
      const sight = watch.sees(row);
      if (sight === 'row') rows.push(row);
      else if (sight === 'tail') rows.push(watch.withoutTail(row));
      else if (sight === 'other') {
        if (rows.length > 0) yield rows;
        rows = [];
        onBroken(mistakeAt(row.line), row.line);
      }
    }
    if (rows.length > 0) yield rows;
  }
}

const otherHeader = (name: string, first: number) => (line: number) =>
  new UsageError(`${name}, line ${line}: another header, with other columns or in another order than line ${first}`, {
    item: name,
    hint: 'Give the tables one by one, or bring their columns into one order.',
  });

interface Shape {
  readonly columns: readonly [InputColumn, ...InputColumn[]];
  readonly named: boolean;
  readonly delimiter: string;
  readonly width: number;
  /** It is the place of the last job's `pdi_status`, or negative; its `pdi_error` comes next. */
  readonly status: number;
}

async function* inputRows(source: AsyncIterable<readonly SeparatedRow[]>, shape: Shape): AsyncGenerator<readonly InputRow[]> {
  for await (const rows of source) if (rows.length > 0) yield rows.map((row) => inputRow(row, shape));
}

/** Spreadsheets leave out empty cells at the end of a row, so missing cells count as empty. */
function inputRow(row: SeparatedRow, { columns, named, delimiter, width, status }: Shape): InputRow {
  const { line, raw, cells } = row;
  const { own, spilt } = cells.length > width ? fitCells({ raw, cells }, width, delimiter) : { own: { raw, cells }, spilt: false };
  const found = filledRow(row, own, columns, named && !spilt);
  const { text, field = columns[0].field } = found ?? { text: undefined };
  if (spilt) {
    const escaped = raw.includes('\\"') ? '; it has \\" for a quote, which CSV writes twice' : '';
    return { line, text, field, own, invalid: `${pluralize(cells.length, 'cell')} where the header has ${width}${escaped}` };
  }
  return found ?? { line, text, field, own, ...withoutRecord(cells, status) };
}

/** An earlier job found nothing for such a row, or has no answer for it. */
function withoutRecord(cells: readonly string[], status: number): Pick<InputRow, 'invalid' | 'foundNothing' | 'wasBlank'> {
  const earlier = rowStatuses.find((known) => known === cells[status]);
  if (earlier === undefined || earlier === 'ok') return {};
  if (earlier === 'not_found') return { invalid: 'no match in the input', foundNothing: true };
  return carriedOver(earlier, cells[status + 1]);
}

/** A text that is an id by itself is asked for, whatever page it leads to. */
const isPlainId = /^(?:per_|inv_|urn:|https?:\/\/)/i;

/** Their ids are not those of pages. */
const idFields: ReadonlySet<string> = new Set(['person_id', 'company_id', 'investor_id', 'id']);

/** Behind `LinkedIn` or a name, a workbook may have the link that is meant. */
const linkBehind = (text: string, index: number, field: string, links: SeparatedRow['links']): string =>
  isPlainId.test(text) || idFields.has(field.toLowerCase()) ? text : (links?.get(index) ?? text);

function filledRow(row: SeparatedRow, own: OwnCells, columns: readonly InputColumn[], all: boolean): InputRow | undefined {
  const { line, cells, spoilt, links } = row;
  for (const column of columns) {
    const { index, field } = column;
    const written = cells[index]?.trim();
    const text = written && linkBehind(written, index, field, links);
    if (!text || isBlankCell(text, field)) continue;
    const next = all ? filledRow(row, own, columns.slice(columns.indexOf(column) + 1), all) : undefined;
    const why = spoilt?.get(index);
    const invalid = why === undefined || text !== written ? undefined : { invalid: why };
    if (next === undefined && invalid === undefined) return { line, text, field, own };
    return { line, text, field, own, ...invalid, ...(next !== undefined && { next }) };
  }
  return undefined;
}
