/** What the scripts and their tests agree on. */

import type { ProcessTable } from '../../../src/files/liveness.ts';
import type { JournalIdentity } from '../../../src/money/journal-lines.ts';

export const identity: JournalIdentity = {
  command: 'person',
  operation: 'GET /people/{personId}',
  baseUrl: 'https://api.example.test/api/v1',
  key: 'one key',
};

/** The machine's own processes. */
export const realProcesses: ProcessTable = {
  pid: process.pid,
  isAlive(pid) {
    try {
      return process.kill(pid, 0);
    } catch (error) {
      return error instanceof Error && 'code' in error && error.code === 'EPERM';
    }
  },
};
