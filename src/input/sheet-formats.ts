/** Tells from the styles of a workbook which numbers are days, times or durations. */
import { type Archive, readPart } from './workbook-parts.ts';

/** A duration is counted in the unit that its format puts in brackets. */
export type CellFormat = 'number' | 'date' | { readonly duration: 'h' | 'm' | 's'; readonly hasSeconds: boolean };

/** Formats that every spreadsheet knows by number; those from 27 on are days in the languages of East Asia. */
const builtIn: ReadonlyMap<number, CellFormat> = new Map<number, CellFormat>([
  ...[14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 47].map((id) => [id, 'date'] as const),
  [46, { duration: 'h', hasSeconds: true }],
  ...[27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58].map((id) => [id, 'date'] as const),
]);

/** Texts, escaped characters, and colours or conditions in brackets say nothing about the number. */
const literal = /"[^"]*"|\\.|_.|\*./g;
const bracketed = /\[[^\]]*\]/g;

/** Spreadsheets take no longer ones, and to look for what is not closed takes a time that grows with the square. */
const maxCode = 255;

function formatOfCode(written: string): CellFormat {
  const code = written.slice(0, maxCode);
  const [first = ''] = code.replace(literal, '').split(';');
  const [, unit] = /\[(h|m|s)+\]/i.exec(first) ?? [];
  const lower = unit?.toLowerCase();
  if (lower === 'h' || lower === 'm' || lower === 's') return { duration: lower, hasSeconds: lower === 's' || /s/i.test(first) };
  const bare = first.replace(bracketed, '');
  return !/general/i.test(bare) && /[ydhms]/i.test(bare) ? 'date' : 'number';
}

/** Gives the format of each style by its number. */
export async function readFormats(archive: Archive, path: string | undefined): Promise<readonly CellFormat[]> {
  const formats: CellFormat[] = [];
  if (path === undefined) return formats;
  const codes = new Map<number, CellFormat>();
  let isInCells = false;
  await readPart(archive, path, {
    opened: ({ name, attribute }) => {
      const id = Number(attribute('numFmtId') ?? 0);
      if (name === 'numFmt') codes.set(id, formatOfCode(attribute('formatCode') ?? ''));
      else if (name === 'cellXfs') isInCells = true;
      else if (name === 'xf' && isInCells) formats.push(codes.get(id) ?? builtIn.get(id) ?? 'number');
    },
    closed: (name) => {
      if (name === 'cellXfs') isInCells = false;
    },
  });
  return formats;
}
