/** Drawn jobs: cut anywhere, they end as if nobody had cut them; and a plan says what the run then makes. The bill is the judge. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { CallFault } from '../../src/sandbox/faults.ts';
import { newFolder, signalling } from '../support/run.ts';
import { asRecord, fileOf, objectOf, sandbox } from '../support/service.ts';
import { amount, seed } from './effort.ts';

const timeout = 1_800_000;
const sample = (start: string, most: number) =>
  fc.integer({ min: 1, max: most }).map((number) => `${start}${number}`);
const odd = fc.constantFrom(
  '',
  'n/a',
  '#N/A',
  '1e5',
  ' a',
  '"b"',
  "'c",
  'a,b',
  '=1',
  'per_',
  'per_nobody',
  'acme.example',
  'https://x.example/in/y',
);
const kinds = {
  person: { column: 'person_id', text: sample('per_sample', 20) },
  revenue: { column: 'company_id', text: sample('company-', 12) },
  investors: { column: 'website', text: sample('investor-', 8).map((name) => `${name}.example`) },
  resolve: { column: 'profnet_id', text: sample('ada-sample-', 20) },
} as const;
type Kind = keyof typeof kinds;

const textsOf = (kind: Kind, most: number) =>
  fc.array(fc.oneof({ weight: 6, arbitrary: kinds[kind].text }, { weight: 1, arbitrary: odd }), {
    minLength: 1,
    maxLength: most,
  });
const form = fc.constantFrom('csv', 'ndjson', 'txt');

/** A file of these identifiers, as lines or with a column beside them. */
function inputOf(kind: Kind, texts: readonly string[], form: string): string {
  const { column } = kinds[kind];
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const lines = texts.map((text, at) =>
    form === 'csv'
      ? `${at},${quoted(text)}`
      : form === 'ndjson'
        ? JSON.stringify({ [column]: text })
        : text,
  );
  return fileOf(
    `in.${form}`,
    [...(form === 'csv' ? [`n,${column}`] : []), ...lines, ''].join('\n'),
  );
}

const jobs = fc.constantFrom<Kind>('person', 'person', 'revenue', 'resolve').chain((kind) =>
  fc.record({
    kind: fc.constant(kind),
    texts: textsOf(kind, kind === 'resolve' ? 200 : 40),
    form,
    format: fc.constantFrom('csv', 'ndjson', 'json', 'xlsx'),
    cuts: fc.array(
      fc.record({
        how: fc.constantFrom('budget', 'signal', 'failures', 'first'),
        at: fc.integer({ min: 0, max: 12 }),
      }),
      {
        minLength: 1,
        maxLength: 4,
      },
    ),
    maxAge: fc.constantFrom('0', '12h'),
    concurrency: fc.integer({ min: 1, max: 8 }),
  }),
);

