/** A host of several addresses on a slow network: the first one that answers has time to do so. */
import { spawn } from 'node:child_process';
import dns from 'node:dns';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { needsLinux } from '../support/needs.ts';
import { clientFor, getPerson, ok, person } from './calling.ts';

/** Takes two connections before it accepts them, and leaves the next ones to be tried again, which the system does after a second. */
const slowServer = `
  const body = ${JSON.stringify(JSON.stringify(ok.json))};
  const server = require('node:http').createServer((_, answer) => answer.end(body));
  server.listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => console.log(server.address().port));
`;

test('a connection may take a second although there is another address', needsLinux, async () => {
  const server = spawn(process.execPath, ['--eval', slowServer]);
  onTestFinished(() => void server.kill('SIGKILL'));
  const [line] = await once(createInterface(server.stdout), 'line');
  const port = Number(line);
  server.kill('SIGSTOP');
  for (const _ of [1, 2]) {
    const socket = connect({ host: '127.0.0.1', port });
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
  }
  const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
  const { lookup } = dns;
  onTestFinished(() => void Object.assign(dns, { lookup }));
  const ofBoth = (_name: string, _how: object, done: (error: null, found: object) => void) => {
    done(null, addresses);
    setImmediate(() => server.kill('SIGCONT'));
  };
  Object.assign(dns, { lookup: ofBoth });
  const options = { timeoutMs: 24_000, retries: 0 };
  const { client } = await clientFor(`http://far.test:${port}/api/v1`, options);
  expect((await client.call(getPerson, person)).status).toBe(200);
});
