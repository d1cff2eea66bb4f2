import { describe, expect, it } from 'vitest';
import { errorOf, fileOf, linesOf, sandbox } from '../support/service.ts';

const records = (stdout: string) => linesOf(stdout).map((line) => JSON.parse(line));

describe('--with-input', () => {
  it.each([
    [
      'csv',
      'in.csv',
      'name,id,name\nA,per_sample1,x\nB,per_nobody,\n',
      [
        { name: 'A', id: 'per_sample1', name_2: 'x' },
        { name: 'B', id: 'per_nobody', name_2: '' },
      ],
    ],
    ['ndjson', 'in.ndjson', '{"id":"per_sample1","n":[1]}\n{"id":"per_nobody"}\n', [{ id: 'per_sample1', n: [1] }, { id: 'per_nobody' }]],
    ['json', 'in.json', '[{"id":"per_sample1","n":null},\n{"id":"per_nobody"}]', [{ id: 'per_sample1', n: null }, { id: 'per_nobody' }]],
  ])('gives the row of %s with each record, and with what stands for one', async (_kind, name, text, rows) => {
    const { pdi } = await sandbox();
    const result = await pdi([
      'person',
      '-i',
      fileOf(name, text),
      '--column',
      'id',
      '--with-input',
      '--fields',
      'full_name',
      '-o',
      'ndjson',
    ]);
    expect(records(result.stdout)).toEqual([
      { full_name: 'Ada Sample-1', pdi_input: rows[0] },
      { input: 'per_nobody', pdi_status: 'not_found', pdi_error: expect.any(String), pdi_input: rows[1] },
    ]);
  });

  it('gives a line or an argument as text, and numbers with their digits', async () => {
    const { pdi } = await sandbox();
    const lines = await pdi(['person', '-i', '-', '--with-input', '--fields', 'person_id', '-o', 'ndjson'], { stdin: 'per_sample1\n' });
    expect(records(lines.stdout)).toEqual([{ person_id: 'per_sample1', pdi_input: 'per_sample1' }]);
    const one = await pdi(['person', 'per_sample1', '--with-input', '-o', 'json']);
    expect(JSON.parse(one.stdout)).toMatchObject({ full_name: 'Ada Sample-1', pdi_input: 'per_sample1' });
    const exact = await pdi(['person', '-i', '-', '--column', 'id', '--with-input', '--fields', 'person_id', '-o', 'ndjson'], {
      stdin: '{"id":"per_sample1","n":12345678901234567890}\n',
    });
    expect(exact.stdout).toContain('"n":12345678901234567890');
  });

  it('is with each of several matches', async () => {
    const { pdi } = await sandbox();
    const { stdout } = await pdi(['investors', '-i', '-', '--with-input', '--fields', 'investor_id', '-o', 'ndjson'], {
      stdin: 'Twin Sample Partners\n',
    });
    expect(records(stdout)).toEqual([
      ['inv_sample4', 'inv_sample5'].map((investor_id) => ({ investor_id, pdi_input: 'Twin Sample Partners' })),
    ]);
  });

  it.each([
    ['person per_sample1 --with-input -o csv', 'goes with -o json or ndjson'],
    ['feed --with-input -o json', 'goes with commands that read identifiers'],
  ])('%s is a usage error before any call', async (line, words) => {
    const { service, pdi } = await sandbox();
    const result = await pdi(`${line} --errors json`);
    expect([result.code, errorOf(result).message, service.requests()]).toEqual([2, expect.stringContaining(words), {}]);
  });
});
