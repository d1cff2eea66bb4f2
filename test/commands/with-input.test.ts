import { describe, expect } from 'vitest';
import { it } from '../support/it.ts';
import { cellsButFetchedAt, expectRefused, fileOf, linesFile, recordsOf } from '../support/service.ts';

describe('--with-input', () => {
  it.for([
    ['in.csv', 'name,id,name\nA,per_sample1,x\nB,per_nobody,\n', { name: 'A', name_2: 'x' }, { name: 'B', name_2: '' }],
    ['in.ndjson', '{"id":"per_sample1","n":[1]}\n{"id":"per_nobody"}\n', { n: [1] }, {}],
    ['in.json', '[{"id":"per_sample1","n":null},\n{"id":"per_nobody"}]', { n: null }, {}],
  ] as const)('gives the row of %s with each record, and with what stands for one', async ([name, text, first, second], { pdi }) => {
    const { stdout } = await pdi(`person -i ${fileOf(name, text)} --column id --with-input --fields full_name -o ndjson`);
    const missing = { input: 'per_nobody', pdi_status: 'not_found', pdi_error: expect.any(String) };
    expect(recordsOf(stdout)).toEqual([
      { full_name: 'Ada Sample-1', pdi_input: { id: 'per_sample1', ...first } },
      { ...missing, pdi_input: { id: 'per_nobody', ...second } },
    ]);
  });

  it('gives a line or an argument as text, and numbers with their digits', async ({ pdi }) => {
    const lines = await pdi('person -i - --with-input --fields person_id -o ndjson', { stdin: 'per_sample1\n' });
    expect(recordsOf(lines.stdout)).toEqual([{ person_id: 'per_sample1', pdi_input: 'per_sample1' }]);
    const one = await pdi(['person', 'per_sample1', '--with-input', '-o', 'json']);
    expect(JSON.parse(one.stdout)).toMatchObject({ full_name: 'Ada Sample-1', pdi_input: 'per_sample1' });
    const stdin = '{"id":"per_sample1","n":12345678901234567890}\n';
    const exact = await pdi('person -i - --column id --with-input --fields person_id -o ndjson', { stdin });
    expect(exact.stdout).toContain('"n":12345678901234567890');
  });

  it('is with each of several matches', async ({ pdi }) => {
    const pdi_input = 'Twin Sample Partners';
    const { stdout } = await pdi('investors -i - --with-input --fields investor_id -o ndjson', { stdin: `${pdi_input}\n` });
    expect(recordsOf(stdout)).toEqual([['inv_sample4', 'inv_sample5'].map((investor_id) => ({ investor_id, pdi_input }))]);
  });

  it.each([
    ['person per_sample1 --with-input -o csv', 'goes with -o json or ndjson'],
    ['feed --with-input -o json', 'goes with commands that read identifiers'],
  ])('%s is a usage error before any call', (line, words) => expectRefused(`${line} --errors json`, words));

  it.for([
    ['person', ['per_sample1', 'per_nobody', '', 'per_sample3'], []],
    ['resolve', ['ada-sample-1', 'nobody', 'two words'], []],
    ['investors', ['Sample Harbor 2', 'nobody'], ['--from', 'investors']],
  ] as const)('of %s is a join again in csv, as convert writes it', async ([command, given, from], { pdi }) => {
    const rows = given.map((one, at) => `${at},"=1, ""${at}""",${one}\r\n`).join('');
    const file = fileOf('in.csv', `nr,full_name,asked\r\n${rows}`);
    const argv = [command, '-i', file, '--column', 'asked'];
    const joined = await pdi([...argv, '-o', 'csv']);
    const { stdout: stdin } = await pdi([...argv, '--with-input', '-o', 'ndjson']);
    const again = await pdi(['convert', '-', '-o', 'csv', ...from], { stdin });
    expect([again.code, cellsButFetchedAt(again.stdout)]).toEqual([0, cellsButFetchedAt(joined.stdout)]);
    expect(again.stdout).toContain('0,"=1, ""0""",');
  });

  it('of lines is their input in csv', async ({ pdi }) => {
    const argv = ['person', '-i', linesFile([' per_sample1', 'per_nobody'])];
    const { stdout: stdin } = await pdi([...argv, '--with-input', '-o', 'json']);
    const [own, again] = [await pdi([...argv, '-o', 'csv']), await pdi('convert - -o csv', { stdin })];
    expect(cellsButFetchedAt(again.stdout)).toEqual(cellsButFetchedAt(own.stdout));
  });

  it.for([
    ['csv', 'nr,asked\n1,per_sample1\n2,per_nobody\n', { nr: '2', asked: 'per_nobody' }],
    ['txt', 'per_sample1\nper_nobody\n', 'per_nobody'],
  ] as const)('of %s stays with each row that convert gives ndjson', async ([kind, text, last], { pdi }) => {
    const column = kind === 'csv' ? ['--column', 'asked'] : [];
    const argv = ['person', '-i', fileOf(`in.${kind}`, text), ...column, '--with-input', '-o', 'ndjson'];
    const { stdout: stdin } = await pdi(argv);
    for (const more of ['', ' --fields full_name,pdi_input', ' --explode skills']) {
      const rows = recordsOf((await pdi(`convert - -o ndjson${more}`, { stdin })).stdout);
      expect(rows.every((row) => 'pdi_input' in row)).toBe(true);
      expect(rows.at(-1)).toMatchObject({ input: 'per_nobody', pdi_status: 'not_found', pdi_input: last });
    }
    const { stdout } = await pdi('convert - -o ndjson --fields full_name', { stdin });
    expect(recordsOf(stdout)).toMatchObject([{ full_name: 'Ada Sample-1' }, { input: 'per_nobody' }]);
    expect(stdout).not.toContain('pdi_input');
  });
});
