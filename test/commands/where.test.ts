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
const dated = (...numbers: readonly number[]) => JSON.stringify(numbers.map((at) => ({ signal_id: `s${at}`, signal_date: '2026-06-01' })));

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

it.each(everyCommand.filter(({ job }) => job))('$name is a job, whose rows all come back: refused, nothing sent', async ({ argv }) => {
  for (const more of [[], ['--dry-run']]) await expectRefused([...argv, '--where', 'a', ...more], 'each row of the input gives one row');
});

it.each([
  ["feed --where signal_score>='8'", 'signal_score is a number: write `8` in backticks'],
  ["feed --where '8'<signal_score", 'signal_score is a number: write `8` in backticks'],
  ["feed --where signal_type=='Company'&&signal_score=='high'", 'signal_score is a number: write one in backticks'],
  ['feed --where signal_score==signal_type', 'signal_score is a number: signal_type is a text'],
  ["feed --where company.is_industry_estimated=='true'", 'company.is_industry_estimated is true or false: write `true` in backticks'],
  ['feed --where company.is_industry_estimated>`true`', 'is true or false'],
  ["feed --where signal_date>='30.06.2026'", "signal_date is a date: write a day in single quotes, such as '2026-06-30'"],
  ['feed --where signal_date>`2026`', 'signal_date is a date'],
  ["feed --where signal_date=='2026-06'", 'signal_date is a date'],
  ["feed --where source_types=='angel'", "source_types is a list: write contains(source_types, 'TEXT')"],
  ['feed --where contains(source_types,`5`)', 'source_types is a list: each element is a text'],
  ["feed --where starts_with(signal_score,'8')", 'signal_score is a number: starts_with looks at a text'],
  ["feed --where company=='Acme'", 'company is an object'],
  ['feed --where signal_summary==`5`', "signal_summary is a text: write to_number(signal_summary), or '5' in single quotes"],
  ['feed --where signal_investors[?name==`5`]', 'signal_investors.0.name is a text'],
  ["feed -o json --query [?signal_score>='8'].signal_id", 'signal_score is a number'],
  ["feed -o ndjson --query signal_score=='8'", 'signal_score is a number'],
  ["feed -o json --query [*].{a:signal_score=='8'}", 'signal_score is a number'],
  ["network --where connected_teammates=='me'", 'connected_teammates is a list'],
  ["lists companies list --where company_count>'5'", 'company_count is a number'],
  ["person per_1 -o json --query years_of_experience>'5'", 'is a number'],
  ["spend --where billed>'5'", 'billed is a number'],
])('%s can never be true: refused before the first call', (line, told) => expectRefused(line, told));

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
  expect((await ask(['feed', '--where', "signal_type == 'Company'"])).stderr).not.toContain('documented');
});
