// @ts-check
/** `node count-throws.mjs FILE PROGRAM ARGUMENTS…` runs the program, and writes a line to FILE for each time that anything is thrown. */
import { Worker } from 'node:worker_threads';

const [node = '', , file = '', program = '', ...args] = process.argv;

/** Pauses wherever something is thrown, caught or not, notes what, and goes on. */
const watch = `
const { appendFileSync } = require('node:fs');
const { Session } = require('node:inspector');
const { parentPort, workerData } = require('node:worker_threads');
const session = new Session();
session.connectToMainThread();
session.on('Debugger.paused', ({ params }) => {
  appendFileSync(workerData, String(params.data?.description).split('\\n')[0] + '\\n');
  session.post('Debugger.resume');
});
session.post('Debugger.enable');
session.post('Debugger.setPauseOnExceptions', { state: 'all' }, () => parentPort.postMessage('watching'));
setInterval(() => {}, 1000);`;

const worker = new Worker(watch, { eval: true, workerData: file });
await new Promise((resolve) => worker.once('message', resolve));
worker.unref();
process.argv = [node, program, ...args];
await import(program);
