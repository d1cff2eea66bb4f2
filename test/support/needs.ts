/** What a test asks of the machine. Where that is not there it is skipped, and `skips.ts` lists it by name and reason. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';

declare module 'vitest' {
  interface TaskMeta {
    /** Why it is skipped. */
    skipped?: string;
  }
}

/** Options of a test, or of several, that are skipped for this reason unless the machine has what they need. */
export const needs = (isThere: boolean, reason: string) =>
  isThere ? {} : { skip: true, meta: { skipped: reason } };

/** Whether a program of this name, or of this path, is there. */
const isInstalled = (program: string): boolean =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(resolve(folder, program)));

/** The same for programs that must be installed. */
export function needsProgram(...programs: readonly string[]) {
  const missing = programs.filter((program) => !isInstalled(program));
  return needs(missing.length === 0, `not installed: ${missing.join(', ')}`);
}

/** That of the system, which has the packages of the system. */
export const python = '/usr/bin/python3';

/** The same for Python, and for modules of it. */
export const needsPython = (...modules: readonly string[]) =>
  needs(
    spawnSync(python, ['-c', modules.map((name) => `import ${name}`).join('\n')]).status === 0,
    ['not installed: python3', ...modules].join('-'),
  );

export const needsPosix = needs(
  process.platform !== 'win32',
  'Windows has no modes, pipes with names, and signals as POSIX has them',
);
export const needsLinux = needs(process.platform === 'linux', 'this asks Linux');

export const isRoot = process.getuid?.() === 0;
export const needsRoot = needs(isRoot, 'this user is not root');
export const needsNoRoot = needs(
  process.getuid !== undefined && !isRoot,
  'modes mean nothing to root, nor to Windows',
);
