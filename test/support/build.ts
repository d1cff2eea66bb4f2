/** Builds the program once before the tests, so that the binary they start is that of the source they check, and tidies up after them. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export default function build(): () => void {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: ['ignore', 'ignore', 'inherit'] });
  // Tests make thousands of folders. Its name is short, because the path of a socket is at most 107 bytes long.
  const folder = mkdtempSync(join(tmpdir(), 'pdi-'));
  // Some tests start the program as another user.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
