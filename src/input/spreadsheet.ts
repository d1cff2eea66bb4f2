/** Takes off what was put around an identifier so that a spreadsheet leaves it alone, by us or by another program. Pure. */

/** `--text-ids`: digits that a spreadsheet takes for text. */
const digitsAsText = /^="(\d+)"$/;
/** The apostrophe of the formula guard. */
const guard = /^'(?=[=+\-@\t\r])/;

/** The identifier that a cell, already trimmed, stands for. */
export function plainCell(cell: string): string {
  if (!cell.startsWith("'") && !cell.startsWith('=')) return cell;
  const text = cell.replace(guard, '').trim();
  return digitsAsText.exec(text)?.[1] ?? text;
}
