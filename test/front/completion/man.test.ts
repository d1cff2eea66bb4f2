/** The manual page: that it is the command tree's, and that the programs which read such pages have nothing to say against it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { man, version } from '../../../package.json';
import { environmentVariables } from '../../../src/config/settings.ts';
import { exitTable } from '../../../src/exit.ts';
import { allCommands } from '../../../src/front/commands.ts';
import { entry, filled, literal, verbatim } from '../../../src/front/completion/man.ts';
import { needsProgram } from '../../support/needs.ts';
import { run } from '../../support/run.ts';

const project = fileURLToPath(new URL('../../..', import.meta.url));
const file = join(project, 'completions', 'pdi.1');

let page = '';
beforeAll(async () => {
  page = (await run(['completion', 'man'])).stdout;
});

describe('roff', () => {
  it.each([
    ['.hidden', '\\&.hidden'],
    ["'quoted' `x`", '\\(aqquoted\\(aq \\(gax\\(ga'],
    ['--out a\\tb', '\\-\\-out a\\etb'],
    ['~/.bashrc ^', '\\(ti/.bashrc \\(ha'],
    ['cut…', 'cut\\[u2026]'],
    ['🚀', '\\[u1F680]'],
  ])('%s', (text, expected) => {
    expect(literal(text)).toBe(expected);
  });

  it('begins no line with a request of the text', () => {
    const text = `${'word '.repeat(13)}.bashrc and 'so' on`;
    for (const line of [
      ...filled(text),
      ...verbatim(['.x', "'x"]).slice(2, -2),
      ...entry('.term', '.meaning').slice(2),
    ]) {
      expect(line).toMatch(/^[^.']/);
    }
  });
});

describe('the manual page', () => {
  it('is committed as the command tree gives it (npm run completions writes it), and in the package', () => {
    expect(page).toBe(readFileSync(file, 'utf8'));
    expect(man).toEqual(['completions/pdi.1']);
  });

  it('tells every documented command, exit code and variable', () => {
    for (const { words } of allCommands) expect(page).toContain(`\n.SS pdi ${literal(words)}`);
    for (const { exit, name, when } of Object.values(exitTable)) {
      expect(page).toContain(['.TP', `\\fB${exit} ${name}\\fR`, ...filled(when)].join('\n'));
    }
    for (const [name] of environmentVariables)
      expect(page).toContain(`\n\\fB${literal(name)}\\fR\n`);
  });

  it('shows each example as it would be typed', () => {
    const lines = page.split('\n');
    for (const { examples } of allCommands) {
      for (const [line] of examples) expect(lines).toContain(literal(line));
    }
  });

  it('is not offered as a shell', async () => {
    const help = (await run(['completion', '--help'])).stdout;
    expect(help).toContain('"powershell"');
    expect(help).not.toContain('"man"');
    const { code, stderr } = await run(['completion', 'tcsh', '-o', 'json']);
    expect(code).toBe(2);
    expect(stderr).toContain('allowed choices are bash, zsh, fish, powershell');
  });

  it('has no fault that mandoc finds', needsProgram('mandoc'), () => {
    const { stdout } = spawnSync('mandoc', ['-T', 'lint'], { input: page, encoding: 'utf8' });
    expect(stdout).toBe('');
  });

  it('has the day on which its version came out, as the changelog has it', () => {
    const [, day] =
      new RegExp(`^## ${version} \\((\\d{4}-\\d\\d-\\d\\d)\\)$`, 'm').exec(
        readFileSync(join(project, 'CHANGELOG.md'), 'utf8'),
      ) ?? [];
    expect(page).toContain(`.TH PDI 1 "${day}" "pdi ${version}"`);
  });

  it('reads well at 80 columns', needsProgram('man', 'groff'), () => {
    const env = { PATH: process.env.PATH, MANWIDTH: '80', LC_ALL: 'C.UTF-8' };
    const shown = execFileSync('man', ['-l', file], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    expect(shown).toContain('pdi resolve [options] [identifier...]');
    expect(shown).toContain('-o, --output <format>');
    expect(shown).toMatch(/jq -r '\.matches\[0\]\.person_id \/\/ empty'/);
    // Only lines that are typed, or belong to other programs, may be wider.
    const wide = shown.split('\n').filter((line) => line.length > 80 && !/^ {11}/.test(line));
    expect(wide).toEqual([]);
  });
});
