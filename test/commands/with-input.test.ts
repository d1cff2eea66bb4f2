import { describe, expect } from 'vitest';
import { it } from '../support/it.ts';
import { cellsButFetchedAt, fileOf, linesFile } from '../support/service.ts';
import { play } from '../support/transcript.ts';

play('test/commands/with-input.txt');

describe('--with-input', () => {
  it.for([
    ['person', ['per_sample1', 'per_nobody', '', 'per_sample3'], []],
    ['resolve', ['ada-sample-1', 'nobody', 'two words'], []],
    ['investors', ['Sample Harbor 2', 'nobody'], ['--from', 'investors']],
  ] as const)(
    'of %s is a join again in csv, as convert writes it',
    async ([command, given, from], { pdi }) => {
      const rows = given.map((one, at) => `${at},"=1, ""${at}""",${one}\r\n`).join('');
      const file = fileOf('in.csv', `nr,full_name,asked\r\n${rows}`);
      const argv = [command, '-i', file, '--column', 'asked'];
      const joined = await pdi([...argv, '-o', 'csv']);
      const { stdout: stdin } = await pdi([...argv, '--with-input', '-o', 'ndjson']);
      const again = await pdi(['convert', '-', '-o', 'csv', ...from], { stdin });
      expect([again.code, cellsButFetchedAt(again.stdout)]).toEqual([
        0,
        cellsButFetchedAt(joined.stdout),
      ]);
      expect(again.stdout).toContain('0,"=1, ""0""",');
    },
  );

  it('of lines is their input in csv', async ({ pdi }) => {
    const argv = ['person', '-i', linesFile([' per_sample1', 'per_nobody'])];
    const { stdout: stdin } = await pdi([...argv, '--with-input', '-o', 'json']);
    const [own, again] = [
      await pdi([...argv, '-o', 'csv']),
      await pdi('convert - -o csv', { stdin }),
    ];
    expect(cellsButFetchedAt(again.stdout)).toEqual(cellsButFetchedAt(own.stdout));
  });
});
