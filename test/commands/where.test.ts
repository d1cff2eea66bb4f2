/** `--where EXPRESSION`: the records of a list for which it is true, in every format. */
import { expect, it } from 'vitest';
import { expectRefused, origin } from '../support/service.ts';
import { play } from '../support/transcript.ts';
import { everyCommand } from './every-command.ts';

const signals = [
  { signal_id: 's1', signal_score: 3, signal_type: 'Talent', company: { name: 'A' } },
  { signal_id: 's2', signal_score: 8, signal_type: 'Company', company: { name: '' } },
  { signal_id: 's3', signal_score: 10, signal_type: 'Company' },
];
const dated = (...numbers: readonly number[]) =>
  JSON.stringify(numbers.map((at) => ({ signal_id: `s${at}`, signal_date: '2026-06-01' })));

play('test/commands/where.txt', {
  signals: JSON.stringify(signals),
  scoreOf8: "'signal_score >= `8`'",
  past: '{"signal_id":"s1","n":9007199254740993,"same":9007199254740993}',
  largest: '{"signal_id":"s2","n":9007199254740992,"same":9007199254740993}',
  third: '{"signal_id":"s3","n":33.3333333333333333,"same":33.3333333333333333}',
  modify: 'lists people modify b0000000-0000-4000-8000-000000000002',
  since: 'feed --since-last --after 2026-06-01 -o ndjson',
  dated3: dated(1, 2, 3),
  dated5: dated(4, 5, 1, 2, 3),
  path: process.env.PATH ?? '',
  ada: '{"person_id":"per_a1","full_name":"Ada","years_of_experience":4}',
  bo: '{"person_id":"per_b2","full_name":"Bo","years_of_experience":20}',
});

it.each(everyCommand.filter(({ job }) => job))(
  '$name is a job, whose rows all come back: refused, nothing sent',
  async ({ argv }) => {
    for (const more of [[], ['--dry-run']])
      await expectRefused(
        [...argv, '--where', 'a', ...more],
        'each row of the input gives one row',
      );
  },
);

it.each([
  "signal_date>='2026-06'",
  "signal_date<'2026'",
  'signal_score==`8`',
  'signal_date==`null`',
  "signal_score!='8'",
  "to_string(signal_score)=='8'",
  "company.tech_verticals[?[0]=='AI']",
])('%s may be true', async (where) => {
  const { pdi: ask, service } = await origin(() => ({ json: signals }));
  expect((await ask(['feed', '--where', where])).code).toBe(0);
  expect(service.requests).toHaveLength(1);
});

it('a value that the document does not give is asked for, with a notice', async () => {
  const { pdi: ask } = await origin(() => ({ json: signals }));
  for (const where of ["signal_type == 'company'", "contains(source_types, 'angle')"]) {
    const result = await ask(['feed', '-o', 'ndjson', '--where', where]);
    expect(result.stderr).toMatch(
      /(?:signal_type is documented as Company, Talent|source_types is documented as influencer), .*and not as/,
    );
  }
  expect((await ask(['feed', '--where', "signal_type == 'Company'"])).stderr).not.toContain(
    'documented',
  );
});
