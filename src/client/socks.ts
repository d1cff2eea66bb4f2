/** Opens connections through a SOCKS5 proxy. undici's own agent writes a warning to stderr, and never gives up a proxy that is silent. */
import type { Socket } from 'node:net';
import type buildConnector from 'undici/lib/core/connect.js';
import socks, { type SocksClient } from 'undici/lib/core/socks5-client.js';

export type Connector = ReturnType<typeof buildConnector>;

const defaultPort = '1080';

/**
 * `address` is the address of the proxy. `connect` opens the connection to it, and puts TLS on one that has reached the service. With a
 * `timeoutMs` of 0 there is no limit.
 */
export function throughSocks(address: string, connect: Connector, timeoutMs: number): Connector {
  const { hostname, port, username, password } = new URL(address);
  const proxy = { hostname: hostname.replace(/^\[(.*)\]$/, '$1'), protocol: 'http:', port: port || defaultPort };
  const login = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  return (asked, done) => {
    const connected = (socket: Socket) =>
      asked.protocol === 'https:' ? connect({ ...asked, httpSocket: socket }, done) : done(null, socket);
    connect(proxy, (...came) => {
      if (came[0] !== null) return done(...came);
      const [, socket] = came;
      const client = new socks.Socks5Client(socket, login);
      const limit = timeoutMs > 0 ? setTimeout(() => socket.destroy(), timeoutMs) : undefined;
      introduce(client, asked)
        .finally(() => clearTimeout(limit))
        .then(
          () => connected(socket),
          (error: Error) => done(error, null),
        );
    });
  };
}

/** The proxy looks the name up. */
async function introduce(client: SocksClient, { hostname, protocol, port }: Parameters<Connector>[0]): Promise<void> {
  // The client may emit an error when nobody listens any more, which would end the process.
  client.on('error', () => undefined);
  await until(client, 'authenticated', () => client.handshake());
  await until(client, 'connected', () => client.connect(hostname, Number(port) || (protocol === 'https:' ? 443 : 80)));
}

function until(client: SocksClient, event: 'authenticated' | 'connected', begin: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    client.once('error', reject);
    client.once('close', () => reject(Object.assign(new Error('the proxy hung up'), { code: 'UND_ERR_SOCKET' })));
    client.once(event, () => resolve());
    begin();
  });
}
