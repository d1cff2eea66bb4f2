/** Answers 50 items of a journal, sends one more, says so and stays: `journal-run PATH`. Exit code 2 where the journal is in use. */
import { writeSync } from 'node:fs';
import { UsageError } from '../../../src/errors.ts';
import { openJournal } from '../../../src/money/journal-open.ts';
import { readRecord } from '../../../src/rows/record.ts';
import { identity, realProcesses } from './parts.ts';

const [path = ''] = process.argv.slice(2);
try {
  const options = { path, identity, processes: realProcesses, clock: () => new Date() };
  const journal = await openJournal({ ...options, restart: false, billable: true, retryUnknown: false });
  for (let number = 0; number < 50; number += 1) {
    await journal.sent(`per_${number}`);
    await journal.answeredAll([`per_${number}`], [{ status: 'ok', record: readRecord(`{"person_id":"per_${number}"}`) }]);
  }
  await journal.sent('per_last');
  writeSync(1, 'ready\n');
  setInterval(() => undefined, 1000);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.exitCode = 2;
}
