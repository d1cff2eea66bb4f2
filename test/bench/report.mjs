// @ts-check
/** What is printed and kept of a run: figures, and the machine that they are of. */
import { cpus, loadavg, totalmem } from 'node:os';
import { verdict } from './goals.mjs';
import { quick } from './options.mjs';

/** @typedef {import('./goals.mjs').Figure} Figure */

/** The machine as it was before anything was measured. */
export const machine = {
  at: new Date().toISOString(),
  node: process.version,
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  load: loadavg().map((value) => Number(value.toFixed(2))),
};

/** Also says of a busy machine that it is one: a figure's spread then tells more about the others on it. */
export function headLine() {
  const { at, node, cpu, cores, memoryGb, load } = machine;
  const facts = [
    at,
    `Node ${node}`,
    cpu,
    `${cores} cores`,
    `${memoryGb} GB`,
    `load ${load.join(' ')}`,
  ];
  const doubts = [
    (load[0] ?? 0) > cores / 4 ? 'BUSY MACHINE' : '',
    quick ? 'QUICK LOOK' : '',
  ].filter((doubt) => doubt !== '');
  return [...facts, ...doubts].join(', ');
}

const header = ['figure', 'value', 'best to worst', 'rounds', 'pdi', 'baseline', 'goal'];

/** @param {readonly Figure[]} figures */
export function tableOf(figures) {
  const rows = [header, ...figures.map(rowOf)];
  const widths = header.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (/** @type {readonly string[]} */ row) =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
}

/** @param {Figure} figure */
function rowOf(figure) {
  const { name, value, low, high, rounds, own, baseline } = figure;
  const spread = rounds > 1 ? `${low.toFixed(2)} to ${high.toFixed(2)}` : '';
  return [name, value.toFixed(2), spread, String(rounds), own, baseline, verdict(figure)];
}

/** One figure a line, each with its machine. */
export const linesOf = (/** @type {readonly Figure[]} */ figures) =>
  figures.map((figure) => `${JSON.stringify({ ...figure, ...machine })}\n`).join('');
