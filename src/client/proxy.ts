/** Reads the usual proxy variables of the environment as curl reads them. Pure. */
import { UsageError } from '../errors.ts';

/** Proxy addresses are whole URLs; `noProxy` lists the exceptions. */
export interface ProxySettings {
  readonly httpProxy?: string;
  readonly httpsProxy?: string;
  readonly noProxy?: string;
}

/** ALL_PROXY is for schemes without a variable. @throws UsageError naming the variable but not its value, which may hold a password */
export function proxyFrom(env: Readonly<Record<string, string | undefined>>): ProxySettings | undefined {
  const httpProxy = addressIn(env, ['http_proxy', 'HTTP_PROXY', ...forAll]);
  const httpsProxy = addressIn(env, ['https_proxy', 'HTTPS_PROXY', ...forAll]);
  const noProxy = env.no_proxy || env.NO_PROXY;
  if (httpProxy === undefined && httpsProxy === undefined) return undefined;
  return { ...(httpProxy && { httpProxy }), ...(httpsProxy && { httpsProxy }), ...(noProxy && { noProxy }) };
}

const forAll = ['all_proxy', 'ALL_PROXY'];

function addressIn(env: Readonly<Record<string, string | undefined>>, names: readonly string[]): string | undefined {
  const name = names.find((candidate) => env[candidate]);
  const written = name === undefined ? '' : (env[name] ?? '').trim();
  if (name === undefined || written === '') return undefined;
  if (/^["'`\u2018-\u201f]|["'`\u2018-\u201f]$/.test(written)) {
    throw new UsageError(`${name} stands in quotes`, { item: name, hint: 'leave the quotes out: http://HOST:PORT' });
  }
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(written) ? written : `http://${written}`;
  // A proxy has no paths. curl passes over one, and undici refuses it.
  const address = whole.replace(/^([^:]+:\/\/[^/?#\\]*).*$/s, '$1');
  if (isProxyAddress(address)) return address;
  throw new UsageError(`${name} is not the address of a proxy`, { item: name, hint: 'write it as http://HOST:PORT, or unset it' });
}

const schemes: ReadonlySet<string> = new Set(['http:', 'https:', 'socks:', 'socks5:', 'socks5h:']);

/** Name and password must be decodable too, because they go into a header. */
function isProxyAddress(address: string): boolean {
  try {
    const { protocol, hostname, username, password } = new URL(address);
    decodeURIComponent(username + password);
    // `http:/HOST` has lost a slash.
    return schemes.has(protocol) && hostname !== '' && !/^https?$/.test(hostname);
  } catch {
    return false;
  }
}
