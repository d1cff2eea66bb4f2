/** No way to the service: certificates that are wrong, proxies that refuse, names that nobody knows. Nothing is billed, no key leaves. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { TlsOptions } from 'node:tls';
import { describe } from 'vitest';
import { needsProgram } from '../support/needs.ts';
import { freePort, listening } from '../support/origin.ts';
import { answerOf, rawOrigin } from '../support/raw-origin.ts';
import { personIds } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import { linesFile } from '../support/service.ts';
import { campaign } from './campaign.ts';
import { createAuthority } from './certificates.ts';
import { long } from './effort.ts';
import { pdi } from './process.ts';
import type { Case, Check } from './tally.ts';
import { checkManners } from './whole.ts';

const key = 'sandbox-key-full';
const nowhere = 'https://service.invalid/api/v1';
/** A job of four calls, each sent twice, with as many again for a pool to try. */
const mostTries = 16;
const effort = { atOnce: long ? 2 : 4 };

/** Where the program is sent, and how often the key arrived. */
interface Way {
  readonly baseUrl: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly keysSeen: () => number;
  /** Connections that were made. */
  readonly tries?: () => number;
  close(): Promise<void>;
}

type Obstacle = readonly [
  name: string,
  says: RegExp,
  open: () => Promise<Way>,
  /** `code`: 0 where there is no obstacle: the proof that the others end for their reason; `hangs`: until the client's patience ends. */
  more?: { readonly code?: 0 | 5; readonly hangs?: boolean },
];

describe('no way to the service', () => {
  campaign('no way: proxies, names', effort, () => casesOf(proxiesAndNames));
});

describe('no way to the service through TLS', needsProgram('openssl'), () => {
  campaign('no way: certificates', effort, () => casesOf(certificates()));
});

const commands: readonly (() => readonly string[])[] = [
  () => ['person', 'per_1'],
  ...(long ? [() => ['resolve', 'ada'], () => ['person', '-i', linesFile(personIds(4))]] : []),
];

const casesOf = (obstacles: readonly Obstacle[]): readonly Case[] =>
  obstacles.flatMap((obstacle) =>
    commands.map((argv) => ({
      name: `${obstacle[0]}: ${argv()[0]}`,
      run: (check) => tryOne(check, obstacle, argv()),
    })),
  );

async function tryOne(
  check: Check,
  [, says, open, { code = 5, hangs = false } = {}]: Obstacle,
  argv: readonly string[],
): Promise<void> {
  const { baseUrl, env = {}, keysSeen, tries = () => 0, close } = await open();
  const timeout = hangs ? '1' : '60';
  const place = { home: newFolder(), baseUrl, env };
  const end = await pdi([...argv, '-o', 'json', '--timeout', timeout, '--retries', '1'], place)
    .ended;
  await close();
  check(tries() <= mostTries, 'broken', `${tries()} connections`);
  checkManners(check, end, 'json', key);
  check(end.code === code, 'broken', `exit ${end.code}, not ${code}: ${end.stderr}`);
  check(says.test(end.stderr + end.stdout), 'broken', `does not say ${says}: ${end.stderr}`);
  check(
    code === 0 || !/"billed":"(?:yes|unknown)"/.test(end.stderr),
    'broken',
    `may have been billed: ${end.stderr}`,
  );
  check(code === 0 || keysSeen() === 0, 'keys seen', 'the key left this machine');
}

/** A TLS service that answers, with this certificate. */
async function behind(
  tls: TlsOptions,
  trusted: string | undefined,
  scheme = 'https',
): Promise<Way> {
  const service = await rawOrigin(({ socket, sound }) => void socket.write(answerOf(sound)), tls);
  return {
    baseUrl: `${scheme}://localhost:${service.port}/api/v1`,
    env: trusted === undefined ? {} : { NODE_EXTRA_CA_CERTS: trusted },
    keysSeen: service.requests,
    close: service.close,
  };
}

