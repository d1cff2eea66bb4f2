/**
 * Writes every message that the test suite makes the program print to `messages.txt`, once each, so that all of them can be read on one
 * page, and a change of one is seen in a diff. What differs from run to run (names, numbers, places) has a word in capitals.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

const gathered = join(mkdtempSync(join(tmpdir(), 'pdi-messages-')), 'stderr');
const page = fileURLToPath(new URL('messages.txt', import.meta.url));

// Tests that draw their input or attack the program would give another page each time.
const files = ['test/commands', 'test/config', 'test/input', 'test/output', 'test/run', 'test/cli', ...rootTests()];
const { status } = spawnSync('npx', ['vitest', 'run', ...files], { env: { ...process.env, PDI_MESSAGES: gathered }, stdio: 'inherit' });
if (status !== 0) process.exit(1);

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

const lines = stripVTControlCharacters(readFileSync(gathered, 'utf8')).split('\n');
const messages = new Set(lines.flatMap(wordsOf).map((line) => steady(line.trim())));
messages.delete('');
writeFileSync(page, `${[...messages].sort().join('\n')}\n`);
