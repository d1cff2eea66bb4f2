/** One FILE under several names, and FILE edited between two runs: a job is broken off, and goes on without buying or overwriting anything. */
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { isHeld } from '../../src/files/lock.ts';
import { hiddenBeside } from '../../src/files/private.ts';
import { sqliteEngine } from '../../src/files/sqlite.ts';
import { between, type NonEmpty, pick, type Random } from '../../src/sandbox/dataset/random.ts';
import { follow } from '../support/following.ts';
import { personIds } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import { linesFile } from '../support/service.ts';
import { campaign, drawn } from './campaign.ts';
import { luck, seed } from './effort.ts';
import { checkBook, twiceIn } from './money.ts';
import { isOver } from './pause.ts';
import { type Ended, eventually, type Place, pdi, type Running } from './process.ts';
import type { Case, Check } from './tally.ts';
import { type TroubledSandbox, troubledSandbox } from './troubled.ts';
import { formats, recordsOf, statusOf } from './whole.ts';

const effort = { atOnce: 3 };
const people = 24;
const concurrency = 4;

/** How a job is broken off; where credits end or Ctrl-C comes, FILE is written. */
const breaks = ['credits', 'SIGINT', 'SIGKILL'] as const;
type Break = (typeof breaks)[number];

/** A job over a few people, whose FILE is `home/real/out`. */
class Job {
  readonly home = newFolder();
  readonly file = join(this.home, 'real', 'out');
  private readonly ids = linesFile(personIds(people));
  readonly format;
  private running: Running | undefined;

  constructor(
    readonly check: Check,
    readonly service: TroubledSandbox,
    random: Random,
  ) {
    mkdirSync(join(this.home, 'real'));
    this.format = pick(random, formats);
  }

  start(
    out = this.file,
    { folder, more = [] }: { readonly folder?: string; readonly more?: readonly string[] } = {},
  ): Running {
    const place: Place = {
      home: this.home,
      baseUrl: this.service.baseUrl,
      ...(folder !== undefined && { folder }),
    };
    const argv = [
      'person',
      '-i',
      this.ids,
      '-o',
      this.format,
      '--fields',
      'person_id',
      '--retries',
      '0',
    ];
    this.running = pdi([...argv, '--concurrency', `${concurrency}`, '--out', out, ...more], place);
    return this.running;
  }

  /** Ends the last run that was started. */
  end(signal: NodeJS.Signals): void {
    this.running?.child.kill(signal);
  }

  /** Each id is on the bill once, whatever the ledger knows of it. */
  async checkBill(name: string): Promise<void> {
    const twice = twiceIn(this.service.bill());
    this.check(twice.length === 0, 'billed twice', `${name}: ${twice.join(', ')}`);
    await checkBook(this.check, this.home, this.service.bill());
  }

  /** Every row is in `FILE`, once, in order. */
  checkWhole(name: string): void {
    const rows = recordsOf(this.format, readFileSync(this.file, 'utf8'));
    this.check(rows.length >= people, 'rows lost', `${name}: ${rows.length} rows`);
    this.check(rows.length <= people, 'rows doubled', `${name}: ${rows.length} rows`);
    const wrong = rows.filter(
      (row, at) =>
        JSON.parse(row).person_id !== personIds(people)[at] || statusOf(row) !== undefined,
    );
    this.check(wrong.length === 0, 'wrong joins', `${name}: ${wrong.join('\n')}`);
    const left = readdirSync(join(this.home, 'real')).filter((entry) =>
      /^\.pdi-|\.(?:lock|tmp|journal)$/.test(entry),
    );
    this.check(left.length === 0, 'broken', `${name}: left behind: ${left.join(', ')}`);
  }

  /** The rest, and what may have been billed, is there after these runs; only the second may buy anything again. */
  async complete(
    first: Ended,
    again: (...more: string[]) => Promise<Ended>,
    mayLose: boolean,
    name: string,
  ): Promise<void> {
    this.check(
      first.code === 0 || (first.code === 8 && mayLose),
      'broken',
      `${name}: exit ${first.code}: ${first.stderr}`,
    );
    await this.checkBill(name);
    if (first.code === 8) {
      const last = await again('--retry-unknown');
      this.check(
        last.code === 0,
        'broken',
        `${name}, --retry-unknown: exit ${last.code}: ${last.stderr}`,
      );
    }
    this.checkWhole(name);
  }
}

