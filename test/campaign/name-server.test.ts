/** A name server that says nothing: the process ends in time all the same, though the system goes on asking it. */
import { execFileSync } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needs } from '../support/needs.ts';
import { newFolder } from '../support/run.ts';
import { eventually, withNameServer } from './process.ts';

/** Nobody else's, of the machine's own addresses. */
const address = '127.94.31.7';

/** Only who may mount can give a process another name server; musl's system has a time of its own. */
function isPossible(): boolean {
  try {
    execFileSync('unshare', ['-m', 'mount', '--bind', '/etc/resolv.conf', '/etc/resolv.conf'], {
      stdio: 'ignore',
    });
    return JSON.stringify(process.report.getReport()).includes('glibcVersionRuntime');
  } catch {
    return false;
  }
}

describe(
  'a silent name server',
  needs(isPossible(), 'no process can be given another name server here'),
  () => {
    let server: Socket;
    let questions = 0;
    beforeAll(async () => {
      server = createSocket('udp4').on('message', () => {
        questions += 1;
      });
      server.bind(53, address);
      await once(server, 'listening');
    });
    afterAll(() => void server.close());

    /** Starts a command, and tells when it asked for the name. */
    function asking(argv: readonly string[]) {
      const before = questions;
      const running = withNameServer(address, argv, {
        home: newFolder(),
        baseUrl: 'https://service.example/api/v1',
      });
      const asked = eventually(() => (questions > before ? performance.now() : undefined));
      return { ...running, asked };
    }

    it.each([
      ['--timeout', ['person', 'per_1', '--timeout', '0.3', '--retries', '0']],
      ['health --timeout', ['health', '--timeout', '0.3', '--retries', '0']],
      ['health --wait', ['health', '--wait', '0.3']],
    ])('does not hold a process up beyond %s', async (_name, argv) => {
      const { code, stderr } = await asking(argv).ended;
      expect([code, stderr]).toEqual([
        5,
        expect.stringMatching(
          /name server did not answer|no connection within 0\.3 s|did not answer within 0\.3 s/,
        ),
      ]);
    });

    it('nor beyond the second Ctrl-C', async () => {
      const { child, asked, ended } = asking(['person', 'per_1']);
      const askedAt = await asked;
      child.kill('SIGINT');
      await eventually(() => (performance.now() - askedAt > 100 ? true : undefined));
      child.kill('SIGINT');
      expect((await ended).signal).toBe('SIGINT');
    });
  },
);
