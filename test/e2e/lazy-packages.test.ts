/** Packages that one command or format needs are in files of their own, which nothing loads at start. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));
const code = readdirSync(dist)
  .filter((name) => name.endsWith('.cjs'))
  .map((name) => ({ name, text: readFileSync(join(dist, name), 'utf8') }));

it.each([
  ['@modelcontextprotocol/server', 'io.modelcontextprotocol/clientCapabilities', /^serve-/],
  ['hyparquet-writer', 'parquet required value is undefined', /^parquet-/],
])('%s is in one file, which is imported where it is used', (_package, itsWords, file) => {
  const theirs = code.filter(({ text }) => text.includes(itsWords));
  expect(theirs.map(({ name }) => name)).toEqual([expect.stringMatching(file)]);
  const [{ name = '' } = {}] = theirs;
  const uses = code.flatMap(({ text }) => text.split(`require("./${name}")`).slice(0, -1));
  expect(uses.map((before) => before.slice(-'then(()=>'.length))).toEqual(['then(()=>']);
});
