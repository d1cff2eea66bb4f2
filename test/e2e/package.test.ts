/** The package as somebody installs it: packed, installed alone, run. Needs no network, as it depends on nothing. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { userInfo } from 'node:os';
import { basename, join } from 'node:path';
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
    const list = readFileSync(join(folder, 'node_modules/pdi-cli/dist/sbom.cdx.json'), 'utf8');
    const { bomFormat, metadata, components } = JSON.parse(list);
    expect([bomFormat, metadata.component.purl]).toEqual([
      'CycloneDX',
      `pkg:npm/pdi-cli@${version}`,
    ]);
    expect(components.length).toBeGreaterThan(30);
    for (const { name, version, licenses } of components) {
      expect(notices.split('\n')).toContain(`${name} ${version}`);
      expect(licenses[0].expression, name).toMatch(/^[\w.-]+$/);
    }
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

  // Without an engine: its steps by sh, below a folder instead of the root.
  test('makes the container of the Dockerfile', needsPosix, () => {
    const text = readFileSync(join(project, 'Dockerfile'), 'utf8');
    const [build = '', image = ''] = text.split(/^FROM .*$/m).slice(1);
    const steps = (stage: string, word: string) =>
      Array.from(stage.matchAll(new RegExp(`^${word} (.*)$`, 'gm')), ([, rest = '']) => rest);
    // All that the package and its build are made of is there.
    const copied = steps(build, 'COPY').flatMap((line) => line.split(' ').slice(0, -1));
    const { files, scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
    const needed = [...files.filter((name: string) => name !== 'dist'), 'src', 'package-lock.json'];
    expect(copied).toEqual(expect.arrayContaining([...needed, 'rolldown.config.ts']));
    expect([steps(build, 'RUN'), scripts.dependencies, scripts.prepack]).toEqual([
      ['npm ci --no-audit --no-fund && npm pack --pack-destination /tmp'],
      expect.stringContaining('build'),
      expect.stringContaining('build'),
    ]);
    const root = newFolder();
    mkdirSync(join(root, 'tmp'));
    cpSync(tarball, join(root, 'tmp', basename(tarball)));
    const here = (line: string) =>
      line
        .replaceAll(/(?<= )\/(tmp|state)/g, `${root}/$1`)
        .replace('--global', `--global --prefix ${root} --offline`)
        .replace('node:node', `${userInfo().uid}`);
    for (const line of steps(image, 'RUN')) execute('sh', ['-ec', here(line)], root);
    expect([steps(image, 'ENV'), steps(image, 'VOLUME')]).toEqual([
      ['XDG_STATE_HOME=/state'],
      ['/state'],
    ]);
    const [program = ''] = JSON.parse(steps(image, 'ENTRYPOINT').join());
    const argv = ['--sandbox', 'person', landmarks.person.id, '--max-age', '1h'];
    const env = { ...process.env, XDG_STATE_HOME: join(root, 'state') };
    const options = { cwd: root, env, encoding: 'utf8' } as const;
    const { status, stdout } = spawnSync(join(root, 'bin', program), argv, options);
    expect([status, stdout]).toEqual([0, expect.stringContaining(landmarks.person.id)]);
    expect([steps(image, 'USER'), steps(image, 'STOPSIGNAL')]).toEqual([['node'], ['SIGINT']]);
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
