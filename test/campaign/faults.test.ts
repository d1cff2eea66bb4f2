/** Every command and every fault of the sandbox, alone and in pairs, at the first call, in the middle, at the last. */
import { describe } from 'vitest';
import type { CallFault, StoreFault } from '../../src/sandbox/faults.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { newFolder, run } from '../support/run.ts';
import { campaign } from './campaign.ts';
import { long, sampled, seed } from './effort.ts';
import { faultCase } from './fault-case.ts';
import { type Subject, subjects } from './fault-subjects.ts';
import type { Case } from './tally.ts';
import { checkManners, formats, recordsOf } from './whole.ts';

const faults: readonly CallFault[] = [
  'drop-after-billing',
  'slow',
  'truncate',
  'malformed',
  'reset',
  '503',
  '500',
];
const effort = { atOnce: 8 };

/** First call, middle, last. */
const placesOf = ({ calls }: Subject): readonly number[] => [
  ...new Set([1, Math.ceil(calls / 2), calls]),
];

function pairsOfPlaces(subject: Subject): readonly (readonly [number, number])[] {
  const places = placesOf(subject);
  if (places.length === 1) return [[1, 2]];
  return places.flatMap((first, index) =>
    places.slice(index + 1).map((second) => [first, second] as const),
  );
}

const formatOf = (index: number) => formats[index % formats.length] ?? 'json';

const alone = subjects.flatMap((subject) =>
  placesOf(subject).flatMap((place) =>
    faults.map((fault) => ({ subject, strikes: new Map([[place, fault]]) })),
  ),
);

const pairs = subjects.flatMap((subject) =>
  pairsOfPlaces(subject).flatMap(([first, second]) =>
    faults.flatMap((one) =>
      faults.map((other) => ({ subject, strikes: new Map([[first, one]]).set(second, other) })),
    ),
  ),
);

/** `slow` costs seconds and has few places in the short form. */
const chosen = <T extends { readonly strikes: ReadonlyMap<number, CallFault> }>(
  all: readonly T[],
  every: number,
): readonly T[] =>
  sampled(all, every).filter(({ strikes }) => long || ![...strikes.values()].includes('slow'));

const casesOf = (
  chosenOnes: readonly {
    readonly subject: Subject;
    readonly strikes: ReadonlyMap<number, CallFault>;
  }[],
): readonly Case[] =>
  chosenOnes.map((one, index) => faultCase({ ...one, format: formatOf(index) }));

describe(`faults (seed ${seed})`, () => {
  const slow = alone.filter(({ strikes }) => strikes.get(1) === 'slow').slice(0, long ? 0 : 1);
  campaign('faults, alone', effort, () => casesOf([...chosen(alone, 14), ...slow]));
  campaign('faults, in pairs', effort, () => casesOf(chosen(pairs, 120)));
  // Health alone sees them.
  const stores: readonly (readonly StoreFault[])[] = [
    ['relational-store'],
    ['analytics-store'],
    ['relational-store', 'analytics-store'],
  ];
  campaign('faults, of stores', effort, () => stores.flatMap(storeCases));
});

/** The report is printed whole and the exit code is 5; against a service that is well again, 0. */
const storeCases = (down: readonly StoreFault[]): readonly Case[] =>
  formats.map((format) => ({
    name: `health -o ${format}, ${down.join(' and ')}`,
    async run(check) {
      const home = newFolder();
      for (const [names, code] of [
        [down, 5],
        [[], 0],
      ] as const) {
        const sandbox = await startSandbox({
          fault: names.map((name) => ({ name, probability: 1 })),
        });
        const env = { PDI_BASE_URL: sandbox.baseUrl, PDI_API_KEY: sandbox.keys.full };
        const result = await run(['health', '-o', format], { home, env });
        await sandbox.stop();
        checkManners(check, result, format, sandbox.keys.full);
        check(result.code === code, 'broken', `exit ${result.code}, not ${code}`);
        check(recordsOf(format, result.stdout).length === 1, 'rows lost', 'no report');
      }
    },
  }));
