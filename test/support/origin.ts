/** An HTTP origin of the test's own, for answers that the sandbox would never give. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createNetServer, type Server } from 'node:net';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Origin {
  /** Its base URL, `/api/v1` included. */
  readonly baseUrl: string;
  readonly requests: ReceivedRequest[];
  close(): Promise<void>;
}

/** What to answer; `text` is sent as it is. A function may answer by itself and return nothing. */
export type Answer = {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly text?: string;
  readonly json?: unknown;
};
export type Handler = (
  request: ReceivedRequest,
  response: ServerResponse,
  count: number,
) => Answer | undefined | Promise<Answer | undefined>;

export async function startOrigin(handler: Handler): Promise<Origin> {
  const requests: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const received = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString('utf8'),
    };
    requests.push(received);
    const answer = await handler(received, response, requests.length);
    if (answer === undefined) return;
    const { status = 200, headers = {}, json, text = JSON.stringify(json) ?? '' } = answer;
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
  });
  const port = await listening(server);
  return {
    baseUrl: `http://127.0.0.1:${port}/api/v1`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Lets a server listen on loopback; on which port. */
export const listening = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });

/** A port that nobody listens on, below those that systems give out: no other test is handed it. */
export async function freePort(): Promise<number> {
  const port = 20_000 + Math.trunc(Math.random() * 12_000);
  const server = createNetServer();
  const isFree = await new Promise<boolean>((resolve) => {
    server.on('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
  });
  await new Promise((resolve) => server.close(resolve));
  return isFree ? port : freePort();
}
