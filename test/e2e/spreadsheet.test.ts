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

/** Opens files of one format and gives the rows of each. A csv is read as UTF-8, which the import dialog finds out by the BOM. */
function open(files: readonly string[], format: string) {
  const filter = format === 'csv' ? ['--infilter=Text - txt - csv (StarCalc):44,34,76,1'] : [];
  const paths = files.map((file) => join(folder, file));
  byOffice(paths, 'fods', folder, ...filter);
  return paths.map((path) => rowsOf(readFileSync(path.replace(/\w+$/, 'fods'), 'utf8')));
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

/** Persons as a spreadsheet is given them. */
const people: Readonly<Record<string, readonly string[]>> = {
  csv: ['--bom', '--text-ids'],
  xlsx: [],
};

describe('LibreOffice', needsProgram('soffice'), () => {
  it.each(Object.entries(people))(
    'understands persons, and runs no formula of a stranger, in the %s of any command',
    { timeout: 300_000 },
    async (format, flags) => {
      const files: string[] = [];
      const ids = ['per_sample1', 'per_sample3', 'per_sample4', 'per_sample6'];
      const commands = [['person', ...ids, ...flags], ...everyCommand.map(({ argv }) => argv)];
      for (const [at, argv] of commands.entries()) {
        const file = `command-${at}.${format}`;
        const written = ['-q', '-o', format, '--out', join(folder, file)];
        if ((await run([...inSandbox, ...argv, ...written])).code === 0) files.push(file);
      }
      const opened = open(files, format);
      expect(opened.length).toBeGreaterThan(11);
      // Those of --text-ids are our own.
      for (const rows of opened.slice(1)) {
        expect(rows.length).toBeGreaterThan(0);
        expect(rows.flat().filter(({ formula }) => formula)).toEqual([]);
      }
      const cell = (key: string, header: string) => cellOf(opened[0], key, header);
      expect(opened[0]?.[0]?.[0]?.value, 'the BOM is no part of the header').toBe('input');
      expect(cell('per_sample1', 'full_name')).toMatchObject({
        type: 'string',
        value: 'Ada Sample-1',
      });
      expect(cell('per_sample3', 'full_name')).toMatchObject({
        type: 'string',
        value: 'Zoë Sample-3',
      });
      expect(cell('per_sample1', 'profnet_followers')).toMatchObject({ type: 'float' });
      expect(cell('per_sample1', 'average_tenure')).toMatchObject({ type: 'float', value: '4.19' });
      expect(cell('per_sample1', 'last_updated')).toMatchObject({
        type: 'date',
        value: '2026-04-01T18:00:00',
      });
      const digits = expect.stringContaining('9007199254740993');
      expect(cell('per_sample3', 'profnet_num_id')).toMatchObject({
        type: 'string',
        value: digits,
      });
      expect(cell('per_sample3', 'tagline')?.value).toContain('=HYPERLINK(');
    },
  );
});
