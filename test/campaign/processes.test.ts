/** Runs of the program as processes of their own: beside each other, told to stop, and in a pipe. */
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { gate } from '../support/later.ts';
import { personIds, profile } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import { answering, callsOf, linesFile, newFile, rowsOf, statusesIn } from '../support/service.ts';
import { eventually, jobOfPeople, pdi, sandboxPlace, shell } from './process.ts';

describe('jobs at once', () => {
  it('write one book and lose no call', async () => {
    const { place, billed } = await sandboxPlace({ people: 400 });
    const ends = await Promise.all(
      [1, 101, 201].map(
        (from) => pdi(jobOfPeople(personIds(90, from), '--out', newFile()), place).ended,
      ),
    );
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
    const calls = await callsOf(place);
    expect(calls.every(([, outcome]) => outcome === 'billed')).toBe(true);
    expect(calls.map(([item]) => item).sort()).toEqual([...billed()].sort());
  });

  it('on one FILE: the second is refused, and a dead owner is no owner', async () => {
    const { opened, open } = gate();
    const { baseUrl, requests } = await answering(({ path }) => opened.then(() => profile(path)));
    const place = { home: newFolder(), baseUrl };
    const out = newFile();
    const argv = jobOfPeople(personIds(40), '--out', out);
    const first = pdi(argv, place);
    await eventually(() => requests.length > 0 || undefined);
    const second = await pdi(argv, place).ended;
    expect([second.code, second.stdout]).toEqual([2, '']);
    expect(second.stderr).toMatch(/^pdi: .* is in use by another run; wait until it ends\n$/);
    first.child.kill('SIGKILL');
    await first.ended;
    open();
    expect((await pdi([...argv, '--retry-unknown'], place).ended).code).toBe(0);
    expect(statusesIn(out)).toEqual(Array(40).fill('ok'));
  });
});

it('Ctrl-C lets calls end, writes FILE and says how to resume; the same command then completes it', async () => {
  const { place, billed } = await sandboxPlace({ latency: 20 });
  const out = newFile();
  const argv = jobOfPeople(personIds(40), '--out', out, '--concurrency', '2');
  const first = pdi(argv, place);
  await eventually(() => billed().length >= 5 || undefined);
  first.child.kill('SIGINT');
  const end = await first.ended;
  expect([end.code, end.stdout]).toEqual([130, '']);
  expect(end.stderr).toContain('run the same command again');
  const bought = statusesIn(out).filter((status) => status === 'ok');
  expect([statusesIn(out).length, billed().length]).toEqual([40, bought.length]);
  expect((await pdi(argv, place).ended).code).toBe(0);
  expect([statusesIn(out), existsSync(`${out}.journal`), billed().length]).toEqual([
    Array(40).fill('ok'),
    false,
    40,
  ]);
});

it('a pipe takes resolve into person', async () => {
  const { place } = await sandboxPlace({});
  const file = linesFile([
    'ada-sample-1',
    'nobody-here',
    'https://www.profnet.example/',
    '9007199254740993',
  ]);
  const script = `set -o pipefail; pdi resolve -i '${file}' -o ndjson | pdi person -i - -o csv --fields person_id,profnet_num_id`;
  const { stdout } = await shell(script, place).ended;
  expect(
    rowsOf(stdout).map(({ person_id, profnet_num_id, pdi_status }) => [
      person_id,
      profnet_num_id,
      pdi_status,
    ]),
  ).toEqual([
    ['per_sample1', '700000001', 'ok'],
    ['', '', 'not_found'],
    ['', '', 'invalid'],
    ['per_sample3', '9007199254740993', 'ok'],
  ]);
});
