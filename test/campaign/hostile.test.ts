/** Answers of a service gone wrong, or gone over to an enemy: an exit code of the table, one clear line, no crash, no hang, little memory. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';
import { rawOrigin } from '../support/raw-origin.ts';
import { personIds } from '../support/records.ts';
import { newFolder, run } from '../support/run.ts';
import { linesFile } from '../support/service.ts';
import { campaign } from './campaign.ts';
import { long, sampled, seed } from './effort.ts';
import { body, type Hostile } from './hostile.ts';
import { hostileAnswers } from './hostile-answers.ts';
import { pdi, preloading } from './process.ts';
import type { Case, Check } from './tally.ts';
import { checkManners, recordsOf, statusOf } from './whole.ts';

const key = 'sandbox-key-full';
const megabytes = 300;
/** Of the processor's time that a good answer takes, read at the same moment: a large one takes some times that. */
const timesGood = 10;

interface End {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What the process used, where it had one of its own: the highest resident set in MB, and milliseconds of the processor. */
  readonly used?: { readonly peakMb: number; readonly cpuMs: number };
}

interface Command {
  readonly name: string;
  readonly argv: () => readonly string[];
  /** Which of the codes is its own. */
  readonly at: 0 | 1 | 2;
}

const commands: readonly Command[] = [
  { name: 'person', argv: () => ['person', 'per_1'], at: 0 },
  { name: 'resolve', argv: () => ['resolve', 'ada', '--retries', '1'], at: 1 },
  {
    name: 'person -i',
    argv: () => ['person', '-i', linesFile(personIds(4)), '--retries', '1'],
    at: 2,
  },
];

describe(`hostile answers (seed ${seed})`, () => {
  const small = hostileAnswers.filter(({ large }) => large !== true);

  campaign('hostile answers', { atOnce: long ? 2 : 8 }, () =>
    sampled(casesOf(small, commands, long ? asProcess : inProcess), 4),
  );

  const few = hostileAnswers.filter(
    ({ name, large }) =>
      large === true && (long || /announced|packed|of objects|wrong ones/.test(name)),
  );
  campaign('hostile answers, large', { atOnce: 2 }, () =>
    casesOf(few, long ? commands : commands.slice(0, 1), asProcess),
  );
});

type Run = (argv: readonly string[], baseUrl: string) => Promise<End>;

const casesOf = (
  answers: readonly Hostile[],
  asked: readonly Command[],
  runWith: Run,
): readonly Case[] =>
  answers.flatMap((hostile) =>
    asked.map((command) => ({
      name: `${hostile.name}: ${command.name}`,
      run: (check) => tryOne(check, hostile, command, runWith),
    })),
  );

async function tryOne(
  check: Check,
  hostile: Hostile,
  command: Command,
  runWith: Run,
): Promise<void> {
  const answers = [hostile.answer, ...(runWith === asProcess ? [body((sound) => sound)] : [])];
  const services = await Promise.all(
    answers.map((answer) => rawOrigin((request) => answer(request))),
  );
  try {
    const argv = [
      ...command.argv(),
      '-o',
      'json',
      '--timeout',
      hostile.hangs === true ? '1' : '60',
      '--max-wait',
      '0.1',
    ];
    const [end, good] = await Promise.all(
      services.map(({ port }) => runWith(argv, `http://127.0.0.1:${port}/api/v1`)),
    );
    if (end === undefined) return;
    check((end.used?.peakMb ?? 0) < megabytes, 'broken', `${end.used?.peakMb} MB of memory`);
    const [spent, due] = [end.used?.cpuMs ?? 0, timesGood * (good?.used?.cpuMs ?? 0)];
    check(
      spent <= due,
      'hangs',
      `${spent} ms of the processor, where ${timesGood} good answers take ${due}`,
    );
    // Beyond its time it would say another.
    check(
      hostile.hangs !== true || /within 1 s/.test(end.stdout + end.stderr),
      'hangs',
      end.stderr,
    );
    checkManners(check, end, 'json', key);
    const code = hostile.codes[command.at];
    check(
      end.code === code,
      'broken',
      `exit ${end.code}, not ${code}: ${end.stderr.slice(0, 600)}`,
    );
    checkRecords(check, hostile, command, end);
  } finally {
    await Promise.all(services.map((service) => service.close()));
  }
}

function checkRecords(
  check: Check,
  { says, codes }: Hostile,
  { at }: Command,
  { stdout, stderr }: End,
): void {
  const records = recordsOf('json', stdout);
  check(
    records.length === (at === 2 ? (codes[2] === 6 ? records.length : 4) : codes[at] === 0 ? 1 : 0),
    'rows lost',
    `${records.length} records`,
  );
  if (codes[at] === 0) return;
  const line =
    at === 2
      ? records.filter((record) => statusOf(record) !== undefined).join('\n') || stderr
      : stderr;
  check(says.test(line), 'broken', `does not say ${says}: ${line.slice(0, 600)}`);
  check(stderr.length < 2000, 'broken', `${stderr.length} characters of complaint`);
  check(!/[^\P{C}\n]/u.test(stderr), 'broken', 'control characters on stderr');
}

const inProcess: Run = (argv, baseUrl) =>
  run(argv, { env: { PDI_BASE_URL: baseUrl, PDI_API_KEY: key } });

const measuring = fileURLToPath(new URL('../bench/usage.cjs', import.meta.url));

const asProcess: Run = async (argv, baseUrl) => {
  const home = newFolder();
  const usage = join(home, 'usage.json');
  const env = { BENCH_USAGE: usage, ...preloading(measuring) };
  const { code, stdout, stderr } = await pdi(argv, { home, baseUrl, env }).ended;
  return { code, stdout, stderr, used: JSON.parse(readFileSync(usage, 'utf8')) };
};
