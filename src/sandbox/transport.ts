/** How an answer goes out: whole, late, in part, or not at all. */
import type { ServerResponse } from 'node:http';
import type { SandboxAnswer } from './exchange.ts';

/** A slow answer is cut off after this long, in milliseconds: longer than any client should wait. */
const slowLimit = 60_000;

const notJson = '<html><body><h1>Bad gateway</h1><p>This is not the API.</p></body></html>';

/** Runs `then` after so many milliseconds, unless the connection is gone by then. */
function later(response: ServerResponse, delay: number, then: () => void): void {
  const timer = setTimeout(then, delay);
  response.once('close', () => clearTimeout(timer));
}

function write(response: ServerResponse, { status, headers, text }: SandboxAnswer, type: string): void {
  const bytes = Buffer.byteLength(text);
  response.writeHead(status, {
    ...(text !== '' && { 'content-type': type }),
    ...(status !== 204 && { 'content-length': bytes }),
    ...headers,
  });
  response.end(text);
}

/** Announces the whole answer, and more, and closes after half of it. */
function writeHalf(response: ServerResponse, { status, headers, text }: SandboxAnswer): void {
  const bytes = Buffer.from(text);
  response.writeHead(status === 204 ? 200 : status, { 'content-type': 'application/json', 'content-length': bytes.length + 1, ...headers });
  response.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => response.destroy());
}

function deliver(response: ServerResponse, answer: SandboxAnswer): void {
  switch (answer.damage) {
    case 'reset':
    case 'drop-after-billing':
      response.destroy();
      return;
    case 'slow':
      later(response, slowLimit, () => response.destroy());
      return;
    case 'truncate':
      writeHalf(response, answer);
      return;
    case 'malformed':
      write(response, { ...answer, status: 200, text: notJson }, 'text/html');
      return;
    default:
      write(response, answer, 'application/json');
  }
}

/** `latency` in milliseconds; the call behind the answer has been executed already. */
export function send(response: ServerResponse, answer: SandboxAnswer, latency: number): void {
  if (latency > 0) later(response, latency, () => deliver(response, answer));
  else deliver(response, answer);
}
