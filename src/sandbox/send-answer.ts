/** Sends an answer: complete, late, in part, or not at all. */
import type { ServerResponse } from 'node:http';
import type { SandboxAnswer } from './exchange.ts';

/** A slow answer ends after this many milliseconds, which is longer than any client should wait. */
const slowLimit = 60_000;

const notJson = '<html><body><h1>Bad gateway</h1><p>This is not the API.</p></body></html>';

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

/** It announces one byte more than the whole answer, sends half of it and closes. */
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

/** `latency` is in milliseconds; the call has been executed already. */
export function send(response: ServerResponse, answer: SandboxAnswer, latency: number): void {
  if (latency > 0) later(response, latency, () => deliver(response, answer));
  else deliver(response, answer);
}
