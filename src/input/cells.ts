/** A row of CSV or TSV, and where its cells end. Pure. */

export interface SeparatedRow {
  readonly line: number;
  /** As in the file, without its line end. */
  readonly raw: string;
  readonly cells: readonly string[];
}

/** Where the cell that starts at `at` is over; undefined where its quotes do not close. */
export function endOfCell(raw: string, delimiter: string, at: number): number | undefined {
  if (raw[at] === '"') return afterQuotes(raw, at);
  const end = raw.indexOf(delimiter, at);
  return end < 0 ? raw.length : end;
}

/** Where the quoted cell that starts at `at` is over; undefined where it has no closing quote. */
function afterQuotes(raw: string, at: number): number | undefined {
  let end = raw.indexOf('"', at + 1);
  while (end >= 0 && raw[end + 1] === '"') end = raw.indexOf('"', end + 2);
  return end < 0 ? undefined : end + 1;
}
