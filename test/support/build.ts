/** Builds the program once before the tests, so that the binary they start is that of the source they check. */
import { execFileSync } from 'node:child_process';

export default function build(): void {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: ['ignore', 'ignore', 'inherit'] });
}
