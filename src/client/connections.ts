import { isIP, type Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { attempt, UsageError } from '../errors.ts';
import { parseUrl } from '../rows/url.ts';
import { causeCodeOf } from './transport.ts';

type Connector = ReturnType<typeof buildConnector>;

interface ProxySettings {
  readonly httpProxy?: string;
  readonly httpsProxy?: string;
  readonly noProxy?: string;
}

export interface ConnectionOptions {
  readonly concurrency: number;
  /** Then a connection is given up, because one that still waits keeps the process from ending. */
  readonly timeoutMs: number;
  readonly proxy?: ProxySettings | undefined;
  readonly beforeConnecting?: (() => void) | undefined;
}

export async function openConnections(
  origin: string,
  options: ConnectionOptions,
): Promise<Dispatcher> {
  // Where only the other scheme has a proxy, undici would take that one.
  const address = origin.startsWith('https:')
    ? options.proxy?.httpsProxy
    : options.proxy?.httpProxy;
  if (options.proxy === undefined || address === undefined)
    return openPool(origin, options, straight(options));
  return await throughProxy(options.proxy, options);
}

const longestProbeMs = 500;

/** Whether a port takes a TLS handshake. Nothing is sent in it, whoever answers. */
export async function speaksTls({ hostname, port }: URL): Promise<boolean> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const servername = isIP(host) === 0 ? { servername: host } : {};
  // It loads large parts of Node that most runs do not need.
  const { connect } = await import('node:tls');
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port: Number(port) || 80,
      rejectUnauthorized: false,
      ...servername,
    });
    const end = (isTls: boolean) => {
      socket.destroy();
      resolve(isTls);
    };
    socket
      .setTimeout(longestProbeMs, () => end(false))
      .on('error', () => end(false))
      .on('end', () => end(false))
      .on('secureConnect', () => end(true));
  });
}

/** So many addresses of a host are tried one after the other; over a satellite none answers within Node's quarter of a second. */
const addressesWithin = 12;

function straight({ timeoutMs, beforeConnecting }: ConnectionOptions): Connector {
  const connect = buildConnector({
    timeout: timeoutMs,
    autoSelectFamilyAttemptTimeout: Math.max(250, Math.ceil(timeoutMs / addressesWithin)),
  });
  return (target, done) => {
    beforeConnecting?.();
    connect(target, done);
  };
}

function openPool(
  origin: string | URL,
  { concurrency: connections }: ConnectionOptions,
  connect: Connector,
): Dispatcher {
  const passing: Connector = (target, done) =>
    connect(target, (...came) =>
      came[0] === null ? done(null, endingByError(came[1])) : done(...came),
    );
  return new Pool(origin, {
    connections,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: passing,
  });
}

/** TLS may go on to an orderly end after an error that says why, and undici would tell the end alone. */
const endingByError = (socket: Socket): Socket => socket.once('error', () => socket.destroy());

async function throughProxy(proxy: ProxySettings, options: ConnectionOptions): Promise<Dispatcher> {
  const { default: EnvHttpProxyAgent } = await import(
    'undici/lib/dispatcher/env-http-proxy-agent.js'
  );
  const { default: connect } = await import('undici/lib/api/api-connect.js');
  const toProxy = straight(options);
  return new EnvHttpProxyAgent({
    // Empty strings stop undici from reading the environment itself.
    ...{ httpProxy: '', httpsProxy: '', noProxy: '' },
    ...proxy,
    // undici's own limit for TLS in a tunnel is ten seconds.
    requestTls: { timeout: options.timeoutMs },
    // undici's main module, which is not loaded here, would add the method to every dispatcher.
    clientFactory: (address) =>
      Object.assign(
        new Pool(address, { connect: (target, done) => toProxy(byName(target), done) }),
        {
          connect,
        },
      ),
    // undici decides which hosts need no proxy, and gives no tunnel for them.
    factory: (origin: string | URL, settings: object) =>
      openPool(origin, options, tunnelIn(settings, origin) ?? toProxy),
  });
}

/** undici gives TLS the host of the proxy as a name, and Node warns on stderr where it is an IP address. */
const byName = ({ servername = '', ...asked }: Parameters<Connector>[0]) =>
  isIP(servername) === 0 ? { ...asked, servername } : asked;

const isConnector = (value: unknown): value is Connector => typeof value === 'function';

