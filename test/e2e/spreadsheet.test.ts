/** What a spreadsheet makes of our files: LibreOffice opens them and tells, as XML. Skipped where it is not installed; CI has it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { everyCommand } from '../commands/every-command.ts';
import { needsProgram } from '../support/needs.ts';
import { byOffice } from '../support/office.ts';
import { inSandbox, newFolder, run } from '../support/run.ts';

const folder = newFolder();

/** A cell as LibreOffice understood it. */
interface Cell {
  readonly type: string;
  readonly value: string;
  readonly formula: boolean;
}

/** Opens files and gives the rows of each, by file name. A csv is read as UTF-8, which the import dialog finds out by the BOM. */
function open(...files: readonly string[]): ReadonlyMap<string, readonly (readonly Cell[])[]> {
  const ending = (end: string) =>
    files.filter((file) => file.endsWith(end)).map((file) => join(folder, file));
  byOffice(ending('.csv'), 'fods', folder, '--infilter=Text - txt - csv (StarCalc):44,34,76,1');
  byOffice(ending('.xlsx'), 'fods', folder);
  return new Map(
    files.map((file) => [
      file,
      rowsOf(readFileSync(join(folder, file.replace(/\.\w+$/, '.fods')), 'utf8')),
    ]),
  );
}

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&amp;': '&',
};
const plain = (xml: string): string =>
  xml
    .replaceAll(/<text:s\/>/g, ' ')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&\w+;/g, (entity) => entities[entity] ?? entity)
    .trim();

function rowsOf(xml: string): readonly (readonly Cell[])[] {
  const sheet = /<table:table .*?<\/table:table>/s.exec(xml)?.[0] ?? '';
  return [...sheet.matchAll(/<table:table-row[^>]*>(.*?)<\/table:table-row>/gs)].map(
    ([, row = '']) =>
      [...row.matchAll(/<table:table-cell([^>]*?)(?:\/>|>(.*?)<\/table:table-cell>)/gs)].flatMap(
        ([, attributes = '', content = '']) => {
          const repeated = Number(/columns-repeated="(\d+)"/.exec(attributes)?.[1] ?? 1);
          const type = /value-type="(\w+)"/.exec(attributes)?.[1] ?? 'empty';
          const value =
            /office:(?:date-|boolean-)?value="([^"]*)"/.exec(attributes)?.[1] ?? plain(content);
          const formula = /table:formula="([^"]*)"/.exec(attributes)?.[1];
          // A truth value is shown as a formula of itself.
          const cell = {
            type,
            value,
            formula: formula !== undefined && !/^of:=(?:TRUE|FALSE)\(\)$/.test(formula),
          };
          return repeated > 200 ? [] : Array.from({ length: repeated }, () => cell);
        },
      ),
  );
}

/** The cell under a header, in the row whose first cell is `key`. */
function cellOf(
  rows: readonly (readonly Cell[])[] | undefined,
  key: string,
  header: string,
): Cell | undefined {
  const column = rows?.[0]?.findIndex(({ value }) => value === header) ?? -1;
  return rows?.find(([first]) => first?.value === key)?.[column];
}

const people = [
  ...inSandbox,
  '-q',
  'person',
  'per_sample1',
  'per_sample3',
  'per_sample4',
  'per_sample6',
];

describe('LibreOffice', needsProgram('soffice'), () => {
  it('understands persons, as csv and as xlsx', { timeout: 300_000 }, async () => {
    await run([...people, '-o', 'csv', '--bom', '--text-ids', '--out', join(folder, 'people.csv')]);
    await run([...people, '-o', 'xlsx', '--out', join(folder, 'people-book.xlsx')]);
    const opened = open('people.csv', 'people-book.xlsx');
    for (const [file, rows] of opened) {
      const cell = (key: string, header: string) => cellOf(rows, key, header);
      expect(rows[0]?.[0]?.value, `${file}: the BOM is no part of the header`).toBe('input');
      expect(cell('per_sample1', 'full_name'), file).toMatchObject({
        type: 'string',
        value: 'Ada Sample-1',
      });
      expect(cell('per_sample3', 'full_name'), file).toMatchObject({
        type: 'string',
        value: 'Zoë Sample-3',
      });
      expect(cell('per_sample1', 'profnet_followers'), file).toMatchObject({ type: 'float' });
      expect(cell('per_sample1', 'average_tenure'), file).toMatchObject({
        type: 'float',
        value: '4.19',
      });
      expect(cell('per_sample1', 'last_updated'), file).toMatchObject({
        type: 'date',
        value: '2026-04-01T18:00:00',
      });
      const digits = expect.stringContaining('9007199254740993');
      expect(cell('per_sample3', 'profnet_num_id'), file).toMatchObject({
        type: 'string',
        value: digits,
      });
      const tagline = cell('per_sample3', 'tagline');
      expect(tagline, file).toMatchObject({ type: 'string', formula: false });
      expect(tagline?.value, file).toContain('=HYPERLINK(');
    }
  });

  it.each(['csv', 'xlsx'])(
    'runs no formula of a stranger, in the %s of any command',
    { timeout: 300_000 },
    async (format) => {
      const files: string[] = [];
      for (const [index, { argv }] of everyCommand.entries()) {
        const file = `command-${index}.${format}`;
        const { code } = await run([
          '--sandbox',
          '-q',
          ...argv,
          '-o',
          format,
          '--out',
          join(folder, file),
        ]);
        if (code === 0) files.push(file);
      }
      const opened = open(...files);
      expect(opened.size).toBeGreaterThan(10);
      for (const [file, rows] of opened) {
        expect(rows.length, file).toBeGreaterThan(0);
        const formulas = rows.flat().filter(({ formula }) => formula);
        expect(formulas, file).toEqual([]);
      }
    },
  );
});