/** A job against a service of its own, which is broken off after some answers. */
async function brokenOff(
  check: Check,
  random: Random,
  how: Break,
  run: (job: Job, good: number) => Promise<void>,
): Promise<void> {
  const good = between(random, 1, people - concurrency - 1);
  let job: Job | undefined;
  const meanwhile = how === 'credits' ? undefined : () => job?.end(how);
  const service = await troubledSandbox(
    { latency: 5 },
    { good, trouble: how === 'credits' ? 'credits run out' : undefined, meanwhile },
  );
  try {
    job = new Job(check, service, random);
    await run(job, good);
  } finally {
    await service.stop();
  }
}

/** A name of FILE, and the folder in which it is said. */
interface Name {
  readonly out: string;
  readonly folder?: string;
}

/** Makes the links once, whose goals need not be there. */
function namesOf({ home, file }: Job): NonEmpty<Name> {
  const real = join(home, 'real');
  mkdirSync(join(home, 'links'));
  symlinkSync(file, join(home, 'links', 'absolute'));
  symlinkSync('../real/out', join(home, 'links', 'relative'));
  symlinkSync('links/absolute', join(home, 'link-to-link'));
  symlinkSync(real, join(home, 'alias'));
  return [
    { out: file },
    { out: join(home, 'links', 'absolute') },
    { out: join(home, 'links', 'relative') },
    { out: join(home, 'link-to-link') },
    { out: join(home, 'alias', 'out') },
    { out: 'out', folder: real },
    { out: './out', folder: real },
    { out: 'real/../real/./out', folder: home },
    { out: `${home}//real/./out` },
    { out: '../alias/out', folder: join(home, 'links') },
  ];
}

const links = ['links/absolute', 'links/relative', 'link-to-link', 'alias'];

function checkLinks({ check, home }: Job, name: string): void {
  const broken = links.filter((link) => !lstatSync(join(home, link)).isSymbolicLink());
  check(broken.length === 0, 'broken', `${name}: no link any more: ${broken.join(', ')}`);
}

const namesCase = (index: number): Case => ({
  name: `names of a file ${index}`,
  async run(check) {
    const random = luck('names of a file', index);
    const how = pick(random, breaks);
    await brokenOff(check, random, how, async (job) => {
      const names = namesOf(job);
      const [one, other, third] = [pick(random, names), pick(random, names), pick(random, names)];
      const told = `${how}, ${[one, other, third].map(({ out }) => out).join(', ')}`;
      if (random() < 0.4) await atOnce(job, one, other, told);
      else await job.start(one.out, one).ended;
      await job.checkBill(told);
      job.service.mend();
      checkLinks(job, told);
      if (!existsSync(job.file) || existsSync(`${job.file}.journal`)) {
        const again = (...more: string[]) => job.start(third.out, { ...third, more }).ended;
        await job.complete(await job.start(other.out, other).ended, again, how === 'SIGKILL', told);
      }
      checkLinks(job, told);
    });
  },
});

/** A second run under another name is refused while the first is at it. */
async function atOnce(job: Job, one: Name, other: Name, told: string): Promise<void> {
  const first = job.start(one.out, one);
  const lock = await hiddenBeside(job.file, 'lock');
  const engine = await sqliteEngine();
  const holds = () => existsSync(lock) && isHeld(engine, lock);
  await eventually(() => isOver(first) || holds() || undefined);
  first.child.kill('SIGSTOP');
  const isLocked = !isOver(first) && holds();
  const second = isLocked ? await job.start(other.out, other).ended : undefined;
  first.child.kill('SIGCONT');
  await first.ended;
  if (second === undefined) return;
  const isRefused = second.code === 2 && /is in use by another run/.test(second.stderr);
  job.check(isRefused, 'broken', `${told}, at once: exit ${second.code}: ${second.stderr}`);
}

type Edit = readonly [
  name: string,
  /** What pdi did not write may not be overwritten without `--force`. */
  isOurs: boolean,
  make: (file: string, random: Random) => void,
];

