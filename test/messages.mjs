/**
 * Writes every message that the test suite makes the program print to `messages.txt`, once each, so that all of them can be read on one
 * page, and a change of one is seen in a diff. What differs from run to run (names, numbers, places) has a word in capitals.
 * With `--check FOLDER` it runs nothing: it fails where what a run of the tests gathered there (`PDI_MESSAGES`) is not on the page.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

const [flag, given] = process.argv.slice(2);
const isCheck = flag === '--check' && given !== undefined;
const folder = isCheck ? given : mkdtempSync(join(tmpdir(), 'pdi-messages-'));
const page = fileURLToPath(new URL('messages.txt', import.meta.url));

// Tests that draw their input or attack the program would give another page each time.
const files = ['test/commands', 'test/config', 'test/input', 'test/output', 'test/run', 'test/cli', ...rootTests()];
if (!isCheck) {
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const { status } = spawnSync('npx', ['vitest', 'run', ...files], { env: { ...process.env, PDI_MESSAGES: folder }, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}

function rootTests() {
  return ['bulk-input', 'exit-codes', 'hints', 'interrupted', 'keys', 'output-formats'].map((name) => `test/${name}.test.ts`);
}

/** The words of a line: JSON tells message and hint apart, a person reads both. */
function wordsOf(line) {
  if (!line.startsWith('{')) return [line.replace(/^.*\bpdi: /, '')];
  try {
    const { error, notice } = JSON.parse(line);
    if (typeof notice === 'string') return [notice];
    return error === undefined ? [] : [error.hint === null ? error.message : `${error.message}; ${error.hint}`];
  } catch {
    return [];
  }
}

const steadied = [
  [/https?:\/\/[^\s"'`;,)]+/g, 'URL'],
  [/127\.0\.0\.1:\d+/g, 'HOST'],
  [/(?:\/tmp|\/proc|\/dev)\/[^\s"'`;,:)]+/g, 'FILE'],
  [/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g, 'UUID'],
  [/\b(?:per|inv|company|user)[_-][\w-]+/g, 'ID'],
  [/\d{4}-\d{2}(?:-\d{2})?(?:[T ][\d:.]+Z?)?/g, 'DAY'],
  [/"(?:[^"\\]|\\.)*"/g, '"TEXT"'],
  [/\b\d[\d.,]*\b/g, 'N'],
];

const steady = (text) => steadied.reduce((line, [pattern, word]) => line.replace(pattern, word), text);

// Each test file gathers in a file of its name, with a colon for each slash.
const gathered = readdirSync(folder).filter((name) => files.some((file) => name.replaceAll(':', '/').startsWith(file)));
if (gathered.length === 0) throw new Error(`${folder} holds no messages`);
const lines = gathered.flatMap((name) => stripVTControlCharacters(readFileSync(join(folder, name), 'utf8')).split('\n'));
const messages = new Set(lines.flatMap(wordsOf).map((line) => steady(line.trim())));
messages.delete('');
if (isCheck) {
  const known = new Set(existsSync(page) ? readFileSync(page, 'utf8').split('\n') : []);
  const unknown = [...messages].filter((message) => !known.has(message)).sort();
  for (const message of unknown) process.stderr.write(`not in test/messages.txt (npm run messages writes it): ${message}\n`);
  process.exitCode = unknown.length === 0 ? 0 : 1;
} else writeFileSync(page, `${[...messages].sort().join('\n')}\n`);
