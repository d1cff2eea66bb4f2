/** What comes into the program from others: what the lock file pins, whether it runs anything when it is installed, and under which licences. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isObject } from '../src/json/exact.ts';

const read = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8');

const asRecord = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});
const manifest = asRecord(JSON.parse(read('package.json')));
const locked = Object.entries(
  asRecord(asRecord(JSON.parse(read('package-lock.json'))).packages),
).filter(([path]) => path !== '');
const named = (wanted: (entry: Record<string, unknown>) => boolean): readonly string[] =>
  locked.filter(([, entry]) => wanted(asRecord(entry))).map(([path]) => path);

/** Permissive, and asking no more than that their notice goes along (the Unlicense not even that); the last is a build tool's and is in no package of ours. */
const permissive = [
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  '0BSD',
  'MIT OR Apache-2.0',
  '(MIT OR CC0-1.0)',
  'BlueOak-1.0.0',
  'Unlicense',
];
const buildOnly = 'MPL-2.0';

test('who installs the package installs nothing else but SQLite for an older Node 20, and runs nothing', () => {
  for (const kind of ['dependencies', 'peerDependencies', 'bundleDependencies'])
    expect(manifest).not.toHaveProperty(kind);
  expect(Object.keys(asRecord(manifest.optionalDependencies))).toEqual(['libsql']);
  const scripts = Object.keys(asRecord(manifest.scripts));
  expect(scripts.filter((name) => /^(?:pre|post)?install$/.test(name))).toEqual([]);
});

test('every package we build with is one version, known by its hash, from no place but a registry', () => {
  const versions = Object.values({
    ...asRecord(manifest.devDependencies),
    ...asRecord(manifest.optionalDependencies),
  }).map(String);
  expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  expect(
    named(({ integrity }) => typeof integrity !== 'string' || !integrity.startsWith('sha512-')),
  ).toEqual([]);
  // No address is written down: a package comes from the registry that npm is set to, and from nowhere else.
  expect(named(({ resolved, link }) => link === true || resolved !== undefined)).toEqual([]);
});

test('none of them runs a script when it is installed', () => {
  // One of vitest's own, for macOS alone, and optional: `npm ci --ignore-scripts` does without it.
  expect(
    named(({ hasInstallScript }) => hasInstallScript === true).filter(
      (path) => !path.endsWith('/fsevents'),
    ),
  ).toEqual([]);
});

test('all are permissively licensed; what is not goes into no package', () => {
  expect(named(({ license }) => ![...permissive, buildOnly].includes(String(license)))).toEqual([]);
  const bundled = Array.from(
    read('dist/THIRD-PARTY-NOTICES.txt').matchAll(/^(@?[a-z][\w./-]*) (\d+\.\d+\.\d+\S*)$/gm),
    ([, name]) => name,
  );
  expect(bundled.length).toBeGreaterThan(20);
  const licences = new Set(
    bundled.map((name) =>
      String(asRecord(locked.find(([path]) => path.endsWith(`node_modules/${name}`))?.[1]).license),
    ),
  );
  expect([...licences].filter((licence) => !permissive.includes(licence))).toEqual([]);
});
