// @ts-check
/**
 * A small HTTP origin for what is measured by the clock: `node origin.mjs [RATE [SIZE [LATENCY]]]`: with a rate, a bucket of so many a second
 * whose headers come on 429 only; with a size, profiles of so many characters; each answer takes so many milliseconds.
 * Prints `{"base_url"}`; GET /counts tells the answers by status, and `ms` from the first request to the last answer that was none of a limit.
 */
import { createServer } from 'node:http';
import { answerOf } from './answers.mjs';

const rate = Number(process.argv[2] ?? 0);
const size = Number(process.argv[3] ?? 0);
const large = size === 0 ? undefined : { about: 'x'.repeat(size) };
const latency = Number(process.argv[4] ?? 0);
let tokens = rate;
let filledAt = performance.now();
/** @type {Record<string, number>} */
const counts = {};
/** @type {number | undefined} */
let beganAt;

/** @param {string} body */
const groups = (body) =>
  JSON.stringify(
    JSON.parse(body).to_resolve.map((/** @type {{ profnet_id: string }} */ { profnet_id }) =>
      answerOf.group(profnet_id),
    ),
  );

/**
 * @param {string} url
 * @param {string} body
 */
function answer(url, body) {
  const [path = ''] = url.split('?');
  if (path.endsWith('/people/resolve')) return groups(body);
  if (path.endsWith('/counts')) return JSON.stringify(counts);
  if (path.endsWith('/health')) return JSON.stringify(answerOf.health);
  const id = path.slice(path.lastIndexOf('/') + 1);
  return JSON.stringify(large === undefined ? answerOf.person(id) : { person_id: id, ...large });
}

/** Seconds until there is a token, or 0 when one was taken. */
function secondsToWait() {
  const now = performance.now();
  tokens = Math.min(rate, tokens + ((now - filledAt) / 1000) * rate);
  filledAt = now;
  if (tokens < 1) return (1 - tokens) / rate;
  tokens -= 1;
  return 0;
}

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    const isCounted = !(request.url ?? '').endsWith('/counts');
    if (isCounted) beganAt ??= performance.now();
    const wait = rate > 0 && isCounted ? secondsToWait() : 0;
    const status = wait > 0 ? 429 : 200;
    const text =
      wait > 0
        ? '{"errorCode":"RATE_LIMITED","message":"Rate limit exceeded"}'
        : answer(request.url ?? '', body);
    const limits =
      wait > 0
        ? {
            'x-ratelimit-limit': rate,
            'x-ratelimit-remaining': 0,
            'x-ratelimit-reset': wait.toFixed(3),
          }
        : {};
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      ...limits,
    };
    if (isCounted) counts[status] = (counts[status] ?? 0) + 1;
    setTimeout(
      () => {
        if (isCounted && wait === 0) counts.ms = performance.now() - (beganAt ?? 0);
        response.writeHead(status, headers).end(text);
      },
      isCounted ? latency : 0,
    );
  });
});
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  process.stdout.write(`${JSON.stringify({ base_url: `http://127.0.0.1:${port}/api/v1` })}\n`);
});
