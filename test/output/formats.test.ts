import { existsSync, readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { it } from '../support/it.ts';
import { personIds } from '../support/records.ts';
import { expectMistake, linesFile, newFile } from '../support/service.ts';

const job = ['person', '-i', linesFile(personIds(2)), '--fields', 'person_id,skills'];

describe('the name of --out', () => {
  it.for([
    ['x.csv', /^input,person_id,skills,pdi_status,pdi_error\r\nper_sample1,/],
    ['x.CSV', /^input,/],
    ['x.tsv', /^input\tperson_id\tskills\tpdi_status\tpdi_error\r\nper_sample1\t/],
    ['x.json', /^\[\n {2}\{\n {4}"person_id": "per_sample1"/],
    ['x.ndjson', /^\{"person_id":"per_sample1"/],
    ['x.jsonl', /^\{"person_id":"per_sample1"/],
    ['x.txt', /^\[\n/],
    ['no-extension', /^\[\n/],
  ] as const)('%s decides the format', async ([name, content], { pdi }) => {
    const out = newFile(name);
    // What is set for all runs asks for less than what is said in this one.
    const env = { PDI_OUTPUT: name.includes('.') && !name.endsWith('.txt') ? 'table' : 'json' };
    expect((await pdi([...job, '--out', out], { env })).code).toBe(0);
    expect(readFileSync(out, 'utf8')).toMatch(content);
  });

  it('decides for a single record, for pages and for a terminal as well', async ({ pdi }) => {
    for (const [argv, start] of [
      [['person', 'per_sample1'], 'input,person_id,'],
      [['feed', '--limit', '2'], 'signal_id,'],
    ] as const) {
      const out = newFile('x.csv');
      const { code, stdout } = await pdi([...argv, '--out', out], { terminal: true });
      expect([code, stdout, readFileSync(out, 'utf8').slice(0, start.length)]).toEqual([
        0,
        '',
        start,
      ]);
    }
  });

  it.for([
    ['x.csv', ['-o', 'json'], 'the name asks for csv, -o for json'],
    ['x.json', ['-o', 'csv'], 'the name asks for json, -o for csv'],
    ['x.jsonl', ['-o', 'json'], 'the name asks for ndjson, -o for json'],
    ['x.xlsx', ['-o', 'table'], 'the name asks for xlsx, -o for table'],
    ['x.parquet', ['-o', 'csv'], 'the name asks for parquet, -o for csv'],
    ['x.xls', [], 'pdi does not write .xls'],
    ['x.tgz', [], 'pdi does not write .tgz'],
    ['x.csv.gz', [], 'pdi does not write .gz'],
    ['x.orc', ['-o', 'csv'], 'pdi does not write .orc'],
  ] as const)(
    '%s with %j is refused before the first call',
    async ([name, flags, words], { service, pdi }) => {
      const out = newFile(name);
      for (const more of [[], ['--dry-run']]) {
        const result = await pdi([...job, '--out', out, ...flags, ...more]);
        expect([result.code, result.stdout, result.stderr.includes(words)]).toEqual([2, '', true]);
      }
      expect([service.bill(), existsSync(out)]).toEqual([[], false]);
    },
  );

  it('with tabs does not forbid another delimiter', async ({ pdi }) => {
    const out = newFile('x.tsv');
    expect((await pdi([...job, '--out', out, '--delimiter', ';'])).code).toBe(0);
    expect(readFileSync(out, 'utf8')).toContain('input;person_id');
  });

  it('asks for words on stderr where it asks for a table', async ({ pdi }) => {
    const result = await pdi(`person per_nobody --out ${newFile('x.csv')}`);
    expect([result.code, result.stderr.startsWith('pdi: ')]).toEqual([4, true]);
    expectMistake(
      await pdi(`person per_nobody per_x --out ${newFile('x.json')} --fields none`),
      2,
      /no field/,
    );
  });
});
