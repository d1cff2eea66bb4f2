/** `--first N`: the trial before the job, which costs no more than its rows, and which the job goes on from. */
import { Readable } from 'node:stream';
import { expect } from 'vitest';
import { it } from '../support/it.ts';
import { itemsIn, personIds } from '../support/records.ts';
import { expectMistake, fileOf, origin, rowsOf } from '../support/service.ts';
import { play } from '../support/transcript.ts';

/** Bytes that come and then no more, without an end: a program that waits. */
function waiting(text: string): Readable & { closed: boolean } {
  return new Readable({
    read() {
      if (text !== '') this.push(text);
      text = '';
    },
  });
}

const people = () =>
  origin(({ body }) => ({ json: itemsIn(body).map((query) => ({ query, matches: [] })) }));
const lines = (count: number) => personIds(count).join('\\n');

play(
  'test/commands/first.txt',
  {
    eight: lines(8),
    twoHundred: lines(200),
    job: 'person -i ./ids --out ./people.csv -o csv --fields person_id --errors json',
  },
  { people },
);

it.for([
  ['lines', 'per_sample1\nper_sample2\nper_sample3\n', []],
  [
    'csv',
    'person_id,note\nper_sample1,a\nper_sample2,"b"\nper_sample3,c\n',
    ['--input-format', 'csv'],
  ],
  [
    'ndjson',
    '{"person_id":"per_sample1"}\n{"person_id":"per_sample2"}\n{"person_id":"per_sample3"}\n',
    [],
  ],
] as const)(
  'of a pipe of %s does not read the rest, nor wait for it',
  async ([_kind, text, more], { pdi }) => {
    const stdin = waiting(text);
    const { code, stdout } = await pdi(
      ['person', '-i', '-', '-o', 'csv', '--first', '2', ...more],
      { stdin },
    );
    expect([code, rowsOf(stdout).length, stdin.destroyed]).toEqual([0, 2, true]);
    const all = await pdi(['person', '-i', '-', '-o', 'csv', '--first', '3', ...more], {
      stdin: waiting(text),
    });
    expect([all.code, rowsOf(all.stdout).length]).toEqual([0, 3]);
  },
);

it.for([['resolve'], ['person'], ['person', '--max-billable', 'unlimited']])(
  '%s: a mistake in its rows is told before anything is sent, and those below are not read',
  async (command, { service, pdi }) => {
    const id = command[0] === 'person' ? 'per_sample' : 'sample-';
    const file = fileOf(
      'ids.txt',
      Buffer.concat([Buffer.from(`${id}1\n${id}2\n${id}`), Buffer.from([0xff, 0x0a])]),
    );
    expectMistake(await pdi([...command, '-i', file, '-o', 'json', '--first', '3']), 2, /line 3/);
    expect([service.bill(), service.requests()]).toEqual([[], {}]);
    expect((await pdi([...command, '-i', file, '-o', 'json', '--first', '2'])).code).toBe(0);
  },
);