function replaced(file: string): void {
  writeFileSync(`${file}.new`, 'x'.repeat(statSync(file).size));
  renameSync(`${file}.new`, file);
}

const edits: NonEmpty<Edit> = [
  ['appended to', false, (file) => appendFileSync(file, 'a remark of mine\n')],
  [
    'truncated',
    false,
    (file, random) => truncateSync(file, between(random, 0, statSync(file).size - 1)),
  ],
  ['replaced by another of the same size', false, replaced],
  [
    'written over with the same size',
    false,
    (file) => writeFileSync(file, 'y'.repeat(statSync(file).size)),
  ],
  ['touched', false, (file) => utimesSync(file, new Date(), new Date())],
  ['deleted', true, (file) => rmSync(file)],
  ['read-only', true, (file) => chmodSync(file, 0o444)],
  ['of another mode', true, (file) => chmodSync(file, 0o640)],
  ['not edited', true, () => {}],
];

const editCase = (index: number): Case => ({
  name: `an edited file ${index}`,
  async run(check) {
    const random = luck('an edited file', index);
    const [name, isOurs, edit] = edits[index % edits.length] ?? edits[0];
    const how = pick<Break>(random, ['credits', 'SIGINT']);
    await brokenOff(check, random, how, async (job) => {
      const first = await job.start().ended;
      const told = `${name} after ${how}`;
      // A signal may come when all is bought: then the job is done, and has no journal.
      if (!existsSync(`${job.file}.journal`) && first.code !== 1) return job.checkWhole(told);
      if (
        !check(
          existsSync(job.file),
          'rows lost',
          `${told}: no FILE: exit ${first.code}: ${first.stderr}`,
        )
      )
        return;
      edit(job.file, random);
      const bytes = bytesIn(job.file);
      const mode = existsSync(job.file) ? statSync(job.file).mode : undefined;
      job.service.mend();
      const bought = job.service.bill().length;
      const second = await job.start().ended;
      const again = (...more: string[]) => job.start(job.file, { more }).ended;
      if (isOurs) return goOn(job, second, again, mode, told);
      const isKept =
        second.code === 2 &&
        /not as pdi left it/.test(second.stderr) &&
        bytesIn(job.file) === bytes;
      check(
        isKept,
        'rows lost',
        `${told}, overwritten or not refused: exit ${second.code}: ${second.stderr}`,
      );
      check(
        job.service.bill().length === bought,
        'billed twice',
        `${told}: it bought, and was refused`,
      );
      await goOnAsTold(job, second, again, bytes, random() < 0.5 || job.format === 'csv', told);
    });
  },
});

const bytesIn = (file: string): string | undefined =>
  existsSync(file) ? readFileSync(file, 'latin1') : undefined;

type Again = (...more: string[]) => Promise<Ended>;

async function goOn(
  job: Job,
  end: Ended,
  again: Again,
  mode: number | undefined,
  told: string,
): Promise<void> {
  await job.complete(end, again, false, told);
  job.check(
    mode === undefined || statSync(job.file).mode === mode,
    'broken',
    `${told}: the mode is not kept`,
  );
}

/** The two ways that the refusal names: FILE is moved away, as JSON tells clause by clause, or given up. */
async function goOnAsTold(
  job: Job,
  refusal: Ended,
  again: Again,
  bytes: string | undefined,
  byForce: boolean,
  told: string,
): Promise<void> {
  if (byForce) return job.complete(await again('--force'), again, false, `${told}, --force`);
  let last = refusal;
  const run = async (more: readonly string[] = []) => {
    last = await again(...more);
  };
  const allowed = await follow(refusal, {
    again: run,
    mend: () => job.service.mend(),
    out: job.file,
  });
  job.check(allowed === 0, 'broken', `${told}: the words allow ${allowed} calls more`);
  job.check(
    bytesIn(`${job.file}.mine`) === bytes,
    'rows lost',
    `${told}: what was moved away is not as it was`,
  );
  await job.complete(last, again, false, `${told}, moved away`);
}

describe(`names and edits (seed ${seed})`, () => {
  campaign('names of a file', effort, drawn(2, 60, namesCase));
  const edited = (index: number) => editCase(index + (seed % edits.length));
  campaign('edited files', effort, drawn(2, 60, edited));
});
