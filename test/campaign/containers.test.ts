/** Runs in containers that share files: equal host names, process ids that say nothing, owners that are paused, killed, or out of sight. */
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe } from 'vitest';
import { isHeld } from '../../src/files/lock.ts';
import { hiddenBeside } from '../../src/files/private.ts';
import { sqliteEngine } from '../../src/files/sqlite.ts';
import { between, pick, type Random } from '../../src/sandbox/dataset/random.ts';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { personIds } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import { errorOf, linesFile, stillSandbox } from '../support/service.ts';
import { campaign, drawn } from './campaign.ts';
import { luck, seed } from './effort.ts';
import { checkBook, twiceIn } from './money.ts';
import { isOver, isStopped } from './pause.ts';
import {
  type Container,
  type Ended,
  eventually,
  inContainer,
  needsContainers,
  type Place,
  pdi,
  pidInside,
  type Running,
} from './process.ts';
import type { Case, Check } from './tally.ts';
import { recordsOf } from './whole.ts';

const people = 40;
const concurrency = 4;
const urn = (number: number) => `urn:profnet:member:S${number}`;
const feed = ['feed', '--all', '--limit', '20', '--after', '2026-06-10', '--fields', 'signal_id'];

/** A command that takes a lock. */
interface Subject {
  readonly name: string;
  readonly argv: () => readonly string[];
  /** Whether a bookmark is what two runs may not have at once; else it is FILE. */
  readonly bookmark?: true;
  /** Whether what a kill leaves is gone on from. */
  readonly journal?: true;
}

const subjects: readonly [Subject, ...Subject[]] = [
  {
    name: 'person',
    argv: () => [
      'person',
      '-i',
      linesFile(personIds(people)),
      '--fields',
      'person_id',
      '--concurrency',
      `${concurrency}`,
    ],
    journal: true,
  },
  { name: 'feed --since-last', argv: () => [...feed, '--since-last'], bookmark: true },
  {
    name: 'resolve',
    argv: () => [
      'resolve',
      '-i',
      linesFile(Array.from({ length: 120 }, (_, index) => urn(index + 1))),
      '--fields',
      'query.profnet_urn',
    ],
    journal: true,
  },
  { name: 'feed --out', argv: () => feed },
];

/** Outside of all containers: undefined. */
type Where = Container | undefined;

function drawWhere(random: Random): Where {
  if (random() < 0.2) return undefined;
  return {
    ownMounts: random() < 0.3,
    ...(random() < 0.3 && { hostName: pick(random, ['elsewhere', 'container-7']) }),
  };
}

/** What a case has at hand. */
class Bout {
  readonly shared = join(newFolder(), 'shared');
  readonly place: Place;
  readonly argv: readonly string[];
  /** FILE of each run: one for all, or one each of those at once that share a bookmark. */
  readonly outs = new Set<string>();
  private readonly inUse = new Set<string>();

  constructor(
    readonly check: Check,
    readonly random: Random,
    readonly subject: Subject,
    readonly sandbox: Sandbox,
  ) {
    mkdirSync(this.shared);
    this.place = { home: newFolder(), baseUrl: sandbox.baseUrl };
    this.argv = [...subject.argv(), '-o', 'ndjson', '--max-billable', '500'];
  }

  /** Undefined is a place too, so that nothing else is drawn for it. */
  start(where: Where, ...more: string[]): Running {
    const out = this.subject.bookmark ? this.freeOut() : join(this.shared, 'out');
    this.outs.add(out);
    this.inUse.add(out);
    const argv = [...this.argv, '--out', out, ...more];
    const running =
      where === undefined ? pdi(argv, this.place) : inContainer(where, argv, this.place);
    void running.ended.then(() => this.inUse.delete(out));
    return running;
  }

  /** The first that is not written, and that nobody is about to write: what a kill broke off is begun again under its name. */
  private freeOut(): string {
    for (let number = 0; ; number += 1) {
      const out = join(this.shared, `out-${number}`);
      if (!this.inUse.has(out) && !existsSync(out)) return out;
    }
  }

  async lock(): Promise<string> {
    const bookmark = `book.db-bookmark-${hash('sha256', '0default').slice(0, 16)}`;
    return this.subject.bookmark
      ? join(this.place.home, 'state/pdi', bookmark)
      : hiddenBeside(join(this.shared, 'out'), 'lock');
  }

