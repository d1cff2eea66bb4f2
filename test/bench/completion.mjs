// @ts-check
/** One word completed in bash, against a completion that looks nothing up and starts nothing. */
import { spawnSync } from 'node:child_process';
import { interleave, median, ratio } from './figures.mjs';
import { beside, environment } from './measure.mjs';
import { roundsOf } from './options.mjs';

/** @typedef {import('./goals.mjs').Figure} Figure */

const words = 200;

/** Completes `per` so many times in one shell, after the definitions in `setUp`; milliseconds a word. */
function wordMs(/** @type {string} */ setUp) {
  const loop = `COMP_WORDS=(pdi per); COMP_CWORD=1; s=$EPOCHREALTIME; for ((n = 0; n < ${words}; n++)); do _pdi; done; e=$EPOCHREALTIME`;
  const script = `${setUp}\n${loop}; [[ \${COMPREPLY[0]} == person ]] && echo "$s $e"`;
  const { stdout, status } = spawnSync('bash', ['--norc', '-c', script], { env: environment, encoding: 'utf8' });
  if (status !== 0) throw new Error('bash completed nothing');
  const [start = 0, end = 0] = stdout.replaceAll(',', '.').trim().split(' ').map(Number);
  return ((end - start) * 1000) / words;
}

const names = 'resolve person feed revenue investors lists searches network health config spend sandbox completion help';
const plain = `_pdi() { local word="\${COMP_WORDS[COMP_CWORD]}"; COMPREPLY=($(compgen -W '${names}' -- "$word")); }`;

/** @returns {Promise<Figure[]>} */
export async function completion() {
  const script = beside('../../completions/pdi.bash');
  const ways = { own: () => wordMs(`source '${script}'`), plain: () => wordMs(plain) };
  const runs = await interleave(roundsOf(9), ways);
  const milliseconds = (/** @type {readonly number[]} */ times) => `${median(times).toFixed(2)} ms`;
  const [own, bare] = [runs('own'), runs('plain')];
  return [ratio('completion: a word in bash', own, bare, { own: milliseconds(own), baseline: `calls nothing ${milliseconds(bare)}` })];
}
