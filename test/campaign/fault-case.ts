/** One case of the fault campaign: a command against a sandbox that strikes chosen calls, run until its job is done. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CallFault } from '../../src/sandbox/faults.ts';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { newFolder, type RunResult, run } from '../support/run.ts';
import { stillSandbox } from '../support/service.ts';
import {
  expectCall,
  expectJob,
  expectPages,
  type Progress,
  partial,
  type Strikes,
} from './fault-oracle.ts';
import type { Subject } from './fault-subjects.ts';
import { checkBook, twiceIn } from './money.ts';
import type { Case, Check } from './tally.ts';
import { checkManners, type Format, filesWith, recordsOf, statusOf } from './whole.ts';

export interface FaultCase {
  readonly subject: Subject;
  readonly strikes: Strikes;
  readonly format: Format;
}

/** A day that stands still: answers of two runs are the same, byte for byte. */
const now = () => Date.UTC(2026, 6, 1);

/** Long enough never to strike a sound call on a busy machine. */
const patience = '30';
/** For cases with `slow`: long enough all the same, unless the machine stands still. */
const slowPatience = '2';

/** Under way: the service, the place and what the runs so far came to. */
interface Bout {
  readonly check: Check;
  readonly sandbox: Sandbox;
  readonly home: string;
  readonly format: Format;
  readonly argv: readonly string[];
  readonly out: string | undefined;
}

export function faultCase({ subject, strikes, format }: FaultCase): Case {
  const struck = [...strikes].map(([call, fault]) => `${fault} at call ${call}`).join(', ');
  return {
    name: `${subject.name} -o ${format}, ${struck}`,
    async run(check) {
      const sandbox = await stillSandbox({ now, faultRule: ruleOf(subject, strikes) });
      try {
        const bout = boutOf(check, sandbox, subject, format, [...strikes.values()]);
        const sound = await soundRecords(subject, format);
        if (subject.kind === 'job') await jobRuns(bout, subject, strikes, sound);
        else await runsToTheEnd(bout, subject, strikes, sound);
        const seenIn = filesWith(sandbox.keys.full, bout.home);
        check(seenIn.length === 0, 'keys seen', `in ${seenIn.join(', ')}`);
      } finally {
        await sandbox.stop();
      }
    },
  };
}

const ruleOf =
  ({ operation }: Subject, strikes: Strikes) =>
  (call: { readonly operation: string; readonly number: number }): CallFault | undefined =>
    call.operation === operation ? strikes.get(call.number) : undefined;

function boutOf(
  check: Check,
  sandbox: Sandbox,
  subject: Subject,
  format: Format,
  faults: readonly CallFault[],
): Bout {
  const home = newFolder();
  const out = subject.kind === 'job' ? join(home, 'out') : undefined;
  const timeout = faults.includes('slow') ? slowPatience : patience;
  const argv = [
    ...subject.argv(),
    '-o',
    format,
    '--timeout',
    timeout,
    '--retries',
    '2',
    '--verbose',
  ];
  return {
    check,
    sandbox,
    home,
    format,
    argv: out === undefined ? argv : [...argv, '--out', out],
    out,
  };
}

const known = new Map<string, readonly string[]>();

/** What the command gives without faults; asked once. */
async function soundRecords(subject: Subject, format: Format): Promise<readonly string[]> {
  const name = `${subject.name} ${format}`;
  const before = known.get(name);
  if (before !== undefined) return before;
  const sandbox = await stillSandbox({ now });
  try {
    const { code, stdout, stderr } = await run([...subject.argv(), '-o', format], {
      env: envOf(sandbox),
    });
    if (code !== 0) throw new Error(`${subject.name} does not work without faults: ${stderr}`);
    const calls = sandbox.requests()[subject.operation];
    if (calls !== subject.calls)
      throw new Error(`${subject.name} makes ${calls} calls, not ${subject.calls}`);
    const records = recordsOf(format, stdout);
    known.set(name, records);
    return records;
  } finally {
    await sandbox.stop();
  }
}

const envOf = ({ baseUrl, keys }: Sandbox) => ({ PDI_BASE_URL: baseUrl, PDI_API_KEY: keys.full });

