/** A service of bare sockets: answers byte by byte as it pleases, what no HTTP library would send. */
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { listening } from './origin.ts';
import { itemsIn } from './records.ts';

/** One whole request, and where its answer goes. */
export interface RawRequest {
  readonly socket: Socket;
  readonly path: string;
  readonly body: string;
  /** The documented answer to it, as text. */
  readonly sound: string;
}

export interface RawOrigin {
  readonly port: number;
  readonly requests: () => number;
  close(): Promise<void>;
}

/** Starts a service on 127.0.0.1; with `tls`, behind that certificate. */
export async function rawOrigin(
  answer: (request: RawRequest) => void,
  tls?: TlsOptions,
): Promise<RawOrigin> {
  const sockets = new Set<Socket>();
  let requests = 0;
  const serve = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      // As a server of plain HTTP does where it is asked whether it speaks TLS.
      if (tls === undefined && chunk[0] === handshake) return void socket.destroy();
      const whole = wholeRequest(text);
      if (whole === undefined) return;
      text = '';
      requests += 1;
      answer({ ...whole, socket, sound: soundAnswer(whole.path, whole.body) });
    });
  };
  const server: Server =
    tls === undefined ? createServer({ allowHalfOpen: true }, serve) : createTlsServer(tls, serve);
  server.on('tlsClientError', () => {});
  const port = await listening(server);
  return {
    port,
    requests: () => requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** The first byte of a connection of TLS. */
const handshake = 0x16;

function wholeRequest(text: string): { readonly path: string; readonly body: string } | undefined {
  const end = text.indexOf('\r\n\r\n');
  const length = Number(/^content-length: (\d+)/im.exec(text)?.[1] ?? 0);
  if (end === -1 || text.length < end + 4 + length) return undefined;
  return { path: text.split(' ')[1] ?? '', body: text.slice(end + 4) };
}

/** As the document says: a profile for a path with an id, a group for each identifier that was sent. */
function soundAnswer(path: string, body: string): string {
  if (body === '')
    return JSON.stringify({ person_id: path.slice(path.lastIndexOf('/') + 1), full_name: 'Ada' });
  return JSON.stringify(
    itemsIn(body).map((query) => ({ query, matches: [{ person_id: 'per_1', full_name: 'Ada' }] })),
  );
}

/** A whole answer in good order. */
export function answerOf(
  body: string | Uint8Array,
  { status = '200 OK', headers = [] as readonly string[] } = {},
): Buffer {
  const bytes = Buffer.from(body);
  const lines = [`HTTP/1.1 ${status}`, `Content-Length: ${bytes.length}`, ...headers];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), bytes]);
}

/** Writes `piece` again and again, as fast as it is taken, `times` at most. */
export function flood(socket: Socket, piece: string | Buffer, times: number): void {
  let left = times;
  const more = (): void => {
    while (left > 0 && !socket.destroyed) {
      left -= 1;
      if (!socket.write(piece)) {
        socket.once('drain', more);
        return;
      }
    }
  };
  more();
}

/** Writes `piece` every few milliseconds until the socket is gone. */
export function drip(socket: Socket, piece: string): void {
  const timer = setInterval(() => socket.write(piece), 5);
  socket.on('close', () => clearInterval(timer));
}
