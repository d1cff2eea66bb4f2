/** The package as somebody installs it: packed, installed alone, run. Needs no network, as it depends on nothing. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { version } from '../../package.json';
import { landmarks } from '../sandbox/landmarks.ts';
import { needsPosix } from '../support/needs.ts';
import { newFolder } from '../support/run.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));

/** Runs a program to its end; throws where it fails. */
const execute = (program: string, args: readonly string[], cwd: string): string =>
  execFileSync(program, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, XDG_STATE_HOME: cwd },
  });

describe('the package', () => {
  const folder = newFolder();
  const flags = ['--ignore-scripts', '--offline', '--no-audit', '--no-fund', '--silent'];
  let [tarball, packed]: [string, readonly string[]] = ['', []];

  beforeAll(() => {
    // Without scripts: the build of this test run is packed, and not made anew under the feet of other tests.
    const output = execute(
      'npm',
      ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder],
      project,
    );
    tarball = join(folder, output.trim());
    packed = execute('tar', ['-tf', tarball], folder)
      .trim()
      .split('\n')
      .map((path) => path.replace('package/', ''));
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    execute('npm', ['install', '--omit=dev', ...flags, tarball], folder);
  }, 300_000);

  test('holds the program, its licences and its description', () => {
    for (const path of [
      'package.json',
      'README.md',
      'LICENSE',
      'bin/pdi.js',
      'dist/main.cjs',
      'dist/THIRD-PARTY-NOTICES.txt',
    ]) {
      expect(packed).toContain(path);
    }
  });

  test('holds neither sources nor tests', () => {
    const allowed =
      /^(?:bin|dist|completions|skills)\/|^(?:package\.json|README\.md|LICENSE|CHANGELOG\.md)$/;
    expect(packed.filter((path) => !allowed.test(path))).toEqual([]);
  });

  test('installs alone', () => {
    const tree: unknown = JSON.parse(execute('npm', ['ls', '--all', '--json'], folder));
    expect(tree).toMatchObject({ dependencies: { 'pdi-cli': { version } } });
    expect(JSON.stringify(tree)).not.toContain('"undici"');
  });

  // npm overlooks a `man` in package.json that is no list.
  test('installed for everybody, has its manual where man looks', {
    timeout: 300_000,
    ...needsPosix,
  }, () => {
    execute('npm', ['install', '--global', '--prefix', folder, ...flags, tarball], folder);
    const page = readFileSync(join(folder, 'share', 'man', 'man1', 'pdi.1'), 'utf8');
    expect(page).toBe(readFileSync(join(project, 'completions', 'pdi.1'), 'utf8'));
  });

  test('names the licence of each package in the bundle', () => {
    const notices = readFileSync(
      join(folder, 'node_modules/pdi-cli/dist/THIRD-PARTY-NOTICES.txt'),
      'utf8',
    );
    for (const name of ['commander', 'undici', 'zod', 'csv-stringify'])
      expect(notices).toMatch(new RegExp(`^${name} \\d`, 'm'));
  });

  test('runs', () => {
    expect(execute('npx', ['--no-install', 'pdi', '--version'], folder)).toBe(`${version}\n`);
    const resolved: unknown = JSON.parse(
      execute('npx', ['--no-install', 'pdi', '--sandbox', 'resolve', landmarks.person.url], folder),
    );
    expect(resolved).toMatchObject({ matches: [{ person_id: landmarks.person.id }] });
    const place = execute('npx', ['--no-install', 'pdi', 'help', 'skill'], folder).trim();
    expect(readFileSync(place.split('\n').at(-1)?.trim() ?? '', 'utf8')).toContain('name: pdi');
  });

  test(
    'says in its check that there is no SQLite, and what installs it; the sandbox needs none',
    needsPosix,
    () => {
      const place = newFolder();
      writeFileSync(join(place, 'package.json'), '{ "private": true }\n');
      for (const installed of ['node_modules', 'lib/node_modules'])
        cpSync(join(folder, 'node_modules/pdi-cli'), join(place, installed, 'pdi-cli'), {
          recursive: true,
        });
      const without = isBuiltin('node:sqlite') ? ['--no-experimental-sqlite'] : [];
      const runBy = (installed: string, ...argv: readonly string[]) =>
        spawnSync(
          process.execPath,
          [...without, join(place, installed, 'pdi-cli/bin/pdi.js'), '--sandbox', ...argv],
          { cwd: place, encoding: 'utf8' },
        );
      const { status, stdout, stderr } = runBy('node_modules', 'config', 'check');
      expect([status, stdout]).toEqual([1, expect.stringContaining('no SQLite')]);
      expect(stderr).toContain(`npm --prefix ${place} install libsql`);
      const { stderr: ofAll } = runBy('lib/node_modules', 'config', 'check');
      expect(ofAll).toContain('npm install --global libsql');
      const person = runBy('node_modules', 'person', landmarks.person.id);
      expect([person.status, person.stdout]).toEqual([0, expect.stringContaining('Ada')]);
    },
  );
});
