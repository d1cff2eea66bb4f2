/** The way to a server of PostgreSQL: its host, TLS as `sslmode` says, certificates and password. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { connect, isIP, type Socket } from 'node:net';
import { userInfo } from 'node:os';
import type { ConnectionOptions } from 'node:tls';
import { attempt, shellWord, UsageError } from '../errors.ts';
import { ownUser } from '../files/private.ts';
import {
  type Machine,
  type PostgresAddress,
  type PostgresHost,
  passwordIn,
} from './postgres-address.ts';
import { trouble } from './postgres-failure.ts';

export const thisMachine = (platform: string, home: string | undefined): Machine => ({
  platform,
  user: attempt(() => userInfo().username),
  home,
  isThere: existsSync,
});

/** Each address of a host is given so long, because some networks drop what goes to one kind of address. */
const perAddressMs = 2500;

/** @throws the system's error, or one of our own codes */
export async function openSocket(
  address: PostgresAddress,
  host: PostgresHost,
  way: 'plain' | 'tls',
  stop: AbortSignal,
): Promise<Socket> {
  stop.throwIfAborted();
  const tls = way === 'tls' ? certificatesFor(address, host) : undefined;
  const socket = connect({
    ...host.to,
    noDelay: true,
    autoSelectFamilyAttemptTimeout: perAddressMs,
  });
  const late = `no connection within ${address.connectMs / 1000} s`;
  const timer = setTimeout(() => socket.destroy(trouble('ETIMEDOUT', late)), address.connectMs);
  const stopped = () => socket.destroy(trouble('ECONNRESET', 'stopped'));
  stop.addEventListener('abort', stopped);
  try {
    await arrival(socket, 'connect');
    return refusingStrangers(tls === undefined ? socket : await secured(socket, tls));
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
    stop.removeEventListener('abort', stopped);
  }
}

/** What comes with the event. An error that comes later is for others. */
const arrival = (socket: Socket, event: 'connect' | 'data' | 'secureConnect'): Promise<unknown> =>
  new Promise((resolve, reject) => {
    socket.once(event, resolve).on('error', reject);
    socket.once('close', () => reject(trouble('ECONNRESET', 'the connection was closed')));
  });

const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

async function secured(socket: Socket, options: ConnectionOptions): Promise<Socket> {
  socket.write(sslRequest);
  const answer = await arrival(socket, 'data');
  if (String(answer) === 'N')
    throw trouble('NO_TLS', 'the server offers no TLS, so what goes there could be read by others');
  // More than the one letter could be what somebody between has put in, to be taken for the server's.
  if (String(answer) !== 'S')
    throw trouble('NOT_POSTGRES', 'what answers there is no server of PostgreSQL');
  const { connect: connectTls } = await import('node:tls');
  const encrypted = connectTls({ ...options, socket });
  await arrival(encrypted, 'secureConnect');
  return encrypted;
}

function certificatesFor(address: PostgresAddress, host: PostgresHost): ConnectionOptions {
  const { root, certificate, key, revoked } = address;
  if (key !== undefined) refuseOpenKey(key);
  return {
    ...(isIP(host.name) === 0 && { servername: host.name }),
    host: host.name,
    rejectUnauthorized: host.checked !== 'nothing',
    ...(host.checked === 'authority' && { checkServerIdentity: () => undefined }),
    ...(root !== undefined && root !== 'system' && { ca: contentOf('sslrootcert', root) }),
    ...(revoked !== undefined && { crl: contentOf('sslcrl', revoked) }),
    ...(certificate !== undefined && { cert: contentOf('sslcert', certificate) }),
    ...(certificate !== undefined && key !== undefined && { key: contentOf('sslkey', key) }),
  };
}

function contentOf(name: string, path: string): string {
  const content = attempt(() => readFileSync(path, 'utf8'));
  if (content !== undefined) return content;
  throw new UsageError(`${name}: ${path} cannot be read`, { item: path, hint: `check ${name}` });
}

const isOpenToOthers = (path: string, ofRoot = 0o077): boolean => {
  const { mode, uid } = statSync(path);
  return ownUser() >= 0 && (mode & (uid === 0 ? ofRoot : 0o077)) !== 0;
};

/** As libpq: root's own may be read by its group. */
function refuseOpenKey(path: string): void {
  if (attempt(() => isOpenToOthers(path, 0o037)) !== true) return;
  const hint = `chmod 600 ${shellWord(path)}`;
  throw new UsageError(`sslkey: others may read ${path}`, { item: path, hint });
}

/** Undefined where there is none. A file that others may read is not used, as with libpq. */
export function passwordFor(
  address: PostgresAddress,
  host: PostgresHost,
  notice: (words: string) => void,
): string | undefined {
  const { password, passfile } = address;
  if (password !== undefined || passfile === undefined) return password;
  const isOpen = attempt(() => isOpenToOthers(passfile));
  if (isOpen === true)
    notice(`${passfile} is not used, because others may read it: chmod 600 ${shellWord(passfile)}`);
  if (isOpen !== false) return undefined;
  const content = attempt(() => readFileSync(passfile, 'utf8'));
  return content === undefined ? undefined : passwordIn(content, address, host);
}

/**
 * Its first bytes tell what is no server of PostgreSQL, or wants a proof of who we are that `postgres` does not have: that package would
 * wait for more, or write to the console.
 */
function refusingStrangers(socket: Socket): Socket {
  const push = socket.push.bind(socket);
  socket.push = (chunk, encoding) => {
    socket.push = push;
    const strange = Buffer.isBuffer(chunk) ? strangenessOf(chunk) : undefined;
    if (strange === undefined) return push(chunk, encoding);
    socket.destroy(strange);
    return false;
  };
  return socket;
}

/** Nothing asked, a plain password, MD5, SASL. */
const knownProofs = [0, 3, 5, 10];

function strangenessOf(bytes: Buffer): Error | undefined {
  if (!/^[RENv]/.test(bytes.toString('latin1', 0, 1)))
    return trouble('NOT_POSTGRES', 'what answers there is no server of PostgreSQL');
  if (bytes[0] !== 0x52 || bytes.length < 9) return undefined;
  const proof = bytes.readInt32BE(5);
  if (proof === 10 ? bytes.includes('SCRAM-SHA-256\0') : knownProofs.includes(proof))
    return undefined;
  const words = 'the server wants a proof of identity that pdi does not have (Kerberos, OAuth, …)';
  return trouble('UNKNOWN_PROOF', words);
}
