import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { personIds } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import { callsOf, linesFile, newFile, rowsIn } from '../support/service.ts';
import { billOf, eventually, journalOf, pdi, sandboxProcess } from './process.ts';

const people = 300;
const concurrency = 8;
/** Answers in the journal at which the job is killed: far enough from its end that a busy machine is not too late. */
const moments = [1, 30, 31, 90, 140, 180];

const countOf = (items: readonly unknown[], wanted: unknown): number => items.filter((item) => item === wanted).length;

describe('a job of 300 calls, killed again and again', () => {
  it('ends with every row once, in order, bought once; the ledger agrees with the bill', { timeout: 60_000 }, async () => {
    const home = newFolder();
    const baseUrl = await sandboxProcess({ home }, '--latency', '40', '--people', '400');
    const place = { home, baseUrl };
    const ids = personIds(people);
    const out = newFile();
    const journal = `${out}.journal`;
    const limits = ['--concurrency', `${concurrency}`, '--max-billable', 'unlimited'];
    const argv = ['person', '-i', linesFile(ids), '-o', 'csv', '--fields', 'person_id,full_name', '--out', out, ...limits];
    let lost = 0;
    for (const moment of moments) {
      const { child, ended } = pdi(argv, place);
      await eventually(() => (journalOf(journal).answered >= moment ? true : undefined));
      child.kill('SIGKILL');
      expect(await ended).toMatchObject({ code: null, signal: 'SIGKILL' });
      expect(existsSync(out)).toBe(false);
      const now = journalOf(journal);
      expect(now.lost - lost).toBeLessThanOrEqual(concurrency);
      lost = now.lost;
    }
    const last = await pdi(argv, place).ended;
    const rows = rowsIn(out);
    const statuses = rows.map(({ pdi_status }) => pdi_status);
    expect(rows.map(({ input }) => input)).toEqual(ids);
    // A call that was claimed and not yet written down when the process was killed is unknown too.
    const unknown = countOf(statuses, 'unknown');
    expect([countOf(statuses, 'ok'), last.code]).toEqual([people - unknown, 8]);
    expect(unknown).toBeGreaterThanOrEqual(Math.max(lost, 1));
    expect(unknown).toBeLessThanOrEqual(concurrency * moments.length);
    const bill = await billOf(baseUrl);
    expect(new Set(bill).size).toBe(bill.length);
    await expectLedgerToCover(home, bill);

    const completed = await pdi([...argv, '--retry-unknown'], place).ended;
    expect(completed.code).toBe(0);
    const bought = `${300 - unknown} from the journal, the oldest bought less than a minute ago; ${unknown} calls billed`;
    expect(completed.stderr).toContain(`pdi: 300 rows: 300 ok; ${bought}\n`);
    expect(rowsIn(out).map(({ input, person_id, pdi_status }) => [input, person_id, pdi_status])).toEqual(ids.map((id) => [id, id, 'ok']));
    expect(existsSync(journal)).toBe(false);
    const finalBill = await billOf(baseUrl);
    expect(finalBill.length).toBe(bill.length + unknown);
    await expectLedgerToCover(home, finalBill);
  });
});

/** Every billed call is `billed`, `lost` or `settled` in the ledger, and what is `billed` there is on the bill. */
async function expectLedgerToCover(home: string, bill: readonly string[]): Promise<void> {
  const ledger = await callsOf({ home });
  const bought = ledger.filter(([, outcome]) => ['billed', 'lost', 'settled'].includes(outcome)).map(([item]) => item);
  const surely = ledger.filter(([, outcome]) => outcome === 'billed').map(([item]) => item);
  for (const id of new Set(bill)) {
    expect(countOf(bought, id)).toBeGreaterThanOrEqual(countOf(bill, id));
    expect(countOf(surely, id)).toBeLessThanOrEqual(countOf(bill, id));
  }
  expect(surely.filter((item) => item === undefined || !bill.includes(item))).toEqual([]);
}
