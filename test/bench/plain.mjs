// @ts-check
/**
 * The yardstick: what an engineer writes by hand over undici for one job, eight connections, no checks, no retries.
 * `node plain.mjs BASE_URL resolve FILE` (csv), `person FILE` (ndjson), `person-csv FILE`, `feed` (ndjson), `feed-csv`.
 */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Pool } from 'undici';

const [base = '', task = '', file = ''] = process.argv.slice(2);
const { origin, pathname } = new URL(base);
const connections = 8;
const pool = new Pool(origin, { connections });
const headers = { 'x-api-key': 'bench', 'content-type': 'application/json' };

/**
 * @param {'GET' | 'POST'} method
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<any>}
 */
async function ask(method, path, body) {
  const answer = await pool.request({ method, path: pathname + path, headers, body: body === undefined ? null : JSON.stringify(body) });
  return JSON.parse(await answer.body.text());
}

/** @param {string} text */
async function write(text) {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

/** @param {unknown} value */
const cell = (value) => {
  const text = value === undefined || value === null ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** @returns {AsyncGenerator<string[]>} lines, so many at a time */
async function* lines(/** @type {number} */ size) {
  let batch = [];
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (batch.push(line) < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/**
 * Answers in order, eight under way.
 * @template T
 * @param {AsyncIterable<T>} source
 * @param {(item: T) => Promise<string>} work
 */
async function inOrder(source, work) {
  /** @type {Promise<string>[]} */
  const pending = [];
  for await (const item of source) {
    pending.push(work(item));
    if (pending.length >= connections) await write((await pending.shift()) ?? '');
  }
  for (const rest of pending) await write(await rest);
}

/** @param {string[]} batch */
async function resolved(batch) {
  const groups = await ask('POST', '/people/resolve', { to_resolve: batch.map((name) => ({ profnet_id: name })) });
  let text = '';
  for (const [index, { query, matches }] of groups.entries()) {
    const { person_id: id, full_name: name, profnet_url: url } = matches[0] ?? {};
    const cells = [batch[index], query.profnet_url, query.profnet_id, query.profnet_num_id, query.profnet_urn, id, name, url];
    text += `${[...cells, matches.length > 0 ? 'ok' : 'not_found', ''].map(cell).join(',')}\r\n`;
  }
  return text;
}

/** @param {(signal: any) => string} lineOf */
async function feed(lineOf) {
  for (let page = 0; ; page += 1) {
    const signals = await ask('GET', `/investor-interest?page=${page}&limit=50`);
    await write(signals.map(lineOf).join(''));
    if (signals.length < 50) return;
  }
}

/** @param {any} signal */
function signalCells({ company, source_types, signal_investors, signal_source, ...signal }) {
  const { hq, industry, tech_verticals, ...plain } = company;
  const deep = [signal_investors, tech_verticals].map((value) => JSON.stringify(value));
  const lists = [source_types, signal_source, industry].map((list) => list.join('; '));
  return [...Object.values(signal), ...lists, ...Object.values(plain), ...Object.values(hq), ...deep];
}

/** @param {any} person */
function personCells({ experience, education, languages, talent_signal_ids, investor_signal_ids, highlights, skills, ...plain }) {
  const deep = [experience, education, languages].map((value) => JSON.stringify(value));
  const lists = [talent_signal_ids, investor_signal_ids, highlights, skills].map((list) => list.join('; '));
  return [...Object.values(plain), ...lists, ...deep];
}

if (task === 'resolve') await inOrder(lines(50), resolved);
if (task === 'person') await inOrder(lines(1), async ([id]) => `${JSON.stringify(await ask('GET', `/people/${id}`))}\n`);
if (task === 'person-csv') {
  await inOrder(lines(1), async ([id]) => `${[id, ...personCells(await ask('GET', `/people/${id}`)), 'ok', ''].map(cell).join(',')}\r\n`);
}
if (task === 'feed') await feed((signal) => `${JSON.stringify(signal)}\n`);
if (task === 'feed-csv') await feed((signal) => `${signalCells(signal).map(cell).join(',')}\r\n`);
await pool.close();
