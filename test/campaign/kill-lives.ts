/** Jobs that are killed again and again, and then completed: what they owe after each blow, and in the end. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../../src/json/exact.ts';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { personIds } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import { linesFile, stillSandbox } from '../support/service.ts';
import { luck } from './effort.ts';
import type { Ground } from './engines.ts';
import { carryOutKill, checkEnd, drawKill, isHard, type Kill } from './kill.ts';
import { checkBook, twiceIn } from './money.ts';
import { lostIn, type Place, pdi } from './process.ts';
import type { Case, Check } from './tally.ts';
import { formats, recordsOf, statusOf } from './whole.ts';

const count = 120;
const concurrency = 4;
const latency = 20;

/** What a life has at hand. */
interface Life {
  readonly check: Check;
  readonly sandbox: Sandbox;
  readonly place: Place;
  readonly random: () => number;
}

/** A case in a sandbox and a home of its own; it tells how often it was killed. */
const life = (
  name: string,
  index: number,
  env: Ground['env'],
  live: (life: Life) => Promise<number>,
): Case => ({
  name: `${name} ${index}`,
  async run(check) {
    const sandbox = await stillSandbox({ latency });
    try {
      return await live({
        check,
        sandbox,
        place: { home: newFolder(), baseUrl: sandbox.baseUrl, env },
        random: luck(name, index),
      });
    } finally {
      await sandbox.stop();
    }
  },
});

/** `person -i FILE --out FILE`, resumed after each kill: every row once, in order, bought once. */
export const jobLife = (index: number, kills: number, { env, pass }: Ground): Case =>
  life('a job with a journal', index, env, async ({ check, sandbox, place, random }) => {
    const format = formats[index % formats.length] ?? 'csv';
    const out = join(place.home, 'out');
    const ids = linesFile(personIds(count));
    const whole = [
      'person',
      '-i',
      ids,
      '-o',
      format,
      '--fields',
      'person_id,full_name',
      '--max-billable',
      '500',
    ];
    const argv = [...whole, '--out', out, '--concurrency', `${concurrency}`];
    const alone = { ...place, home: newFolder(), env: {} };
    const { stdout: sound } = await pdi(whole, alone).ended;
    const records = recordsOf(format, sound);
    const boughtBefore = sandbox.bill().length;
    const bill = () => sandbox.bill().slice(boughtBefore);
    let [lost, killed] = [0, 0];
    while (killed < kills) {
      killed += 1;
      const kill = drawKill(random);
      checkEnd(check, await carryOutKill(pdi(argv, place), kill), kill);
      if (existsSync(out))
        checkFile(check, recordsOf(format, readFileSync(out, 'utf8')), records, kill);
      if (isComplete(out)) break;
      const now = lostIn(`${out}.journal`);
      check(
        now - lost <= (isHard(kill.way) ? concurrency : 0),
        'rows lost',
        `${kill.way} lost ${now - lost} answers`,
      );
      lost = now;
      check(
        twiceIn(bill()).length === 0,
        'billed twice',
        `${kill.way}: ${twiceIn(bill()).join(', ')}`,
      );
      await pass(sandbox.baseUrl);
      await checkBook(check, place.home, bill(), place);
    }
    const resumed = isComplete(out) ? done : await pdi(argv, place).ended;
    check(
      resumed.code === 0 || resumed.code === 8,
      'broken',
      `resumed: ${resumed.code}: ${resumed.stderr}`,
    );
    check(twiceIn(bill()).length === 0, 'billed twice', `resumed: ${twiceIn(bill()).join(', ')}`);
    const last = isComplete(out) ? done : await pdi([...argv, '--retry-unknown'], place).ended;
    check(last.code === 0, 'broken', `the last run: ${last.code}: ${last.stderr}`);
    check(readFileSync(out, 'utf8') === sound, 'wrong joins', 'not what a run without kills gives');
    check(!existsSync(`${out}.journal`), 'broken', 'a journal is left');
    await checkBook(check, place.home, bill(), place);
    return killed;
  });

const done = { code: 0, stderr: '' };

/** A complete job leaves its file and no journal. */
const isComplete = (out: string): boolean => existsSync(out) && !existsSync(`${out}.journal`);

