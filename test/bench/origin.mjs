// @ts-check
/**
 * A quick HTTP origin for benchmarks: answers as the API document says, with as little work as possible, so that the client
 * is what is measured. `node origin.mjs [RATE]`: with a rate, a bucket of so many a second whose headers come on 429 only.
 * Prints `{"base_url"}`; GET /counts tells the answers by status.
 */
import { createServer } from 'node:http';

const feedSize = 100_000;
const rate = Number(process.argv[2] ?? 0);
let tokens = rate;
let filledAt = performance.now();
/** @type {Record<string, number>} */
const counts = {};

const signal = {
  signal_id: '',
  signal_date: '2026-03-01',
  signal_score: 7,
  signal_summary: 'Two invented investors looked at an invented company, "twice", in one week.',
  signal_type: 'Company',
  source_types: ['investor', 'venture_capital'],
  signal_total_funding_usd: 12_500_000,
  signal_last_funding_date: '2025-11-20',
  signal_last_funding_usd: 4_000_000,
  signal_investors: [{ name: 'Invented Capital' }],
  entity_id: 'company-1',
  company: {
    name: 'Sample Works',
    description: 'Makes samples, of anything.',
    website: 'sample.example',
    founded_year: 2019,
    hq: { city: 'Sampleton', state: 'Exampleshire', country: 'Nowhere', continent: 'Europe' },
    industry: ['Software', 'Data'],
    tech_verticals: [['Data', 'Pipelines']],
    is_industry_estimated: false,
  },
  signal_source: ['https://news.example/one'],
};

const job = {
  company_name: 'Sample Works',
  title: 'Engineer',
  departments: ['Engineering'],
  start_date: '2020-01-01',
  is_current: true,
  job_order: 1,
  company_id: 'company-1',
  description: 'Builds samples. '.repeat(12),
  industry: ['Software'],
  tech_verticals: [['Data', 'Pipelines']],
};
const person = {
  last_updated: '2026-02-03 04:05:06',
  talent_signal_ids: [],
  investor_signal_ids: ['00000000-0000-4000-8000-000000000001'],
  first_name: 'Ada',
  last_name: 'Sample',
  full_name: 'Ada Sample',
  profnet_url: 'https://profnet.example/in/ada-sample',
  profnet_num_id: 123456,
  about: 'Invented. '.repeat(30),
  location: 'Sampleton, Exampleshire, Nowhere, Europe',
  highlights: ['vc_backed_experience'],
  years_of_experience: 12,
  experience: [job, job, job, job, job],
  education: [{ name: 'University of Examples', degree_title: 'MSc' }],
  languages: [{ name: 'English', proficiency_level: 'Native' }],
  skills: ['Sampling', 'Examples', 'Invention'],
};

const signalTail = JSON.stringify(signal).slice('{"signal_id":""'.length);
const personTail = JSON.stringify(person).slice(1);

/** @param {string} body */
function groups(body) {
  const { to_resolve: items } = JSON.parse(body);
  const answers = items.map((/** @type {{ profnet_id: string }} */ query) => {
    const { profnet_id: name } = query;
    const match = { person_id: `per_${name}`, full_name: `Person ${name}`, profnet_url: `https://profnet.example/in/${name}` };
    return { query, matches: [match] };
  });
  return JSON.stringify(answers);
}

/** @param {URLSearchParams} query */
function signals(query) {
  const limit = Number(query.get('limit') ?? 50);
  const first = Number(query.get('page') ?? 0) * limit;
  const here = Array.from({ length: Math.max(0, Math.min(limit, feedSize - first)) }, (_, index) => {
    const id = String(first + index).padStart(12, '0');
    return `{"signal_id":"00000000-0000-4000-8000-${id}"${signalTail}`;
  });
  return `[${here.join(',')}]`;
}

/**
 * @param {string} url
 * @param {string} body
 */
function answer(url, body) {
  const [path = '', query = ''] = url.split('?');
  if (path.endsWith('/people/resolve')) return groups(body);
  if (path.endsWith('/investor-interest')) return signals(new URLSearchParams(query));
  if (path.endsWith('/counts')) return JSON.stringify(counts);
  if (path.endsWith('/health')) return '{"status":"OK","relational_store":"OK","analytics_store":"OK"}';
  return `{"person_id":"${path.slice(path.lastIndexOf('/') + 1)}",${personTail}`;
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
    const wait = rate > 0 && request.method === 'POST' ? secondsToWait() : 0;
    const status = wait > 0 ? 429 : 200;
    const text = wait > 0 ? '{"errorCode":"RATE_LIMITED","message":"Rate limit exceeded"}' : answer(request.url ?? '', body);
    const limits = wait > 0 ? { 'x-ratelimit-limit': rate, 'x-ratelimit-remaining': 0, 'x-ratelimit-reset': wait.toFixed(3) } : {};
    counts[status] = (counts[status] ?? 0) + 1;
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...limits }).end(text);
  });
});
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  process.stdout.write(`${JSON.stringify({ base_url: `http://127.0.0.1:${port}/api/v1` })}\n`);
});