  /** Nothing is left to do: a further run would be refused for FILE, which is whole. */
  get isComplete(): boolean {
    return (
      !this.subject.bookmark &&
      existsSync(join(this.shared, 'out')) &&
      !existsSync(join(this.shared, 'out.journal'))
    );
  }

  records(): readonly string[] {
    return [...this.outs]
      .filter((out) => existsSync(out))
      .flatMap((out) => recordsOf('ndjson', readFileSync(out, 'utf8')));
  }

  /** It ended well, or was refused in words that say why, and that it may be tried again. */
  checkEnd(end: Ended, name: string): void {
    const told = `${this.subject.name}, ${name}: exit ${end.code}: ${end.stderr}`;
    // Who comes when all is done finds FILE whole; one that goes on after a kill may find calls whose answers were lost.
    if (
      end.code === 0 ||
      (end.code === 8 && this.subject.journal) ||
      (this.isComplete && /exists/.test(end.stderr))
    )
      return;
    if (this.check(end.code === 2, 'broken', told)) this.checkRefusal(end, told);
  }

  checkRefusal({ stdout, stderr }: Ended, told: string): void {
    const { message, retryable } = errorOf({ code: 2, stdout, stderr, home: '' });
    const namesOwner = /is in use by another run$/.test(String(message));
    this.check(namesOwner && retryable === true, 'broken', `no refusal that says why: ${told}`);
  }

  async checkBill(name: string): Promise<void> {
    const isBought = this.subject.name === 'person';
    const twice = isBought ? twiceIn(this.sandbox.bill()) : [];
    this.check(twice.length === 0, 'billed twice', `${name}: ${twice.join(', ')}`);
    await checkBook(this.check, this.place.home, this.sandbox.bill());
  }

  /** Nothing of ours is beside what was written. */
  checkTidy(sound: boolean): void {
    const folders = [
      this.shared,
      ...(this.subject.bookmark ? [join(this.place.home, 'state/pdi')] : []),
    ].filter((folder) => existsSync(folder));
    const all = folders
      .flatMap((folder) => readdirSync(folder))
      .filter((name) => /^\.pdi-|\.(?:tmp|journal)$|-(?:run|room)-/.test(name));
    // An empty file of one that was killed at the door goes with the next run on the same FILE.
    const left = sound ? all : all.filter((name) => !name.endsWith('.lock'));
    this.check(
      left.length === 0,
      'broken',
      `${this.subject.name}: left behind: ${left.join(', ')}`,
    );
  }
}

const engine = await sqliteEngine();
const holds = (path: string) => existsSync(path) && isHeld(engine, path);

/** All start within a moment: one has it, the others are refused, or come when it is done. */
async function atOnce(bout: Bout): Promise<void> {
  const { random } = bout;
  const starts = Array.from({ length: between(random, 2, 3) }, () => ({
    after: between(random, 0, 250),
    where: drawWhere(random),
  }));
  const ends = await Promise.all(
    starts.map(async ({ after, where }) => {
      await setTimeout(after);
      return bout.start(where).ended;
    }),
  );
  for (const end of ends) bout.checkEnd(end, 'at once');
  const isHad = ends.some(({ code }) => code === 0);
  bout.check(isHad, 'broken', `nobody had it: ${ends.map(({ stderr }) => stderr).join('')}`);
}

