// @ts-check
/** What an installation takes: the package, packed and installed as npm does it, without development dependencies. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { amount } from './figures.mjs';
import { workFolder } from './measure.mjs';

/** @typedef {import('./goals.mjs').Figure} Figure */

const npm = (/** @type {string} */ cwd, /** @type {readonly string[]} */ args) =>
  execFileSync('npm', [...args, '--ignore-scripts', '--loglevel=error'], { cwd, encoding: 'utf8' });

/**
 * @param {string} pdi the program, in a folder that can be packed
 * @returns {Promise<Figure[]>}
 */
export async function size(pdi) {
  const folder = join(workFolder, 'installed');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const packed =
    npm(join(pdi, '../..'), ['pack', '--pack-destination', folder]).trim().split('\n').at(-1) ?? '';
  npm(folder, [
    'install',
    '--omit=dev',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    join(folder, packed),
  ]);
  const files = readdirSync(join(folder, 'node_modules'), { recursive: true, encoding: 'utf8' });
  const bytes = files
    .map((file) => statSync(join(folder, 'node_modules', file)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);
  const packages = files.filter((file) =>
    /(?:^|node_modules\/)(?:@[^/]+\/)?[^/@.][^/]*\/package\.json$/.test(file),
  );
  return [
    amount('size: installed, MB', [bytes / 1_000_000]),
    amount('size: packages', [packages.length]),
  ];
}
