/** Finds the web addresses behind cells: those of hyperlinks, which may cover a range, and those of formulas. */
import { columnNumber } from '../rows/column-letters.ts';
import { type CellMark, isPlainId } from './separated.ts';
import { type Archive, tooLarge } from './workbook-parts.ts';

/** A sheet has millions of them, so they are all of one shape. */
export interface FilledCell extends CellMark {
  readonly column: number;
  readonly text: string;
}

export interface SheetRow {
  readonly line: number;
  readonly cells: readonly FilledCell[];
}

interface CellPlace {
  readonly line: number;
  readonly column: number;
}

/** Also without a scheme, as people type it: `www.profnet.example/in/ada`. */
const isWebAddress = (target: string): boolean =>
  /^(?:https?:\/\/|(?:[\w-]+\.)+[a-z]{2,}\/)/i.test(target);

const range = /^\$?([A-Z]{1,3})\$?(\d{1,7})(?::\$?([A-Z]{1,3})\$?(\d{1,7}))?$/i;

/** Spreadsheets take no longer formulas, and browsers no longer addresses. */
const maxLength = 8192;

const isLinkFormula = /(?<!\w)HYPERLINK\s*\(/i;

const makesLink = (formula: string): boolean =>
  isLinkFormula.test(formula) && isLinkFormula.test(formula.replace(/"(?:[^"]|"")*"/g, '""'));

const call = /^\s*=?\s*(?:_xlfn\.)?HYPERLINK\s*\(/i;
/** A text, the address of a cell or a number, and what comes next. */
const part =
  /\s*(?:"((?:[^"]|"")*)"|(\$?)([A-Z]{1,3})(\$?)(\d{1,7})(?![\w.(!])|(\d+)(?![\w.]))\s*([&,;)])/iy;

interface LinkCell {
  readonly cell: FilledCell;
  readonly formula: string;
  /** So far is it from the cell that its formula was written for. */
  readonly moved: CellPlace;
}

/** Nobody makes as many: links, of which each row has one, cells that ranges of links cover, and characters of all formulas together. */
const maxLinks = 250_000;
const maxCovered = 5_000_000;
const maxComposed = 128 * 1024 * 1024;

/** Gathers what makes links while a sheet is read, and puts the addresses behind its cells when all of them are there. */
export class CellLinks {
  private readonly hyperlinks: {
    readonly from: CellPlace;
    readonly to: CellPlace;
    readonly id: string;
  }[] = [];
  private readonly cells: LinkCell[] = [];
  private readonly shared = new Map<string, { readonly formula: string; readonly at: CellPlace }>();
  private byLine: ReadonlyMap<number, SheetRow> = new Map();
  private composed = 0;

  constructor(private readonly name: string) {}

  addHyperlink(ref: string | undefined, id: string | undefined): void {
    const [, letters, line, lastLetters = letters, lastLine = line] = range.exec(ref ?? '') ?? [];
    if (id === undefined || letters === undefined || lastLetters === undefined) return;
    const [from, to] = [columnNumber(letters), columnNumber(lastLetters)];
    this.hyperlinks.push({
      from: { line: Number(line), column: from },
      to: { line: Number(lastLine), column: to },
      id,
    });
    this.checkCount();
  }

  /** Several cells may share a formula, which the first of them has in full. */
  addFormula(cell: FilledCell, line: number, formula: string, number: string): void {
    const at = { line, column: cell.column };
    const own = makesLink(formula) ? { formula, at } : undefined;
    if (own !== undefined && number !== '') this.shared.set(number, own);
    const found = formula === '' ? this.shared.get(number) : own;
    if (found === undefined) return;
    this.cells.push({
      cell,
      formula: found.formula,
      moved: { line: line - found.at.line, column: at.column - found.at.column },
    });
    this.checkCount();
  }

  private checkCount(): void {
    if (this.hyperlinks.length + this.cells.length > maxLinks)
      throw tooLarge(this.name, `has more than ${maxLinks} links`);
  }

