// @ts-check
/**
 * A client that does nothing but ask, to see what the origin can answer: `node flood.mjs BASE_URL resolve|person|feed COUNT` sends
 * requests made beforehand over eight connections and counts the bytes of answers, which are all of one length, instead of reading them.
 */
import { once } from 'node:events';
import { connect } from 'node:net';

const [base = '', job = '', count = '0'] = process.argv.slice(2);
const { host, hostname, port, pathname } = new URL(base);
const [connections, distinct] = [8, 2000];

/** @param {number} index */
function request(index) {
  const number = String(index).padStart(4, '0');
  const head = (/** @type {string} */ line) => `${line} HTTP/1.1\r\nhost: ${host}\r\nx-api-key: bench\r\n`;
  if (job === 'person') return `${head(`GET ${pathname}/people/per_${number}`)}\r\n`;
  if (job === 'feed') return `${head(`GET ${pathname}/investor-interest?page=${number}&limit=50`)}\r\n`;
  const body = JSON.stringify({ to_resolve: Array.from({ length: 50 }, (_, step) => ({ profnet_id: `id${number}${step}` })) });
  return `${head(`POST ${pathname}/people/resolve`)}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

/** Bytes of a whole answer. */
async function answerLength() {
  const socket = connect(Number(port), hostname);
  socket.write(request(0));
  let text = '';
  for (;;) {
    text += (await once(socket, 'data'))[0].toString('latin1');
    const [head = '', length] = /^.*?content-length: (\d+).*?\r\n\r\n/is.exec(text) ?? [];
    if (head === '' || text.length < head.length + Number(length)) continue;
    socket.destroy();
    return text.length;
  }
}

const requests = Array.from({ length: Math.min(Number(count), distinct) }, (_, index) => Buffer.from(request(index)));
const length = await answerLength();
let sent = 0;

/** Sends the next request when the last is answered. */
async function connection() {
  const socket = connect(Number(port), hostname).setNoDelay(true);
  while (sent < Number(count)) {
    socket.write(requests[sent % distinct] ?? '');
    sent += 1;
    for (let got = 0; got < length; ) got += (await once(socket, 'data'))[0].length;
  }
  socket.destroy();
}

await Promise.all(Array.from({ length: connections }, connection));
