/**
 * `npm run referee`: the clients that people use and pdi, each before its own sandbox with the same faults, judged by what that one billed. What
 * pdi names as unknown is then told, and sent again, as its user chooses. The packages are fetched for this alone.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const packages = ['undici@7.30.2', 'got@14.4.7', 'ky@1.8.1', 'axios@1.9.0', 'axios-retry@4.5.0'];
const people = 500;
const faults = ['drop-after-billing:0.04', 'truncate:0.02', 'reset:0.03', '500:0.02', '503:0.05'];
const pdi = fileURLToPath(new URL('../../bin/pdi.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'pdi-referee-'));

async function run(program, argv, env = {}) {
  const child = spawn(program, argv, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}

const billAt = (baseUrl) => new URL('/sandbox/bill', baseUrl);

/** A sandbox for one client; gives what `use` found beside its bill. */
async function judged(seed, use) {
  const flags = faults.flatMap((fault) => ['--fault', fault]);
  const argv = [pdi, 'sandbox', '--people', '600', '--seed', String(seed), ...flags];
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'ignore'] });
  let text = '';
  for await (const line of createInterface(child.stdout)) {
    text += line;
    if (line === '}') break;
  }
  const { base_url, keys } = JSON.parse(text);
  const billed = async () => (await (await fetch(billAt(base_url))).json()).map(({ item }) => item);
  try {
    return await use(base_url, keys.full, billed);
  } finally {
    child.kill();
  }
}

const words = {
  fetch: 'a loop of fetch',
  undici: 'undici, RetryAgent',
  got: 'got',
  ky: 'ky',
  axios: 'axios-retry',
  curl: '`curl --retry-all-errors`',
};

const figures = (items, rows, unknown = 0) => ({
  rows,
  billed: items.length,
  'people billed twice': new Set(items.filter((id, at) => items.indexOf(id) !== at)).size,
  'extra credits': items.length - new Set(items).size,
  'named as unknown': unknown,
});

async function ofClient(name, seed) {
  return judged(seed, async (baseUrl, key, billed) => {
    const argv = [join(folder, 'clients.mjs'), name, baseUrl, key, String(people)];
    const { stdout } = await run(process.execPath, argv);
    return figures(await billed(), JSON.parse(stdout).rows);
  });
}

async function ofPdi(seed) {
  return judged(seed, async (baseUrl, key, billed) => {
    const out = join(folder, `people-${seed}.csv`);
    const env = { PDI_BASE_URL: baseUrl, PDI_API_KEY: key };
    const argv = [pdi, 'person', '-i', 'ids.txt', '--out', out, '--max-billable', 'unlimited'];
    const asked = async (...more) => {
      const { stderr } = await run(process.execPath, [...argv, '--errors', 'json', ...more], env);
      const { summary } = JSON.parse(stderr.split('\n').find((line) => line.includes('"summary"')));
      return figures(await billed(), summary.ok, summary.unknown);
    };
    const first = await asked();
    writeFileSync(join(folder, 'bill.json'), await (await fetch(billAt(baseUrl))).text());
    await run(process.execPath, [pdi, 'spend', '--against', 'bill.json'], env);
    return [first, await asked(), await asked('--retry-unknown')];
  });
}

try {
  copyFileSync(new URL('clients.mjs', import.meta.url), join(folder, 'clients.mjs'));
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const ids = Array.from({ length: people }, (_, at) => `per_sample${at + 1}`);
  writeFileSync(join(folder, 'ids.txt'), `${ids.join('\n')}\n`);
  execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', ...packages], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const lines = new Map();
  const add = (client, one) => lines.set(client, [...(lines.get(client) ?? []), one]);
  for (const seed of [1, 2]) {
    for (const [name, told] of Object.entries(words)) add(told, await ofClient(name, seed));
    const [first, settled, again] = await ofPdi(seed);
    add('pdi', first);
    add("pdi, once the service's bill is held against its book", settled);
    add('pdi, with `--retry-unknown` for the rest', again);
  }
  const columns = ['rows', 'billed', 'people billed twice', 'extra credits', 'named as unknown'];
  const cells = (found) => columns.map((column) => found.map((one) => one[column]).join(', '));
  const table = [
    ['client', ...columns],
    ['---', ...columns.map(() => '---')],
    ...[...lines].map(([client, found]) => [client, ...cells(found)]),
  ];
  for (const row of table) process.stdout.write(`| ${row.join(' | ')} |\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