/** Where a proxy hangs up, or sends a page of its own, undici reconnects thousands of times a second without a pause: here that becomes a failure. */
function tunnelIn(settings: object, origin: string | URL): Connector | undefined {
  const tunnel: unknown = Reflect.get(settings, 'connect');
  if (!isConnector(tunnel)) return undefined;
  return (target, done) =>
    tunnel(target, (...came) => {
      if (came[0] !== null) done(ofProxy(came[0], origin), null);
      else if (came[1].readableLength === 0) done(...came);
      else {
        came[1].destroy();
        done(pageOfProxy(), null);
      }
    });
}

const pageOfProxy = () =>
  Object.assign(new Error('the proxy sends a page of its own, and no connection'), {
    code: 'PROXY_STATUS',
  });

/** Codes of our own: the proxy failed, so the service was not reached. */
const proxyCodes: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: 'PROXY_CLOSED',
  ECONNREFUSED: 'PROXY_REFUSED',
};

function ofProxy(error: Error, origin: string | URL): Error {
  const [, status] = /^Proxy response \((\d+)\)/.exec(error.message) ?? [];
  if (status !== undefined) {
    // With 502, 503 and 504 a proxy says what a refused connection says without a proxy.
    const code = /^50[234]$/.test(status) ? 'PROXY_UNAVAILABLE' : 'PROXY_STATUS';
    return Object.assign(new Error(wordsOfProxy(status, origin)), { code });
  }
  const code = proxyCodes[causeCodeOf(error)];
  return code === undefined ? error : Object.assign(new Error(code, { cause: error }), { code });
}

function wordsOfProxy(status: string, origin: string | URL): string {
  if (status !== '407') return `the proxy opens no connection to the service, it answers ${status}`;
  const variable = new URL(origin).protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  return `the proxy wants a name and password (407): ${variable}=http://NAME:PASSWORD@HOST:PORT`;
}

/** As curl reads the variables. @throws UsageError naming the variable but not its value, which may hold a password */
export function proxyFrom(
  env: Readonly<Record<string, string | undefined>>,
): ProxySettings | undefined {
  const httpProxy = addressIn(env, ['http_proxy', 'HTTP_PROXY', ...forAll]);
  const httpsProxy = addressIn(env, ['https_proxy', 'HTTPS_PROXY', ...forAll]);
  const noProxy = hostsIn(env.no_proxy || env.NO_PROXY || '');
  if (httpProxy === undefined && httpsProxy === undefined) return undefined;
  return {
    ...(httpProxy && { httpProxy }),
    ...(httpsProxy && { httpsProxy }),
    ...(noProxy && { noProxy }),
  };
}

/** undici takes an IPv6 address in the form alone that URLs have: in brackets, and shortened. */
function hostsIn(list: string): string {
  const hosts = list.split(/[\s,]+/).filter((host) => host !== '');
  return hosts
    .map((host) => parseUrl(`http://[${host.replace(/^\[(.*)\]$/, '$1')}]`)?.hostname ?? host)
    .join(',');
}

const forAll = ['all_proxy', 'ALL_PROXY'];

function addressIn(
  env: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): string | undefined {
  const name = names.find((candidate) => env[candidate]);
  const written = name === undefined ? '' : (env[name] ?? '').trim();
  if (name === undefined || written === '') return undefined;
  if (/^["'`\u2018-\u201f]|["'`\u2018-\u201f]$/.test(written)) {
    throw new UsageError(`${name} is in quotes`, {
      item: name,
      hint: 'leave the quotes out: http://HOST:PORT',
    });
  }
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(written) ? written : `http://${written}`;
  // A proxy has no paths. curl passes over one, and undici refuses it.
  const address = whole.replace(/^([^:]+:\/\/[^/?#\\]*).*$/s, '$1');
  if (/^socks/i.test(address)) {
    throw new UsageError(`${name} names a SOCKS proxy, and pdi speaks to HTTP proxies alone`, {
      item: name,
      hint: `${name}=http://HOST:PORT where that proxy also speaks HTTP, or ${name}= for no proxy`,
    });
  }
  if (isProxyAddress(address)) return address;
  throw new UsageError(`${name} is not the address of a proxy`, {
    item: name,
    hint: 'write it as http://HOST:PORT, or unset it',
  });
}

/** Name and password go into a header, so each must be decodable too. */
function isProxyAddress(address: string): boolean {
  const { protocol = '', hostname = '', username = '', password = '' } = parseUrl(address) ?? {};
  const isDecodable = attempt(() => decodeURIComponent(`${username}:${password}`)) !== undefined;
  // `http:/HOST` has lost a slash.
  return isDecodable && /^https?:$/.test(protocol) && hostname !== '' && !/^https?$/.test(hostname);
}
