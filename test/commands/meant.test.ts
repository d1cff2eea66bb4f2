/** Only what is meant is asked for: judged by what an origin saw. */
import { existsSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { landmarks } from '../sandbox/landmarks.ts';
import { itWith } from '../support/it.ts';
import { profile } from '../support/records.ts';
import { errorOf, fileOf, newFile, origin, recordsOf, statusesIn, statusesOf } from '../support/service.ts';

const it = itWith(() => origin(({ path }) => ({ json: path.includes('/investors') ? [] : { id: 'company-1' } })));
const list = landmarks.lists.people.shared;

describe('a flag that nobody typed', () => {
  const dashes = '\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d\u2796\u02d7\u2043';
  const unseen = '\u200b\ufeff\u00ad\u2060\u00a0\u200d\u2800\u3164\u202a';
  const written = [
    ...Array.from(dashes, (dash) => `${dash}${dash}dry-run`),
    ...Array.from(dashes, (dash) => `${dash}q`),
    ...Array.from(unseen, (mark) => `${mark}--dry-run`),
  ];

  it('is refused in the place of an argument, of a value and of an id', async ({ service, pdi }) => {
    for (const word of written) {
      const lines = [
        ['revenue', 'company-1', word],
        ['resolve', '--', 'ada', word],
        ['investors', '--name', word],
        ['lists', 'people', 'modify', list, '--add', 'per_1', word],
        ['feed', '--list', list, '--sort', word],
      ];
      for (const argv of lines) {
        const result = await pdi(argv);
        const hint = /^nothing was sent; type it anew: --?(?:dry-run|q)$/;
        expect([result.code, result.stdout, errorOf(result)]).toMatchObject([2, '', { hint: expect.stringMatching(hint) }]);
      }
    }
    expect(service.requests).toEqual([]);
  });

  it.for([
    ['revenue', '--', '--dry-run'],
    ['revenue', '“--dry-run”'],
    ['revenue', '--', '-q'],
    ['resolve', '--', '--quiet'],
    ['person', '--', '--yes'],
    ['investors', '--name', '--websit'],
    ['investors', '--name=\u2011\u2011website'],
    ['lists', 'people', 'modify', list, '--add', 'per_1', '--add=--yess'],
  ])('is refused with plain hyphens too: %j', async (argv, { service, pdi }) => {
    const { code, stdout, stderr } = await pdi(argv);
    expect([code, stdout, service.requests], stderr).toEqual([2, '', []]);
    expect(stderr).toMatch(/flag/);
  });

  it('is no row of a file, but an id may begin with a hyphen', async ({ service, pdi }) => {
    const { code } = await pdi('revenue -i - -o csv', { stdin: 'company_id\n--dry-run\n\u2011\u2011quiet\n-q\n-KxAb12\n' });
    expect([code, service.requests.map(({ path }) => path)]).toEqual([8, ['/api/v1/companies/-KxAb12/latest-revenue']]);
    await pdi('revenue -- -KxAb12');
    expect(service.requests).toHaveLength(2);
  });
});

it('what tools leave behind is no id', async ({ service, pdi }) => {
  const left = ['<EOF>', 'EOF', '<<EOF', '(END)', '--More--', '[...]', '\\.', '```', '│', '25 rows', '*c-1*', '<c-1', 'Totaal', '15-Mar'];
  const { stdout } = await pdi('revenue -i - -o csv', { stdin: `company_id\n${left.join('\n')}\n<c-1>\n` });
  expect(statusesOf(stdout)).toEqual([...Array(left.length).fill('invalid'), 'ok']);
  expect(service.requests.map(({ path }) => path)).toEqual(['/api/v1/companies/c-1/latest-revenue']);
});

it('a name is bought once, however it is written', async ({ service, pdi }) => {
  for (const name of ['Sample Harbor', '“Sample  Harbor”', 'sample\u00a0har\u200bbor', "'SAMPLE HARBOR'"])
    await pdi(['investors', '--name', name], { env: { PDI_MAX_AGE: '12h' } });
  expect(service.requests).toHaveLength(1);
});

/** Persons from `per_21` on; a company or a search it does not know. */
const fewKnown = itWith(() =>
  origin(({ path }) => (Number(/per_(\d+)$/.exec(path)?.[1]) > 20 ? profile(path) : { status: 404, json: { message: 'no such' } })),
);

describe('a job that finds nothing from its start', () => {
  const rows = (name: string, id: (number: number) => string, from = 1) =>
    `${name},Owner\n${Array.from({ length: 60 }, (_, at) => `${id(at + from)},x\n`).join('')}`;
  const person = (number: number) => `per_${number}`;

  fewKnown.for([
    ['revenue', 'Id', (number: number) => `00Q${number}`],
    ['person', 'person_id', person],
    ['searches talent', 'search_id', String],
    ['investors', 'name', (number: number) => `Fund ${number}`],
  ] as const)('is ended after ten 404: %s', async ([command, name, id], { service, pdi }) => {
    const stdin = rows(name, id);
    const argv = `${command} -i - -o csv --accept not_found --concurrency 1 --errors json`;
    const result = await pdi(argv, { stdin });
    expect([result.code, service.requests.length]).toEqual([5, 10]);
    expect(statusesOf(result.stdout)).toEqual([...Array(10).fill('not_found'), ...Array(50).fill('skipped')]);
    const { stderr } = await pdi(argv.replace('json', 'text'), { stdin });
    expect(stderr).toContain(`what the column ${name} holds is not known at ${service.baseUrl}`);
    expect((await pdi(`${argv} --on-error continue`, { stdin })).code).toBe(0);
    expect(service.requests).toHaveLength(80);
  });

  fewKnown('goes on where it ended, and asks for nothing twice', async ({ service, pdi }) => {
    const [file, out] = [fileOf('people.csv', rows('person_id', person)), newFile('out.csv')];
    const argv = ['person', '-i', file, '--out', out, '--accept', 'not_found', '--concurrency', '1'];
    const codes = [];
    for (let run = 0; run < 3; run += 1) codes.push((await pdi(argv)).code);
    expect(codes).toEqual([5, 5, 0]);
    expect(statusesIn(out)).toEqual([...Array(20).fill('not_found'), ...Array(40).fill('ok')]);
    expect([new Set(service.requests.map(({ path }) => path)).size, service.requests.length]).toEqual([60, 60]);
    expect(existsSync(`${out}.journal`)).toBe(false);
  });

  fewKnown('does not end where something was found', async ({ service, pdi }) => {
    const stdin = `person_id\nper_21\n${Array.from({ length: 20 }, (_, at) => `per_${at}`).join('\n')}\n`;
    expect((await pdi('person -i - -o csv --accept not_found --concurrency 1', { stdin })).code).toBe(0);
    expect(service.requests).toHaveLength(21);
  });
});

describe('an id that nobody chose', () => {
  const told = 'the ids are taken from';
  it.for([
    ['a.csv', 'Id,Owner\nc-1,x\n', true],
    ['a.csv', 'id;name\nc-1;x\n', true],
    ['a.ndjson', '{"Id":"c-1","Owner":"x"}\n', true],
    ['a.json', '[{"id":"c-1","owner":{"x":1}}]', true],
    ['a.csv', 'id\nc-1\n', false],
    ['a.csv', 'company_id,Id\nc-1,x\n', false],
    ['a.csv', 'id,company_name,pdi_status\nc-1,x,ok\n', false],
    ['a.ndjson', '{"id":"c-1","company_name":"x"}\n', false],
  ] as const)('is told of where its table is another program’s: %s %j', async ([name, text, isTold], { service, pdi }) => {
    const argv = ['revenue', '-i', fileOf(name, text), '-o', 'csv', '--errors', 'text'];
    const { stderr } = await pdi([...argv, '--dry-run']);
    expect(stderr.includes(told), stderr).toBe(isTold);
    expect(service.requests).toEqual([]);
    expect((await pdi([...argv, '--column', text.includes('Id') && !text.includes('company_id') ? 'Id' : 'id'])).stderr).not.toContain(
      told,
    );
  });
});

describe('an answer that a cache had', () => {
  const aged = itWith(() => origin(({ path }) => ({ ...profile(path), headers: { age: path.endsWith('per_1') ? '3600' : 'soon' } })));

  aged('is as old as the cache says, now and when it comes from the book', async ({ service, pdi }) => {
    const fetchedAt = async () => {
      const env = { PDI_MAX_AGE: '12h' };
      const { stdout } = await pdi('person per_1 per_2 -o ndjson --fields pdi_fetched_at', { env });
      return recordsOf(stdout).map(({ pdi_fetched_at }) => Date.parse(pdi_fetched_at));
    };
    const [old = 0, fresh = 0] = await fetchedAt();
    expect(Math.round((fresh - old) / 60_000)).toBe(60);
    expect(await fetchedAt()).toEqual([old, fresh]);
    expect(service.requests).toHaveLength(2);
  });
});
