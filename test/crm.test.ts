/** What becomes of a CRM as it is: 3,000 rows with identifiers of every form (contract, section Bulk input). */
import { expect, it } from 'vitest';
import { inventDataset } from '../src/sandbox/world.ts';
import { type CrmRow, crmCsv, crmRows } from './support/crm.ts';
import { fileOf, rowsOf, sandbox } from './support/service.ts';

const people = 3000;
const crm = crmRows(inventDataset({ people, seed: 1 }).names, { rows: 3000, seed: 22 });

interface JoinedRow extends CrmRow {
  readonly status: string | undefined;
  readonly id: string | undefined;
  readonly matchedBy: string | undefined;
  readonly own: readonly (string | undefined)[];
}

async function joinedBy(column: string): Promise<{ readonly rows: readonly JoinedRow[]; readonly requests: number }> {
  const { service, pdi } = await sandbox({ people });
  const { stdout } = await pdi(['resolve', '-i', fileOf('crm.csv', crmCsv(crm)), '--column', column, '-o', 'csv', '-q']);
  const found = rowsOf(stdout);
  expect(found).toHaveLength(crm.length);
  const rows = crm.map((row, at): JoinedRow => {
    const { pdi_status: status, pdi_matched_by: matchedBy, contact, link, handle, ...columns } = found[at] ?? {};
    return { ...row, status, matchedBy, id: columns['matches.0.person_id'] ?? columns.person_id, own: [contact, link, handle] };
  });
  return { rows, requests: Object.values(service.requests()).reduce((sum, count) => sum + count, 0) };
}

const isFound = ({ status }: JoinedRow): boolean => status === 'ok';
const isOfSomebodyElse = (row: JoinedRow): boolean => isFound(row) && row.id !== row.person.personId;
const shareOf = (rows: readonly JoinedRow[]): number => Math.round((rows.filter(isFound).length / rows.length) * 1000) / 10;

it('by its links, resolves every row whose link tells the person, and leaves the others', async () => {
  const { rows } = await joinedBy('link');
  expect(shareOf(rows)).toBe(93.9);
  expect(shareOf(rows.filter(({ isHopeless }) => !isHopeless))).toBe(100);
  expect(shareOf(rows.filter(({ isHopeless }) => isHopeless))).toBe(0);
  expect(rows.filter(isOfSomebodyElse)).toEqual([]);
  expect(rows.map(({ own }) => own)).toEqual(crm.map(({ link, handle }, at) => [`C-${at + 1}`, link, handle]));
});

it('by links and handles, resolves nearly all of the rest, by few requests more', async () => {
  const { rows, requests } = await joinedBy('link,handle');
  expect(rows.filter((row) => isFound(row) !== (!row.isHopeless || row.handle !== ''))).toEqual([]);
  expect(rows.filter(isOfSomebodyElse)).toEqual([]);
  expect(rows.filter(({ matchedBy }) => matchedBy === 'handle').every(({ isHopeless }) => isHopeless)).toBe(true);
  expect(shareOf(rows)).toBeGreaterThanOrEqual(98);
  expect(requests).toBeLessThanOrEqual(65);
});

const neverMeant = [
  'blank',
  'filler',
  'mail address',
  'company page',
  'page of the sales tool',
  'search page',
  'spoilt number',
  'full name',
];

it.each(['revenue', 'person', 'searches talent'])('%s asks for no row that cannot be meant', async (command) => {
  const { service, pdi } = await sandbox({ people });
  const rows = crm.filter(({ form }) => neverMeant.includes(form));
  expect(rows.length).toBeGreaterThan(100);
  const argv = [...command.split(' '), '-i', fileOf('crm.csv', crmCsv(rows)), '--column', 'link', '-o', 'csv', '-q'];
  const { code, stdout } = await pdi(argv);
  expect([code, rowsOf(stdout).map(({ pdi_status }) => pdi_status)]).toEqual([8, rows.map(() => 'invalid')]);
  expect([service.bill(), service.requests()]).toEqual([[], {}]);
});
