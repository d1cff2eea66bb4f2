/** The tables of the commands as a terminal shows them, with the records of the sandbox. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cellWidth } from '../../src/output/display.ts';
import { landmarks } from '../sandbox/landmarks.ts';
import { needsPosix } from '../support/needs.ts';
import { inSandbox, run } from '../support/run.ts';
import { newFile } from '../support/service.ts';

const { person, company, investor, searches, lists } = landmarks;

const tables: readonly (readonly [string, readonly string[]])[] = [
  ['feed', ['feed', '--limit', '4']],
  ['company lists', ['lists', 'companies', 'list']],
  ['network', ['network', '--limit', '4']],
  ['investors of one name', ['investors', '--name', investor.sharedName]],
  [
    'people',
    [
      'person',
      person.id,
      landmarks.hostile.formula,
      landmarks.hostile.escapes,
      landmarks.unknownPerson,
    ],
  ],
  ['revenues', ['revenue', company.withRevenue, company.withoutRevenue, company.unknown]],
  ['resolved', ['resolve', person.slug, person.url, 'nobody-of-this-name']],
  ['searches', ['searches', 'talent', searches.talent, searches.globalTalent, searches.empty]],
];
const cards: readonly (readonly [string, readonly string[]])[] = [
  ['person', ['person', landmarks.hostile.escapes]],
  ['revenue', ['revenue', company.withRevenue]],
  ['investor list', ['lists', 'investors', 'get', lists.investors.shared]],
  ['investor', ['investors', '--name', investor.name]],
  ['health', ['health']],
];

/** Without pictures; a quiet health check would print nothing at all. */
const shownAt = async (argv: readonly string[], columns: number) => {
  const quiet = argv[0] === 'health' ? [] : ['--quiet'];
  return (await run([...inSandbox, ...quiet, '--no-color', ...argv], { terminal: true, columns }))
    .stdout;
};

describe('on a terminal of 80 cells', () => {
  it.each([...tables, ...cards])('%s', async (_name, argv) => {
    expect(await shownAt(argv, 80)).toMatchSnapshot();
  });
});

it.each([...tables, ...cards])(
  '%s at every width from 40 to 300: nothing is too wide but an id, and no id is cut',
  async (_name, argv) => {
    const members = argv.includes(landmarks.lists.investors.shared)
      ? ['inv_sample1', 'inv_sample8']
      : [];
    const ids = [
      ...members,
      ...argv.filter((word) => word === person.id || /^company-\d/.test(word)),
    ];
    for (const width of [40, 53, 60, 73, 97, 133, 200, 300]) {
      const text = await shownAt(argv, width);
      for (const line of text.split('\n')) expect(cellWidth(line), line).toBeLessThanOrEqual(width);
      expect(text).not.toMatch(/[^\P{Cc}\n]/u);
      for (const id of ids) expect(text).toContain(id);
    }
  },
);

it('what stands first: the field itself where --fields names it', async () => {
  const text = await shownAt(['feed', '--limit', '2', '--fields', 'signal_date,company.name'], 80);
  expect(text.split('\n')[0]).toBe('signal_date  company.name');
  expect(text).not.toContain('Ada Sample-1');
});

it(
  'a card that is taller than the terminal goes to PAGER, where that can run',
  needsPosix,
  async () => {
    const file = newFile();
    const shown = (rows: number, pager: string) =>
      run(['--sandbox', 'person', person.id], { terminal: true, rows, env: { PAGER: pager } });
    expect([(await shown(10, `sh -c 'cat > ${file}'`)).stdout, readFileSync(file, 'utf8')]).toEqual(
      ['', expect.stringContaining(person.id)],
    );
    for (const [rows, pager] of [
      [500, `sh -c 'cat > ${file}'`],
      [10, '/nowhere/less'],
      [10, "an 'open quote"],
    ] as const)
      expect(await shown(rows, pager)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(person.id),
      });
  },
);
