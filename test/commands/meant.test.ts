/** Only what is meant is asked for: judged by what an origin saw. */
import { describe, expect } from 'vitest';
import { landmarks } from '../sandbox/landmarks.ts';
import { itWith } from '../support/it.ts';
import { errorOf, origin } from '../support/service.ts';

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

it('a name is bought once, however it is written', async ({ service, pdi }) => {
  for (const name of ['Sample Harbor', '“Sample  Harbor”', 'sample\u00a0har\u200bbor', "'SAMPLE HARBOR'"])
    await pdi(['investors', '--name', name], { env: { PDI_MAX_AGE: '12h' } });
  expect(service.requests).toHaveLength(1);
});