/** The owner stands still while others come: it lives, and they are refused. */
async function paused(bout: Bout): Promise<void> {
  const { random, subject } = bout;
  const lock = await bout.lock();
  const where = drawWhere(random);
  const owner = bout.start(where);
  await eventually(() => isOver(owner) || holds(lock) || undefined);
  await setTimeout(between(random, 0, 80));
  const pid = where === undefined ? owner.child.pid : pidInside(owner);
  if (pid === undefined || isOver(owner) || !signalled(pid, 'SIGSTOP'))
    return bout.checkEnd(await owner.ended, 'not paused');
  const stopped = await eventually(() =>
    isOver(owner) || !existsSync(`/proc/${pid}`) ? 'over' : isStopped(pid) ? 'stopped' : undefined,
  );
  const others =
    stopped === 'stopped' && holds(lock)
      ? await Promise.all([
          bout.start(drawWhere(random)).ended,
          bout.start(drawWhere(random)).ended,
        ])
      : [];
  for (const end of others) {
    const told = `beside one that stands still: exit ${end.code}: ${end.stderr}`;
    // It may stand still after FILE has its name, and before the lock is free.
    const isWritten =
      !subject.bookmark && existsSync(join(bout.shared, 'out')) && /exists/.test(end.stderr);
    if (bout.check(end.code === 2, 'broken', told) && !isWritten) bout.checkRefusal(end, told);
  }
  signalled(pid, 'SIGCONT');
  const { code, stderr } = await owner.ended;
  bout.check(code === 0, 'broken', `the one that stood still: exit ${code}: ${stderr}`);
}

function signalled(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** The owner's container is killed, at any moment, with another one waiting at the door or not. */
async function killed(bout: Bout): Promise<void> {
  const { random } = bout;
  for (let times = between(random, 1, 2); times > 0 && !bout.isComplete; times -= 1) {
    const owner = bout.start(drawWhere(random));
    const after = between(random, 0, 700);
    const other =
      random() < 0.5
        ? setTimeout(between(random, 0, 700)).then(() => bout.start(drawWhere(random)).ended)
        : undefined;
    await Promise.race([owner.ended, setTimeout(after)]);
    owner.child.kill('SIGKILL');
    const end = await owner.ended;
    if (end.signal !== 'SIGKILL') bout.checkEnd(end, 'not killed');
    if (other !== undefined) bout.checkEnd(await other, 'beside one that was killed');
    await bout.checkBill('killed');
  }
}

const ways = [atOnce, paused, killed] as const;

const containerCase = (index: number): Case => ({
  name: `containers ${index}`,
  async run(check) {
    const random = luck('containers', index);
    const subject = pick(random, subjects);
    const way = ways[index % ways.length] ?? atOnce;
    const sandbox = await stillSandbox({ latency: 40 });
    try {
      const bout = new Bout(check, random, subject, sandbox);
      await way(bout);
      await bout.checkBill(way.name);
      await lastRuns(bout, way !== killed);
    } finally {
      await sandbox.stop();
    }
  },
});

/** What is not done goes on by itself in a new container, and is then done: every row is there, once. */
async function lastRuns(bout: Bout, sound: boolean): Promise<void> {
  const { check, subject } = bout;
  const told = (end: Ended) => `${subject.name}, the last run: exit ${end.code}: ${end.stderr}`;
  // Each FILE that a kill left unwritten is written by the same command.
  while (!bout.isComplete) {
    const end = await bout.start({ ownMounts: false }).ended;
    check(
      end.code === 0 || (end.code === 8 && subject.name === 'person' && !sound),
      'broken',
      told(end),
    );
    await bout.checkBill('the last run');
    if (end.code !== 0 || [...bout.outs].every((out) => existsSync(out))) break;
  }
  if (!subject.bookmark && !bout.isComplete) {
    const end = await bout.start({ ownMounts: false }, '--retry-unknown').ended;
    check(end.code === 0, 'broken', told(end));
  }
  const records = bout.records();
  const due =
    subject.name === 'person' ? people : subject.name === 'resolve' ? 120 : await signals(bout);
  check(
    new Set(records).size >= due,
    'rows lost',
    `${subject.name}: ${new Set(records).size} of ${due}`,
  );
  // A kill between FILE and bookmark delivers again.
  const doubled = records.length - new Set(records).size;
  check(
    doubled === 0 || (subject.bookmark === true && !sound),
    'rows doubled',
    `${subject.name}: ${doubled}`,
  );
  bout.checkTidy(sound);
}

/** How many there are. */
async function signals({ sandbox, place }: Bout): Promise<number> {
  const { stdout } = await pdi([...feed, '-o', 'ndjson'], {
    ...place,
    baseUrl: sandbox.baseUrl,
    home: newFolder(),
  }).ended;
  return recordsOf('ndjson', stdout).length;
}

describe(`containers (seed ${seed})`, needsContainers, () => {
  campaign('containers that share files', { atOnce: 2 }, drawn(2, 80, containerCase));
});