  /** Only hyperlinks have their addresses in relationships. @throws UsageError where ranges cover the sheet so often that they were made to */
  async putBehind(
    rows: readonly SheetRow[],
    relationshipsOf: () => ReturnType<Archive['relationshipsOf']>,
  ): Promise<void> {
    if (this.hyperlinks.length + this.cells.length === 0) return;
    const relationships = this.hyperlinks.length > 0 ? await relationshipsOf() : undefined;
    this.byLine = new Map(rows.map((row) => [row.line, row]));
    let covered = 0;
    for (const { from, to, id } of this.hyperlinks) {
      const target = relationships?.get(id)?.target ?? '';
      if (!isWebAddress(target)) continue;
      for (const { line, cells } of this.rowsNear(from.line, to.line, rows)) {
        covered += 1 + cells.length;
        if (covered > maxCovered)
          throw tooLarge(this.name, 'has links over the same cells again and again');
        if (line < from.line || line > to.line) continue;
        for (const cell of cells)
          if (cell.column >= from.column && cell.column <= to.column) cell.link = target;
      }
    }
    for (const cell of this.cells) this.addLink(cell);
    markLabels(rows);
  }

  /** A range over whole columns has a million lines, of which few may be rows. */
  private rowsNear(from: number, to: number, rows: readonly SheetRow[]): readonly SheetRow[] {
    if (to - from >= rows.length) return rows;
    return Array.from(
      { length: to - from + 1 },
      (_, index) => this.byLine.get(from + index) ?? { line: from + index, cells: [] },
    );
  }

  /** What a formula shows is not asked for where its link cannot be told. */
  private addLink({ cell, formula, moved }: LinkCell): void {
    const address = this.addressOf(formula, moved);
    if (address !== undefined && isWebAddress(address)) cell.link = address;
    else if (address?.startsWith('#') !== true && !isPlainId(cell.text))
      cell.unlinked = noLink(address);
  }

  /** Undefined where the address takes more than texts and cells put together, where a cell of it is a day, and where it is too long. */
  private addressOf(formula: string, moved: CellPlace): string | undefined {
    this.composed += formula.length;
    if (formula.length > maxLength) return undefined;
    let address = '';
    part.lastIndex = call.exec(formula)?.[0].length ?? formula.length;
    for (let found = part.exec(formula); found !== null; found = part.exec(formula)) {
      const [, written, fixedColumn, letters, fixedLine, line, digits, next] = found;
      const column =
        letters === undefined
          ? 0
          : columnNumber(letters) + (fixedColumn === '$' ? 0 : moved.column);
      const text =
        letters === undefined
          ? (written?.replaceAll('""', '"') ?? digits ?? '')
          : this.textAt({ line: Number(line) + (fixedLine === '$' ? 0 : moved.line), column });
      if (text === undefined || address.length + text.length > maxLength) return undefined;
      address += text;
      if (next !== '&') {
        this.composed += address.length;
        return this.composed > maxComposed ? undefined : address.trim();
      }
    }
    return undefined;
  }

  private textAt({ line, column }: CellPlace): string | undefined {
    const cell = cellIn(this.byLine.get(line)?.cells ?? [], column);
    return cell?.spoilt === undefined ? (cell?.text ?? '') : undefined;
  }
}

/** A text with different links behind it, such as `Profile`, is no id, also in a cell whose link is missing. */
function markLabels(rows: readonly SheetRow[]): void {
  const columns = new Map<number, Map<string, string | undefined>>();
  for (const { cells } of rows) {
    for (const { column, text, link } of cells) {
      if (link === undefined) continue;
      const links = columns.get(column) ?? new Map<string, string | undefined>();
      columns.set(
        column,
        links.set(text, !links.has(text) || links.get(text) === link ? link : undefined),
      );
    }
  }
  const isLabel = ({ column, text }: FilledCell): boolean => {
    const links = columns.get(column);
    return links?.has(text) === true && links.get(text) === undefined;
  };
  for (const { cells } of rows)
    for (const cell of cells)
      if (cell.link === undefined && isLabel(cell)) cell.unlinked ??= labelAlone;
}

const labelAlone = 'the label of a link that is missing: give the address itself';

function noLink(address: string | undefined): string {
  const link = 'a link of a formula (HYPERLINK) whose address';
  if (address === undefined)
    return `${link} cannot be told; put the addresses themselves into the column`;
  return `${link} is ${address === '' ? 'empty' : 'no web address'}; put an address into the column`;
}

function cellIn(cells: readonly FilledCell[], column: number): FilledCell | undefined {
  let [low, high] = [0, cells.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cells[middle]?.column ?? 0) < column) low = middle + 1;
    else high = middle;
  }
  return cells[low]?.column === column ? cells[low] : undefined;
}