/** One run, with what every run owes: manners, no id billed twice, a ledger that covers the bill. */
async function oneRun(
  { check, sandbox, home, format, argv, out }: Bout,
  ...more: string[]
): Promise<RunResult & { text: string }> {
  const billedBefore = sandbox.bill().length;
  const result = await run([...argv, ...more], { home, env: envOf(sandbox) });
  checkManners(check, result, format, sandbox.keys.full);
  const twice = twiceIn(sandbox.bill().slice(billedBefore));
  check(twice.length === 0, 'billed twice', `${twice.join(', ')} in one run`);
  await checkBook(check, home, sandbox.bill());
  if (out === undefined) return { ...result, text: result.stdout };
  check(result.stdout === '', 'broken', 'stdout is not empty beside --out');
  return { ...result, text: existsSync(out) ? readFileSync(out, 'utf8') : '' };
}

/** The first run, the same command again, and once more with leave to buy again what may have been billed. */
async function jobRuns(
  bout: Bout,
  subject: Subject,
  strikes: Strikes,
  sound: readonly string[],
): Promise<void> {
  const { check, sandbox, format } = bout;
  const first = await oneRun(bout);
  const code = expectJob(subject, strikes);
  check(first.code === code, 'broken', `exit ${first.code}, not ${code}: ${first.stderr}`);
  const rows = recordsOf(format, first.text);
  checkRows(check, rows, sound);
  const unknown = rows.filter((row) => statusOf(row) === 'unknown').length;
  const again = await oneRun(bout, ...(code === 0 ? ['--force'] : []));
  check(
    again.code === (unknown > 0 ? partial : 0),
    'broken',
    `the second run: exit ${again.code}: ${again.stderr}`,
  );
  const twice = code === 0 ? [] : twiceIn(sandbox.bill());
  check(twice.length === 0, 'billed twice', twice.join(', '));
  const last = unknown > 0 ? await oneRun(bout, '--retry-unknown') : again;
  check(last.code === 0, 'broken', `with --retry-unknown: exit ${last.code}: ${last.stderr}`);
  checkSame(check, recordsOf(format, last.text), sound);
}

/** Single calls and pages: again and again until the command has done its work, as often as there are faults and once more. */
async function runsToTheEnd(
  bout: Bout,
  subject: Subject,
  strikes: Strikes,
  sound: readonly string[],
): Promise<void> {
  const { check, format } = bout;
  const expect = subject.kind === 'pages' ? expectPages : expectCall;
  let progress: Progress = { calls: 0, done: false };
  const delivered: string[] = [];
  for (let runs = 0; runs <= strikes.size; runs += 1) {
    const { code, text, stderr } = await oneRun(bout);
    const expected = expect(subject, strikes, progress);
    progress = expected;
    check(
      code === expected.code,
      'broken',
      `run ${runs + 1}: exit ${code}, not ${expected.code}: ${stderr}`,
    );
    const records = recordsOf(format, text);
    delivered.push(...records);
    if (subject.onceOverAll !== true) checkStart(check, records, sound);
    if (code === 4 && subject.gone === true) return;
    if (code !== 0) continue;
    checkSame(check, subject.onceOverAll === true ? delivered : records, sound);
    return;
  }
  check(false, 'broken', 'the command never came to its end');
}

/** Every row in its place: the sound one, or one that says what became of it. */
function checkRows(check: Check, rows: readonly string[], sound: readonly string[]): void {
  check(rows.length >= sound.length, 'rows lost', `${rows.length} rows of ${sound.length}`);
  check(rows.length <= sound.length, 'rows doubled', `${rows.length} rows of ${sound.length}`);
  const wrong = rows.filter((row, index) => row !== sound[index] && statusOf(row) === undefined);
  check(wrong.length === 0, 'wrong joins', wrong.join('\n'));
}

/** Records that came before a failure are the first of the sound ones. */
function checkStart(check: Check, records: readonly string[], sound: readonly string[]): void {
  const isStart = records.every((record, index) => record === sound[index]);
  check(isStart, 'wrong joins', `not the first records: ${records.join('\n').slice(0, 500)}`);
}

function checkSame(check: Check, records: readonly string[], sound: readonly string[]): void {
  const lost = sound.filter((record) => !records.includes(record));
  check(lost.length === 0, 'rows lost', lost.join('\n').slice(0, 500));
  check(
    records.length <= sound.length,
    'rows doubled',
    `${records.length} records of ${sound.length}`,
  );
  check(records.join('\n') === sound.join('\n'), 'wrong joins', 'not what a sound run gives');
}