/** Node's own server closes where the client shows no certificate; openssl's says why, as most servers do. */
async function wantingCertificate(
  { key: own, cert }: { readonly key: Buffer; readonly cert: Buffer },
  trusted: string,
): Promise<Way> {
  const folder = newFolder();
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  writeFileSync(keyFile, own);
  writeFileSync(certFile, cert);
  const port = await freePort();
  const options = [
    '-accept',
    String(port),
    '-key',
    keyFile,
    '-cert',
    certFile,
    '-Verify',
    '1',
    '-verify_return_error',
    '-www',
  ];
  const server = spawn('openssl', ['s_server', ...options], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await new Promise<void>((resolve) =>
    server.stdout.on('data', (text) => String(text).includes('ACCEPT') && resolve()),
  );
  return {
    baseUrl: `https://localhost:${port}/api/v1`,
    env: { NODE_EXTRA_CA_CERTS: trusted },
    keysSeen: () => 0,
    close: () => new Promise((resolve) => void server.once('close', () => resolve()).kill()),
  };
}

function certificates(): readonly Obstacle[] {
  const authority = createAuthority();
  const here = 'DNS:localhost,IP:127.0.0.1';
  const right = authority.vouch(here, 2);
  const wrong = authority.vouch('DNS:other.example', 2);
  const old = authority.vouch(here, -1);
  const wanting: TlsOptions = { ...right, requestCert: true, maxVersion: 'TLSv1.2' };
  const outdated: TlsOptions = {
    ...right,
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1.1',
    ciphers: 'DEFAULT:@SECLEVEL=0',
  };
  return [
    ['a good certificate', /per_/, () => behind(right, authority.file), { code: 0 }],
    [
      'the name of another',
      /the certificate is for another host/,
      () => behind(wrong, authority.file),
    ],
    [
      'expired',
      /expired, or the clock of this machine is wrong/,
      () => behind(old, authority.file),
    ],
    [
      'a wanted client certificate',
      /wants a client certificate/,
      () => wantingCertificate(right, authority.file),
    ],
    [
      'a client certificate in TLS 1.2',
      /client certificate|TLS handshake/,
      () => behind(wanting, authority.file),
    ],
    [
      'TLS 1.1 alone',
      /no version or cipher of TLS that is safe today/,
      () => behind(outdated, authority.file),
    ],
    [
      'asked in plain HTTP',
      /its address begins with https:/,
      () => behind(right, authority.file, 'http'),
    ],
    [
      'of an authority nobody trusts',
      /name the file of its certificate in NODE_EXTRA_CA_CERTS/,
      () => behind(right, undefined),
    ],
  ];
}

/** A proxy that says `words` to whoever asks it for a way. */
async function proxy(words: string): Promise<Way> {
  let [keys, tries] = [0, 0];
  const server = createServer((socket) => {
    tries += 1;
    socket
      .on('error', () => {})
      .on('data', (chunk) => {
        if (chunk.includes(key)) keys += 1;
        if (words === '') socket.destroy();
        else socket.end(words);
      });
  });
  const port = await listening(server);
  return {
    baseUrl: nowhere,
    env: { HTTPS_PROXY: `http://127.0.0.1:${port}` },
    keysSeen: () => keys,
    tries: () => tries,
    close: () => closed(server),
  };
}

const closed = (server: ReturnType<typeof createServer>): Promise<void> =>
  new Promise((resolve) => void server.close(() => resolve()));

const nothing = { baseUrl: nowhere, keysSeen: () => 0, close: async () => {} };

/** A host that takes connections and speaks no TLS: it says this, or never a word. */
async function withoutTls(words?: string): Promise<Way> {
  const server = createServer((socket) => {
    socket.on('error', () => {}).resume();
    if (words !== undefined) socket.end(words);
  });
  const port = await listening(server);
  return {
    baseUrl: `https://127.0.0.1:${port}/api/v1`,
    keysSeen: () => 0,
    close: () => closed(server),
  };
}

const freeAddress = async () => `http://127.0.0.1:${await freePort()}`;

const proxiesAndNames: readonly Obstacle[] = [
  [
    'a proxy that says 403',
    /403|proxy/i,
    () => proxy('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n'),
  ],
  [
    'a proxy that wants a password',
    /407|proxy/i,
    () => proxy('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n'),
  ],
  ['a proxy that speaks no HTTP', /./, () => proxy('SSH-2.0-x\r\n')],
  ['a proxy that hangs up', /proxy closed/, () => proxy('')],
  [
    'a proxy that is not there',
    /the proxy refused the connection/,
    async () => ({ ...nothing, env: { HTTPS_PROXY: await freeAddress() } }),
  ],
  ['a name that nobody knows', /host name|name server|no connection/, async () => nothing],
  [
    'a port that nobody listens on',
    /refused/,
    async () => ({ ...nothing, baseUrl: `${await freeAddress()}/api/v1` }),
  ],
  [
    'a port that speaks no TLS',
    /does not speak TLS/,
    () => withoutTls('HTTP/1.1 400 Bad Request\r\n\r\n'),
  ],
  [
    'a host that never answers the handshake',
    /no connection within/,
    () => withoutTls(),
    { hangs: true },
  ],
];
