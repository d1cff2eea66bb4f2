/** What a run says about how to go on, drawn with its trouble and followed to the letter: it buys again what its words say, and no more. */
import { existsSync, mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { between, type NonEmpty, pick, type Random } from '../../src/sandbox/dataset/random.ts';
import { clausesOf, follow } from '../support/following.ts';
import { personIds } from '../support/records.ts';
import { newFolder } from '../support/run.ts';
import { linesFile } from '../support/service.ts';
import { campaign, drawn } from './campaign.ts';
import { luck, seed } from './effort.ts';
import { checkBook, twiceIn } from './money.ts';
import { type Ended, onSmallDisk, type Place, pdi, type Running } from './process.ts';
import type { Case } from './tally.ts';
import { type TroubleAt, type TroubledSandbox, troubledSandbox, troubles } from './troubled.ts';
import { recordsOf, statusOf } from './whole.ts';

const people = 24;

interface Subject {
  readonly name: string;
  /** Rows in; undefined for pages, and for one id. */
  readonly ids?: readonly string[];
  readonly argv: readonly string[];
}

const subjects: NonEmpty<Subject> = [
  { name: 'person', ids: personIds(people), argv: ['person', '--fields', 'person_id'] },
  {
    name: 'revenue',
    ids: Array.from({ length: 12 }, (_, index) => `company-${index + 1}`),
    argv: ['revenue'],
  },
  {
    name: 'resolve',
    ids: Array.from({ length: 120 }, (_, index) => `urn:profnet:member:S${index + 1}`),
    argv: ['resolve'],
  },
  { name: 'one person', argv: ['person', 'per_sample1'] },
  { name: 'feed', argv: ['feed', '--all', '--limit', '20', '--after', '2026-06-10'] },
  {
    name: 'feed --since-last',
    argv: ['feed', '--all', '--limit', '20', '--after', '2026-06-10', '--since-last'],
  },
];

const allTroubles = [
  ...troubles,
  'Ctrl-C',
  'FILE cannot be replaced',
  'a small disk',
  'none',
] as const;
type AnyTrouble = (typeof allTroubles)[number];

/** A run, and all later ones of the same command. */
class Told {
  readonly home = newFolder();
  readonly out = join(this.home, 'out');
  private readonly argv: readonly string[];
  private readonly stdin: readonly Buffer[] | undefined;
  last: Running | undefined;

  constructor(
    random: Random,
    subject: Subject,
    readonly hasFile: boolean,
    private readonly service: () => TroubledSandbox,
  ) {
    const isPiped = subject.ids !== undefined && random() < 0.4;
    const text = `${subject.ids?.join('\n')}\n`;
    this.stdin = isPiped ? [Buffer.from(text)] : undefined;
    const input = subject.ids === undefined ? [] : ['-i', isPiped ? '-' : linesFile(subject.ids)];
    const cap = random() < 0.1 && subject.ids !== undefined ? ['--max-billable', '4'] : [];
    const flags = [
      '-o',
      'ndjson',
      '--retries',
      '0',
      '--concurrency',
      `${between(random, 1, 4)}`,
      ...cap,
    ];
    this.argv = [...subject.argv, ...input, ...flags, ...(hasFile ? ['--out', this.out] : [])];
  }

  run(more: readonly string[] = [], kibibytes?: number): Promise<Ended> {
    const place: Place = {
      home: this.home,
      baseUrl: this.service().baseUrl,
      ...(this.stdin !== undefined && { stdin: this.stdin }),
    };
    const argv = [...this.argv, ...more];
    this.last = kibibytes === undefined ? pdi(argv, place) : onSmallDisk(kibibytes, argv, place);
    return this.last.ended;
  }

  toString(): string {
    return `${this.argv.join(' ')}${this.stdin === undefined ? '' : ', from a pipe'}`;
  }
}

/** What strikes a run, and how that is made good. */
function struck(
  trouble: AnyTrouble,
  told: () => Told,
  random: Random,
  calls: number,
): TroubleAt & { readonly mend: () => void } {
  const { file, signal } = {
    file: () => void (existsSync(told().out) || mkdirSync(told().out)),
    signal: () => void told().last?.child.kill('SIGINT'),
  };
  const service = troubles.find((name) => name === trouble);
  const meanwhile =
    trouble === 'Ctrl-C' ? signal : trouble === 'FILE cannot be replaced' ? file : undefined;
  const mend =
    trouble === 'FILE cannot be replaced'
      ? () => existsSync(told().out) && rmdirSync(told().out)
      : () => {};
  return {
    good: between(random, meanwhile === undefined ? 0 : 1, Math.max(1, calls - 1)),
    trouble: service,
    meanwhile,
    mend,
  };
}

/** A person gives up after so many runs that did not end well. */
const mostRounds = 3;

const hintCase = (index: number): Case => ({
  name: `a hint ${index}`,
  async run(check) {
    const random = luck('a hint', index);
    const subject = pick(random, subjects);
    const trouble = allTroubles[index % allTroubles.length] ?? 'none';
    const hasFile = trouble === 'FILE cannot be replaced' || random() < 0.6;
    const calls =
      subject.name === 'resolve'
        ? 3
        : (subject.ids?.length ?? (subject.name === 'one person' ? 1 : 5));
    let service: TroubledSandbox | undefined;
    const told: Told = new Told(random, subject, hasFile, () => service ?? raise());
    const strike = struck(trouble, () => told, random, calls);
    service = await troubledSandbox({}, strike);
    try {
      const mend = () => {
        service?.mend();
        strike.mend();
      };
      const first = await told.run(
        [],
        trouble === 'a small disk' ? between(random, 1, 60) : undefined,
      );
      service.mend();
      let [end, allowed] = [first, 0];
      const words: string[] = [];
      for (let round = 0; round < mostRounds && end.code !== 0; round += 1) {
        const clauses = clausesOf(end);
        // A signal may come when all is done.
        if (clauses.length === 0 && /everything asked for was done/.test(end.stderr)) break;
        words.push(...clauses);
        const before = end;
        allowed += await follow(end, {
          again: async (more) => {
            // Who is done does not do it again for the next words.
            if (end === before || end.code !== 0) end = await told.run(more);
          },
          mend,
          out: told.out,
        });
        if (end === before) break;
      }
      const bill = service.bill();
      const story = `${told}, ${trouble} after ${strike.good}, exit ${first.code}, then ${end.code}, told: ${words.join('; ')}`;
      // A page whose answer was lost is read once more: nobody has it.
      const lostPages = subject.name.startsWith('feed') ? service.lost() : 0;
      const again = twiceIn(bill).length;
      check(
        again <= allowed + lostPages,
        'billed twice',
        `${again} calls again, ${allowed} told: ${story}`,
      );
      const isKept = hasFile && subject.ids !== undefined;
      check(
        !isKept || allowed <= service.lost() + unheard(trouble),
        'billed twice',
        `${allowed} calls more advised: ${story}`,
      );
      check(
        !isKept || end.code === 0 || /everything asked for was done/.test(end.stderr),
        'broken',
        `not done: ${end.stderr}: ${story}`,
      );
      if (isKept && end.code === 0) {
        const rows = recordsOf('ndjson', readFileSync(told.out, 'utf8'));
        check(rows.length >= subject.ids.length, 'rows lost', `${rows.length} rows: ${story}`);
        check(rows.length <= subject.ids.length, 'rows doubled', `${rows.length} rows: ${story}`);
        const areAllOk = rows.every((row) => statusOf(row) === undefined);
        check(areAllOk, 'rows lost', `not all ok: ${story}`);
      }
      // A disk that is full may take half a line.
      await checkBook(check, told.home, bill);
    } finally {
      await service.stop();
    }
  },
});

/** Calls that nobody knows the fate of, beside those that the service billed. */
const unheard = (trouble: AnyTrouble): number =>
  trouble === 'the connection breaks' || trouble === 'a small disk' ? people : 0;

function raise(): never {
  throw new Error('the service is not there yet');
}

describe(`hints (seed ${seed})`, () => {
  campaign('hints, followed', { atOnce: 3 }, drawn(5, 120, hintCase));
});
