// @ts-check
/**
 * The yardstick: what an engineer writes by hand over undici for one job, eight connections, no checks, no retries, one string a page.
 * `node plain.mjs BASE_URL resolve FILE` (ndjson), `resolve-csv FILE`, `person FILE`, `person-csv FILE`, `feed`, `feed-csv`.
 */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
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
  const answer = await pool.request({
    method,
    path: pathname + path,
    headers,
    body: body === undefined ? null : JSON.stringify(body),
  });
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
  /** @type {string[]} */
  let waiting = [];
  let rest = '';
  for await (const chunk of createReadStream(file, { encoding: 'utf8' })) {
    const found = (rest + chunk).split('\n');
    rest = found.pop() ?? '';
    waiting = waiting.length === 0 ? found : waiting.concat(found);
    let taken = 0;
    for (; taken + size <= waiting.length; taken += size) yield waiting.slice(taken, taken + size);
    waiting = waiting.slice(taken);
  }
  if (rest !== '') waiting.push(rest);
  if (waiting.length > 0) yield waiting;
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

/** @param {string[]} batch @returns {Promise<any[]>} */
const groupsOf = (batch) =>
  ask('POST', '/people/resolve', { to_resolve: batch.map((name) => ({ profnet_id: name })) });

/** @param {string[]} batch */
async function resolvedRows(batch) {
  let text = '';
  for (const [index, { matches }] of (await groupsOf(batch)).entries()) {
    const { person_id: id, full_name: name, profnet_url: url } = matches[0] ?? {};
    const cells = [batch[index], id, name, url];
    text += `${cells.map(cell).join(',')},${matches.length > 0 ? 'ok' : 'not_found'},\r\n`;
  }
  return text;
}

/** @param {string[]} batch */
async function resolvedLines(batch) {
  let text = '';
  for (const group of await groupsOf(batch)) text += `${JSON.stringify(group)}\n`;
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

const list = (/** @type {string[] | undefined} */ items) => items?.join('; ');
const deep = (/** @type {unknown} */ value) =>
  value === undefined ? undefined : JSON.stringify(value);

const nothing = {};

/** @param {any} signal */
function signalCells(signal) {
  const { company = nothing, person = nothing } = signal;
  const { hq = nothing } = company;
  const { location = nothing } = person;
  return [
    signal.signal_id,
    signal.signal_date,
    signal.signal_score,
    signal.signal_summary,
    signal.signal_type,
    list(signal.source_types),
    signal.signal_total_funding_usd,
    signal.signal_last_funding_date,
    signal.signal_last_funding_usd,
    deep(signal.signal_investors),
    signal.entity_id,
    company.name,
    company.description,
    company.website,
    company.profnet_url,
    company.twitter_url,
    company.founded_year,
    hq.city,
    hq.state,
    hq.country,
    hq.continent,
    list(company.industry),
    deep(company.tech_verticals),
    company.is_industry_estimated,
    company.customer_focus,
    person.full_name,
    person.description,
    person.website,
    person.profnet_url,
    person.twitter_url,
    person.founded_year,
    location.city,
    location.state,
    location.country,
    location.continent,
    list(person.industry),
    deep(person.tech_verticals),
    person.is_industry_estimated,
    list(signal.signal_source),
  ];
}

/** @param {any} person */
function personCells(person) {
  return [
    person.person_id,
    person.last_updated,
    list(person.talent_signal_ids),
    list(person.investor_signal_ids),
    person.profile_picture_url,
    person.first_name,
    person.last_name,
    person.full_name,
    person.profnet_url,
    person.profnet_num_id,
    person.profnet_urn,
    person.twitter_url,
    person.github_url,
    person.about,
    person.tagline,
    person.location,
    person.region,
    list(person.highlights),
    person.level_of_seniority,
    person.years_of_experience,
    person.education_level,
    deep(person.experience),
    person.current_position_title,
    person.current_position_company_name,
    person.current_position_company_website,
    person.past_position_title,
    person.past_position_company_name,
    person.past_position_company_website,
    person.current_tenure,
    person.average_tenure,
    deep(person.education),
    deep(person.languages),
    list(person.skills),
    person.profnet_followers,
    person.profnet_connections,
  ];
}

if (task === 'resolve') await inOrder(lines(50), resolvedLines);
if (task === 'resolve-csv') await inOrder(lines(50), resolvedRows);
if (task === 'person')
  await inOrder(lines(1), async ([id]) => `${JSON.stringify(await ask('GET', `/people/${id}`))}\n`);
if (task === 'person-csv') {
  await inOrder(
    lines(1),
    async ([id]) =>
      `${[id, ...personCells(await ask('GET', `/people/${id}`)), new Date().toISOString(), 'ok', ''].map(cell).join(',')}\r\n`,
  );
}
if (task === 'feed') await feed((signal) => `${JSON.stringify(signal)}\n`);
if (task === 'feed-csv') await feed((signal) => `${signalCells(signal).map(cell).join(',')}\r\n`);
await pool.close();
