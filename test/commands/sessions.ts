/** Texts whose sessions are played on every engine of the book: with what stands in them, and their services. */
import { hostname, userInfo } from 'node:os';
import { addDays } from '../../src/rows/days.ts';
import { dated, feedPage, personIds } from '../support/records.ts';
import { fileOf, keeping, key, origin, sandbox } from '../support/service.ts';
import type { Services } from '../support/transcript-stage.ts';

type Played = readonly [path: string, values: Readonly<Record<string, string>>, services: Services];

const losing = (first: number) => () =>
  sandbox({ faultRule: ({ number }) => (number <= first ? 'drop-after-billing' : undefined) });
const now = new Date().toISOString();

export const spend: Played = [
  'test/commands/spend.txt',
  {
    today: now.slice(0, 10),
    month: now.slice(0, 7),
    long: 'w'.repeat(250),
    comma: ',',
    user: userInfo().username,
    host: hostname(),
  },
  { lostOne: losing(1), lostTwo: losing(2) },
];

/** The first calls of two persons get no answer, and one of them is billed. */
async function losingTwo() {
  const faults = new Map([
    ['per_sample1', 'reset'],
    ['per_sample2', 'drop-after-billing'],
  ] as const);
  const faultRule = ({ item }: { readonly item: string }) => {
    const fault = [...faults].find(([of]) => of === item);
    if (fault !== undefined) faults.delete(fault[0]);
    return fault?.[1];
  };
  return sandbox({ faultRule });
}

export const against: Played = [
  'test/commands/against.txt',
  {
    now,
    east: new Date(Date.parse(now) + 2 * 3_600_000).toISOString().replace('Z', '+02:00'),
    unix: String(Date.parse(now)).slice(0, 10),
    day: now.slice(0, 10),
    yesterday: addDays(now.slice(0, 10), -1),
    tomorrow: addDays(now.slice(0, 10), 1),
  },
  { losing: losingTwo },
];

/** A book that has two persons, a company and an investor. */
export async function kept(env: Readonly<Record<string, string>> = {}) {
  const served = await keeping(sandbox(), env);
  await served.pdi('person per_sample1 per_sample2 -q');
  await served.pdi('revenue company-1 -q');
  await served.pdi(['investors', '--name', 'Sample Harbor Ventures 1', '-q']);
  return served;
}

export const store = (env?: () => Readonly<Record<string, string>>): Played => [
  'test/commands/store.txt',
  { wide: fileOf('wide.csv', Buffer.from('\ufeffid\nper_sample1\n', 'utf16le')) },
  { kept: () => kept(env?.()) },
];

export const versions: Played = ['test/commands/versions.txt', {}, {}];

export const budget: Played = [
  'test/commands/budget.txt',
  {
    eight: personIds(8).join('\\n'),
    six: personIds(6).join(' '),
    job: 'person -i ./ids --out ./people.csv -o csv --fields person_id',
    usedUp: 'the budget of 5 calls a month is used up this month (UTC)',
    none: '',
  },
  {},
];

export const feedOf = (count: number) =>
  origin(({ path }) => ({ json: feedPage(path, dated(0, count)) }));

export const delivering = ['feed', '--since-last', '--after', '0001-01-01', '--deliver'];

export const deliver: Played = [
  'test/commands/deliver.txt',
  {
    deliver: delivering.join(' '),
    path: process.env.PATH ?? '',
    key,
    seventy: dated(0, 70)
      .map(({ signal_id }) => JSON.stringify({ signal_id }))
      .join('\\n'),
  },
  Object.fromEntries(
    [3, 5, 70, 120, 300, 1000].map((count) => [`feed${count}`, () => feedOf(count)]),
  ),
];
