/** Only what is meant is asked for: judged by what an origin saw. */
import { expect } from 'vitest';
import { itWith } from '../support/it.ts';
import { idIn, profile } from '../support/records.ts';
import { origin, recordsOf } from '../support/service.ts';
import { play } from '../support/transcript.ts';

const dashes = '\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d\u2796\u02d7\u2043';
const unseen = '\u200b\ufeff\u00ad\u2060\u00a0\u200d\u2800\u3164\u202a';
const flags = [
  ...Array.from(dashes, (dash) => `${dash}${dash}dry-run, --dry-run | ${dash}q, -q`),
  ...Array.from(unseen, (mark) => `${mark}--dry-run, --dry-run`),
];
const isKnown = (path: string) => Number(idIn(path).slice(4)) > 20;

play(
  'test/commands/meant.txt',
  { flags: flags.join(' | '), wide: '\u00a0', unseen: '\u200b' },
  {
    'people from 21': () => origin(({ path }) => (isKnown(path) ? profile(path) : { status: 404 })),
  },
);

const aged = itWith(() =>
  origin(({ path }) => ({
    ...profile(path),
    headers: { age: path.endsWith('per_1') ? '3600' : 'soon' },
  })),
);

aged(
  'an answer that a cache had is as old as the cache says, now and when it comes from the book',
  async ({ service, pdi }) => {
    const fetchedAt = async () => {
      const { stdout } = await pdi(
        'person per_1 per_2 -o ndjson --fields pdi_fetched_at --max-age 12h',
      );
      return recordsOf(stdout).map(({ pdi_fetched_at }) => Date.parse(pdi_fetched_at));
    };
    const [old = 0, fresh = 0] = await fetchedAt();
    expect(Math.round((fresh - old) / 60_000)).toBe(60);
    expect(await fetchedAt()).toEqual([old, fresh]);
    expect(service.requests).toHaveLength(2);
  },
);
