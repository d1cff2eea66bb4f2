import { describe, expect } from 'vitest';
import { landmarks } from '../sandbox/landmarks.ts';
import { it } from '../support/it.ts';
import { itemsIn } from '../support/records.ts';
import { expectRefused, objectOf, origin, rowsOf } from '../support/service.ts';

const { person } = landmarks;

describe('resolve', () => {
  it('spellings of one profile are one question, in one form, and each row keeps what was given', async () => {
    const { service, pdi } = await origin(({ body }) => ({
      json: [{ query: JSON.parse(body).to_resolve[0], matches: [] }],
    }));
    const spellings = [
      person.url,
      `<${person.url}/>`,
      `="${person.url}"`,
      'http://fr.profnet.example/in/ada-sample-1/en?trk=x',
      'M.Profnet.Example/IN/ada-sample-1/overlay/contact-info/#top',
      `\u200b${person.url}\u200b`,
    ];
    const csv = await pdi(['resolve', ...spellings, '-o', 'csv', '--fields', 'query.profnet_url']);
    const form = { 'query.profnet_url': person.url, pdi_status: 'not_found' };
    expect(rowsOf(csv.stdout)).toMatchObject(
      spellings.map((input) => ({ ...form, input: input.replace(/^=/, "'=") })),
    );
    expect(service.requests.map(({ body }) => body)).toEqual([
      `{"to_resolve":[{"profnet_url":"${person.url}"}]}`,
    ]);
    const plan = objectOf(await pdi(['resolve', ...spellings, '--dry-run']));
    expect(plan).toMatchObject({
      job: { rows: spellings.length, distinct: 1 },
      requests: [{ body: { to_resolve: [{ profnet_url: person.url }] } }],
    });
  });

  it("the shape decides, whatever the column's name; --as decides over both", async () => {
    const { service, pdi } = await origin(({ body }) => ({
      json: JSON.parse(body).to_resolve.map((query: object) => ({ query, matches: [] })),
    }));
    const stdin = 'profnet_url\n12345\nada\nurn:profnet:member:S1\nprofnet.example/in/ada\n';
    const sent = async (flags: string) => {
      await pdi(`resolve -i - -o csv ${flags}`.trim(), { stdin });
      return JSON.parse(service.requests.at(-1)?.body ?? '').to_resolve;
    };
    const url = 'https://www.profnet.example/in/ada';
    const byShape = [
      { profnet_num_id: 12345 },
      { profnet_id: 'ada' },
      { profnet_urn: 'urn:profnet:member:S1' },
      { profnet_url: url },
    ];
    expect(await sent('--column profnet_url')).toEqual(byShape);
    expect(await sent('--as url')).toEqual([{ profnet_url: url }]);
  });

  it('--fail-if-empty makes it 4 where nobody of several is found', async ({ pdi }) => {
    expect((await pdi('resolve nobody-here nobody-there --fail-if-empty')).code).toBe(4);
    expect((await pdi(['resolve', 'nobody-here', person.slug, '--fail-if-empty'])).code).toBe(0);
  });

  it('--fail-if-empty leaves it 8 where rows have no answer, unless they are accepted: nobody knows whether they are there', async () => {
    const { pdi } = await origin(({ body }) => ({
      json: itemsIn(body).map((query, at) => ({ query: at === 0 ? {} : query, matches: [] })),
    }));
    const argv = 'resolve ada bob -o csv --fail-if-empty';
    expect([(await pdi(argv)).code, (await pdi(`${argv} --accept failed`)).code]).toEqual([8, 4]);
  });

  it.each([
    ['resolve', 'nothing to ask for'],
    ['resolve a -i -', 'both'],
    ['resolve -i a.csv --input=-', '--input: it names two files'],
    ['resolve a --column x', '--column'],
    ['resolve not-a-number --as num-id', 'not-a-number'],
    ['resolve ada https://www.profnet.example/', 'a URL without a profile slug'],
  ])('%s is a usage error', (argv, words) =>
    expectRefused(argv, words, { stdin: 'ada-sample-1\n' }),
  );
});
