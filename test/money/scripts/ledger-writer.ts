/** Writes calls to a ledger until told how many: `ledger-writer DIRECTORY PROFILE COUNT`. */
import { openLedger } from '../../../src/money/ledger.ts';

const [directory = '', profile = '', count = '0'] = process.argv.slice(2);
const ledger = await openLedger({ directory, clock: () => new Date() });
const call = {
  profile,
  command: 'person',
  operation: 'GET /people/{personId}',
  baseUrl: 'https://api.example.test/api/v1',
  billing: 'charged',
  sandbox: false,
} as const;
for (let number = 0; number < Number(count); number += 1) {
  const { id } = await ledger.sent({ ...call, item: `per_${number}` });
  await ledger.outcome(id, number % 2 === 0 ? 'billed' : 'not_billed');
}
ledger.close();
