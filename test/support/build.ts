/** Builds the program once before the tests, so that the binary they start is that of the source they check, and tidies up after them. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What a person who runs the tests may have set for the program, or npx for the packages of its own command; not what is meant for the tests. */
const forOthers =
  /^(?:XDG_|PDI_(?!BINARY|CAMPAIGN|INSPECTOR|PRISM)|npm_config_(?:package|call|yes)$)/;

export default function build(): () => void {
  for (const name of Object.keys(process.env).filter((name) => forOthers.test(name)))
    delete process.env[name];
  // npm is a script there, which its shell alone starts.
  const shell = process.platform === 'win32';
  const stdio = ['ignore', 'ignore', 'inherit'] as const;
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: [...stdio], shell });
  // Tests make thousands of folders. Its name is short, because the path of a socket is at most 107 bytes long.
  // Tests split command lines at blanks, and some give one to a shell.
  const places = [...(isRoomy(memory) ? [memory] : []), tmpdir(), '/tmp', '/var/tmp'].filter(
    (place) => !/\s/.test(place),
  );
  const folder = mkdtempSync(join(places[0] ?? tmpdir(), 'pdi-'));
  // Some tests start the program as another user.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  process.env.TEMP = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** Nothing that a test writes has to survive, and on a disk each new book waits for it several times. */
const memory = '/dev/shm';

/** Whether nobody chose another place, there is room, and programs may be run there. */
function isRoomy(folder: string): boolean {
  if (process.env.TMPDIR !== undefined) return false;
  try {
    const { bavail, bsize } = statfsSync(folder);
    const own = mkdtempSync(join(folder, 'pdi-'));
    try {
      writeFileSync(join(own, 'script'), '#!/bin/sh\n', { mode: 0o755 });
      execFileSync(join(own, 'script'));
    } finally {
      rmSync(own, { recursive: true });
    }
    return bavail * bsize > 4 * 1024 ** 3;
  } catch {
    return false;
  }
}