/** FILE has every row in its place, whatever became of it. */
function checkFile(
  check: Check,
  rows: readonly string[],
  sound: readonly string[],
  { way }: Kill,
): void {
  check(rows.length >= sound.length, 'rows lost', `${way}: ${rows.length} rows`);
  check(rows.length <= sound.length, 'rows doubled', `${way}: ${rows.length} rows`);
  const wrong = rows.filter((row, at) => row !== sound[at] && statusOf(row) === undefined);
  check(wrong.length === 0, 'wrong joins', `${way}: ${wrong.join('\n')}`);
}

/** `feed --all --since-last`: every signal is delivered, and twice only where a kill fell between FILE and bookmark. */
export const feedLife = (index: number, kills: number, { env, pass }: Ground): Case =>
  life('a feed with a bookmark', index, env, async ({ check, sandbox, place, random }) => {
    const run = [
      'feed',
      '--all',
      '--limit',
      '20',
      '--after',
      '2026-06-10',
      '-o',
      'ndjson',
      '--fields',
      'signal_id',
    ];
    const alone = { ...place, home: newFolder(), env: {} };
    const all = recordsOf('ndjson', (await pdi(run, alone).ended).stdout);
    const boughtBefore = sandbox.bill().length;
    const since = ['--since-last', new URL(sandbox.baseUrl).port];
    const delivered: string[] = [];
    const surely: string[] = [];
    for (let time = 0; time <= kills; time += 1) {
      const out = join(place.home, `out-${time}`);
      const kill = drawKill(random, ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGINT twice']);
      const running = pdi([...run, ...since, '--out', out], place);
      const end = time === kills ? await running.ended : await carryOutKill(running, kill);
      if (time < kills) checkEnd(check, end, kill);
      else check(end.code === 0, 'broken', `the last run: ${end.code}: ${end.stderr}`);
      const records = existsSync(out) ? recordsOf('ndjson', readFileSync(out, 'utf8')) : [];
      const again = records.filter((record) => surely.includes(record));
      check(again.length === 0, 'rows doubled', `${kill.way}: a signal was delivered again`);
      delivered.push(...records);
      if (time === kills || !isHard(kill.way)) surely.push(...records);
      await pass(sandbox.baseUrl);
      await checkBook(check, place.home, sandbox.bill().slice(boughtBefore), place);
    }
    const lost = all.filter((record) => !delivered.includes(record));
    check(lost.length === 0, 'rows lost', `${lost.length} signals were never delivered`);
    return kills;
  });

/** `config set`: the file is the one before or the one after, never half of one. */
export const configLife = (index: number, kills: number): Case => ({
  name: `a configuration ${index}`,
  async run(check) {
    const random = luck('a configuration', index);
    const place = { home: newFolder(), env: { PDI_CONFIG_DIR: join(newFolder(), 'pdi') } };
    const file = join(place.env.PDI_CONFIG_DIR, 'config.json');
    mkdirSync(place.env.PDI_CONFIG_DIR);
    await pdi(['config', 'set', 'timeout', '9', '--profile', 'other'], place).ended;
    const possible = new Set<unknown>([undefined]);
    for (let time = 1; time <= kills; time += 1) {
      const kill = {
        ...drawKill(random, ['SIGKILL', 'SIGTERM', 'SIGINT twice']),
        after: Math.floor(random() * 350),
      };
      const end = await carryOutKill(
        pdi(['config', 'set', 'max-billable', `${time}`], place),
        kill,
      );
      checkEnd(check, end, kill);
      possible.add(time);
      const config: unknown = JSON.parse(readFileSync(file, 'utf8'));
      const value = valueIn(config, 'default', 'max-billable');
      check(possible.has(value), 'broken', `${kill.way}: the file holds ${JSON.stringify(config)}`);
      check(
        valueIn(config, 'other', 'timeout') !== undefined,
        'rows lost',
        `${kill.way}: the other profile is gone`,
      );
      possible.clear();
      possible.add(value);
    }
    const last = await pdi(['config', 'set', 'max-billable', '77'], place).ended;
    check(last.code === 0, 'broken', `the last run: ${last.code}: ${last.stderr}`);
    return kills;
  },
});

function valueIn(config: unknown, profile: string, name: string): unknown {
  const profiles = isObject(config) ? config.profiles : undefined;
  const values = isObject(profiles) ? profiles[profile] : undefined;
  return isObject(values) ? values[name] : undefined;
}
