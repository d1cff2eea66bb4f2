// @ts-check
/**
 * The origin of the large jobs: every answer is made before the first request, so that next to no time of the machine is the origin's.
 * It answers the jobs of `jobs.mjs` alone: resolve requests of 50 identifiers in order, people by id, pages of the feed; all else is 400.
 * `node prepared-origin.mjs IDENTIFIERS` prints `{"base_url"}`; GET /counts tells the requests since the last time, how many of them
 * were different, and the milliseconds of processor time that they took.
 */
import { createServer } from 'node:net';
import { answerOf } from './answers.mjs';
import { digits, numbered, people, signals } from './sizes.mjs';

const [batchSize, pageSize] = [50, 50];
const identifiers = Number(process.argv[2] ?? 0);

/** @param {string} body @param {string} [status] */
const reply = (body, status = '200 OK') =>
  Buffer.from(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );

/** @param {number} length @param {(place: number) => unknown} make */
const list = (length, make) => JSON.stringify(Array.from({ length }, (_, place) => make(place)));

/** @param {number} count @param {(place: number) => string} make */
const prepared = (count, make) => Array.from({ length: count }, (_, place) => reply(make(place)));

const kinds = {
  resolve: prepared(Math.ceil(identifiers / batchSize), (batch) =>
    list(Math.min(batchSize, identifiers - batch * batchSize), (place) =>
      answerOf.group(numbered('id', batch * batchSize + place)),
    ),
  ),
  person: prepared(people, (place) => JSON.stringify(answerOf.person(numbered('per_', place)))),
  feed: prepared(signals / pageSize + 1, (page) =>
    list(Math.min(pageSize, signals - page * pageSize), (place) =>
      answerOf.signal(page * pageSize + place),
    ),
  ),
};
const refused = reply('{"message":"not a request of these jobs"}', '400 Bad Request');

/** How often each was asked for. */
const asked = {
  resolve: new Uint32Array(kinds.resolve.length),
  person: new Uint32Array(people),
  feed: new Uint32Array(kinds.feed.length),
};

/** The number of the identifier at `at`; NaN where there is none. */
const numberAt = (/** @type {string} */ text, /** @type {number} */ at) =>
  at < 0 ? Number.NaN : Number(text.slice(at, at + digits));

/**
 * Which batch a body asks for: as many identifiers as belong to it, and those at both ends its own.
 * @param {string} body
 */
function batchIn(body) {
  const [first, last] = [
    numberAt(body, body.indexOf('"id') + 3),
    numberAt(body, body.lastIndexOf('"id') + 3),
  ];
  const batch = first / batchSize;
  const wanted = Math.min(batchSize, identifiers - first);
  return last - first + 1 === wanted && body.split('profnet_id').length === wanted + 1
    ? batch
    : Number.NaN;
}

/** @param {string} head @param {string} body */
function answer(head, body) {
  const [, path = ''] = head.split(' ', 2);
  if (path.endsWith('/people/resolve')) return found('resolve', batchIn(body));
  if (path.includes('/people/per_'))
    return found('person', numberAt(path, path.indexOf('per_') + 4));
  if (path.includes('/investor-interest?'))
    return found('feed', Number(new URLSearchParams(path.slice(path.indexOf('?'))).get('page')));
  if (path.endsWith('/health')) return reply(JSON.stringify(answerOf.health));
  return path.endsWith('/counts') ? reply(JSON.stringify(counts())) : refused;
}

/** @param {keyof typeof kinds} kind @param {number} place */
function found(kind, place) {
  const answer = kinds[kind][place];
  if (answer === undefined) return refused;
  asked[kind][place] = (asked[kind][place] ?? 0) + 1;
  return answer;
}

let usedBefore = process.cpuUsage();

function counts() {
  const { user, system } = process.cpuUsage(usedBefore);
  const all = Object.values(asked).flatMap((counted) => [...counted]);
  const told = {
    requests: all.reduce((sum, count) => sum + count, 0),
    different: all.filter(Boolean).length,
    cpuMs: (user + system) / 1000,
  };
  for (const counted of Object.values(asked)) counted.fill(0);
  usedBefore = process.cpuUsage();
  return told;
}

const server = createServer((socket) => {
  let pending = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    for (let end = pending.indexOf('\r\n\r\n'); end !== -1; end = pending.indexOf('\r\n\r\n')) {
      const head = pending.latin1Slice(0, end);
      const size = end + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (pending.length < size) return;
      socket.write(answer(head, pending.latin1Slice(end + 4, size)));
      pending = pending.subarray(size);
    }
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  process.stdout.write(`${JSON.stringify({ base_url: `http://127.0.0.1:${port}/api/v1` })}\n`);
});
