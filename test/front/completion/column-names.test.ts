/** The names that `--column <Tab>` offers are those that `--column` then takes. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { columnNames } from '../../../src/front/completion/column-names.ts';
import { bookOf, row } from '../../input/book.ts';
import { openFile, textsOf } from '../../input/reading.ts';
import { newFolder } from '../../support/run.ts';
import { fileOf } from '../../support/service.ts';

const book = bookOf({
  sheets: {
    One: '<row><c t="inlineStr"><is><t>A</t></is></c><c t="inlineStr"><is><t>B C</t></is></c></row>',
  },
});

describe('the columns of a file', () => {
  test.each([
    ['a.csv', 'A;B C;"d;e"\n1;2;3\n', ['A', 'B C', 'd;e']],
    ['a.csv', '\n sep=x \n', ['sep=x']],
    ['a.csv', 'sep=|\nA|B\n1|2\n', ['A', 'B']],
    ['a.csv', '\uFEFFA, A ,,"two\nlines",B\n', ['A', 'B']],
    ['a.csv', Buffer.from('Ann\u00e9e,B\n1,2\n', 'latin1'), ['Ann\u00e9e', 'B']],
    ['a.csv', Buffer.from('\uFEFFAnn\u00e9e,B\n1,2\n', 'utf16le'), ['Ann\u00e9e', 'B']],
    ['a.csv.gz', gzipSync('A,B\n1,2\n'), ['A', 'B']],
    ['a.tsv', 'A\tB,C\n', ['A', 'B,C']],
    ['a.txt', 'A,B\n', ['A', 'B']],
    ['a.xlsx', book, ['A', 'B C']],
    [
      'a.ndjson',
      '{"id":1,"company":{"name":"x"},"all":[1]}\n{"other":1}\n',
      ['id', 'company.name'],
    ],
    ['a.json', '[\n{"id":1}]', ['id']],
    ['a.json', '[]', []],
    ['a.json', '{"id', []],
    ['a.ndjson', '{id:1}\n', []],
    ['a.json', '['.repeat(600) + ']'.repeat(600), []],
    ['a.csv', '', []],
    ['a.csv', Buffer.from([0, 1, 2, 0]), []],
  ])('%s of %j: %j', async (name, content, names) => {
    expect(await columnNames(fileOf(name, content))).toEqual(names);
  });

  test('of a workbook are those of the sheet that is named', async () => {
    const path = fileOf(
      'a.xlsx',
      bookOf({ sheets: { Notes: row(1, 'Day'), 'My people': row(1, 'Name', 'Key') } }),
    );
    expect(await columnNames(path)).toEqual(['Day']);
    expect(await columnNames(path, 'My people')).toEqual(['Name', 'Key']);
    expect(await columnNames(path, 'My')).toEqual([]);
  });

  test.each([
    ['a.csv', 'A;B C\n1;per_1\n', 'B C'],
    ['a.ndjson', '{"id":1,"company":{"name":"per_1"}}\n', 'company.name'],
  ])('can each be named: %s', async (name, content, column) => {
    expect(await columnNames(fileOf(name, content))).toContain(column);
    expect(await textsOf(await openFile(name, content, { column }))).toEqual(['per_1']);
  });

  test('are none where there is no file, and a pipe is not read', async () => {
    const folder = newFolder();
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    for (const name of ['none.csv', 'pipe', ''])
      expect(await columnNames(join(folder, name))).toEqual([]);
  });
});