it(`a job that is cut anywhere ends as one that is not, and buys each id once (seed ${seed})`, {
  timeout,
}, async () => {
  // The parts of a workbook bear the time.
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  let onCall = (): CallFault | undefined => undefined;
  const { service, pdi } = await sandbox({ faultRule: () => onCall() });
  const boughtSince = (before: number) =>
    service
      .bill()
      .slice(before)
      .map(({ item }) => item);
  await fc.assert(
    fc.asyncProperty(jobs, async ({ kind, texts, form, format, cuts, maxAge, concurrency }) => {
      const [folder, home, before] = [newFolder(), newFolder(), service.bill().length];
      const [out, whole] = [join(folder, `out.${format}`), join(folder, `whole.${format}`)];
      const input = inputOf(kind, texts, form);
      const run = (file: string, more: readonly string[], options: object) => {
        const fields = kind === 'revenue' ? 'id,company_name' : 'person_id,full_name';
        const flags = [
          '--fields',
          fields,
          '--retries',
          '0',
          '--max-billable',
          'unlimited',
          '--concurrency',
          String(concurrency),
          '--max-age',
          maxAge,
        ];
        return pdi([kind, '-i', input, '--out', file, ...flags, ...more], { home, ...options });
      };
      let code = -1;
      for (const { how, at } of [...cuts, { how: 'nothing', at: 0 }]) {
        const { send, withSignal } = signalling();
        let left = at;
        onCall = () => {
          left -= 1;
          if (left < 0 && how === 'signal') send('SIGINT');
          return left < 0 && how === 'failures' ? '503' : undefined;
        };
        const budget = boughtSince(before).length + at;
        const more =
          how === 'budget'
            ? ['--budget', `${budget}/day`]
            : how === 'first'
              ? ['--first', String(at + 1)]
              : [];
        ({ code } = await run(out, more, { withSignal }));
        onCall = () => undefined;
        if (existsSync(out) && !existsSync(`${out}.journal`)) break;
      }
      const bought = boughtSince(before);
      expect(bought).toHaveLength(new Set(bought).size);
      const uncut = await run(whole, [], { home: newFolder() });
      // A signal with the last call comes too late to cut anything.
      expect([code === 130 ? uncut.code : code, existsSync(out)]).toEqual([
        uncut.code,
        existsSync(whole),
      ]);
      if (existsSync(whole)) expect(readFileSync(out).equals(readFileSync(whole))).toBe(true);
      expect(new Set(boughtSince(before + bought.length))).toEqual(new Set(bought));
    }),
    { seed, numRuns: amount(3, 400) },
  );
});

const step = (kind: Kind) =>
  fc.record({
    texts: fc.option(textsOf(kind, 8)),
    form,
    flags: fc.tuple(
      fc.constantFrom('', ' --fresh'),
      fc.constantFrom('', ' --retry-unknown'),
      fc.constantFrom('', ' --restart'),
      fc.constantFrom('', ' --first 3'),
      fc.constantFrom('', ' --max-billable 2', ' --max-billable unlimited'),
      fc.constantFrom('', ' --max-age 0'),
    ),
    out: fc.constantFrom(undefined, 'a', 'b'),
    loses: fc.constantFrom(0, 0, 2),
    purged: fc.constantFrom(false, false, true),
  });
const histories = fc
  .constantFrom<Kind>('person', 'revenue', 'investors')
  .chain((kind) =>
    fc.tuple(
      fc.constant(kind),
      textsOf(kind, 8),
      fc.array(step(kind), { minLength: 1, maxLength: 5 }),
    ),
  );

it(`a plan says how many calls the run then makes, and whether it may (seed ${seed})`, {
  timeout,
}, async () => {
  let loses = 0;
  let luck = 0;
  const { service, pdi } = await sandbox({
    faultRule: () => (luck++ % 3 < loses ? 'drop-after-billing' : undefined),
  });
  const made = () => Object.values(service.requests()).reduce((sum, calls) => sum + calls, 0);
  await fc.assert(
    fc.asyncProperty(histories, async ([kind, first, steps]) => {
      const options = { home: newFolder(), env: { PDI_MAX_AGE: '12h' } };
      let texts: readonly string[] = first;
      for (const { texts: others, form, flags, out, ...more } of steps) {
        texts = others ?? texts;
        const to =
          out === undefined
            ? ['-o', 'json']
            : ['--out', join(options.home, `${out}.json`), '--force'];
        const argv = [
          kind,
          '-i',
          inputOf(kind, texts, form),
          ...to,
          ...flags.join('').split(' ').slice(1),
          '--retries',
          '0',
        ];
        const plan = await pdi([...argv, '--dry-run'], options);
        const before = made();
        loses = more.loses;
        const ran = await pdi(argv, options);
        loses = 0;
        const told = `${argv.join(' ')}\n${plan.stdout}${plan.stderr}\n${ran.stderr}`;
        if (plan.code !== 0) expect([ran.code, made() - before], told).toEqual([plan.code, 0]);
        else expect(made() - before, told).toBe(asRecord(objectOf(plan).job).requests);
        if (more.purged) await pdi('store purge --all --yes', options);
      }
    }),
    { seed, numRuns: amount(5, 400) },
  );
});
