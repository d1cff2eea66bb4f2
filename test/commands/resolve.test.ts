import { describe, expect, it } from 'vitest';
import { landmarks } from '../sandbox/landmarks.ts';
import { arrayOf, errorOf, expectMistake, objectOf, origin, rowsOf, sandbox, summaryOf } from '../support/service.ts';

const { person } = landmarks;
const found = [{ person_id: person.id, full_name: person.name, profnet_url: person.url }];

describe('resolve', () => {
  it.each([
    ['a URL', person.url, { profnet_url: person.url }],
    ['a URL without scheme', person.url.slice('https://'.length), { profnet_url: person.url }],
    ['a slug', person.slug, { profnet_id: person.slug }],
    ['a member id', String(person.memberId), { profnet_num_id: person.memberId }],
    ['a URN', person.urn, { profnet_urn: person.urn }],
  ])('one identifier, %s, gives its group', async (_what, identifier, query) => {
    const { pdi } = await sandbox();
    const result = await pdi(['resolve', identifier]);
    expect({ code: result.code, stderr: result.stderr }).toEqual({ code: 0, stderr: '' });
    expect(objectOf(result)).toEqual({ query, matches: found });
  });

  it('several give one array, in order, for one request; identical ones are asked once', async () => {
    const { service, pdi } = await sandbox();
    const result = await pdi(['resolve', person.slug, 'nobody-here', person.urn, person.slug]);
    expect(result.code).toBe(0);
    expect(arrayOf(result).map(({ matches }) => matches)).toEqual([found, [], found, found]);
    expect(service.requests()).toEqual({ resolvePeople: 1 });
    expect(summaryOf(result)).toMatchObject({ rows: 4, ok: 3, not_found: 1, calls_billed: 0 });
  });

  it('sends digits past 2^53 as they were written', async () => {
    const { service, pdi } = await sandbox();
    const { beyond, last } = landmarks.largeMembers;
    const result = await pdi(['resolve', beyond.digits, last.digits]);
    expect(arrayOf(result).map(({ matches }) => matches)).toMatchObject([[{ person_id: beyond.id }], [{ person_id: last.id }]]);
    expect(result.stdout).toContain(`"profnet_num_id": ${beyond.digits}`);
    expect(service.bill()).toEqual([]);
  });

  it('spellings of one profile are one question, in one form, and each row keeps what was given', async () => {
    const { service, pdi } = await origin(({ body }) => ({ json: [{ query: JSON.parse(body).to_resolve[0], matches: [] }] }));
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
    expect(rowsOf(csv.stdout)).toMatchObject(spellings.map((input) => ({ ...form, input: input.replace(/^=/, "'=") })));
    expect(service.requests.map(({ body }) => body)).toEqual([`{"to_resolve":[{"profnet_url":"${person.url}"}]}`]);
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
    const byShape = [{ profnet_num_id: 12345 }, { profnet_id: 'ada' }, { profnet_urn: 'urn:profnet:member:S1' }, { profnet_url: url }];
    expect(await sent('--column profnet_url')).toEqual(byShape);
    expect(await sent('--as url')).toEqual([{ profnet_url: url }]);
  });

  it('--as with a value of another shape is a usage error, and nothing is sent', async () => {
    const { service, pdi } = await sandbox();
    const result = await pdi('resolve not-a-number --as num-id');
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code: 2, stdout: '' });
    expect(errorOf(result)).toMatchObject({ code: 'usage', item: 'not-a-number' });
    expect(service.requests()).toEqual({});
  });

  it('without a match: 0, the group printed; --fail-if-empty makes it 4', async () => {
    const { pdi } = await sandbox();
    const fine = await pdi('resolve nobody-here');
    expect({ code: fine.code, stderr: fine.stderr, group: objectOf(fine) }).toEqual({
      code: 0,
      stderr: '',
      group: { query: { profnet_id: 'nobody-here' }, matches: [] },
    });
    const refused = await pdi('resolve nobody-here --fail-if-empty');
    expect([refused.code, errorOf(refused).code]).toEqual([4, 'not_found']);
    expect((await pdi('resolve nobody-here nobody-there --fail-if-empty')).code).toBe(4);
    expect((await pdi(['resolve', 'nobody-here', person.slug, '--fail-if-empty'])).code).toBe(0);
  });

  it('reads lines from stdin with -i -, 50 a request, order kept', async () => {
    const { service, pdi } = await sandbox();
    const stdin = Array.from({ length: 120 }, (_, index) => `https://www.profnet.example/in/nobody-${index}`).join('\n');
    const result = await pdi('resolve -i - -o ndjson', { stdin });
    expect(result.code).toBe(0);
    expect(
      result.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).query.profnet_url),
    ).toEqual(stdin.split('\n'));
    expect(service.requests()).toEqual({ resolvePeople: 3 });
  });

  it('one malformed row does not sink the others: exit 8', async () => {
    const { pdi } = await sandbox();
    const result = await pdi('resolve -i -', { stdin: `${person.slug}\nhttps://www.profnet.example/\n${person.urn}\n` });
    expect(result.code).toBe(8);
    expect(errorOf(result)).toMatchObject({ code: 'partial', billed: 'no' });
    expect(arrayOf(result)).toMatchObject([
      { matches: found },
      { input: 'https://www.profnet.example/', pdi_status: 'invalid', pdi_error: expect.any(String) },
      { matches: found },
    ]);
  });

  it('a malformed argument is refused before anything is sent', async () => {
    const { service, pdi } = await sandbox();
    expectMistake(await pdi(['resolve', person.slug, 'https://www.profnet.example/']), 2, /a URL without a profile slug/);
    expect(service.requests()).toEqual({});
  });

  it.each([
    [['resolve'], 'nothing to ask for'],
    [['resolve', 'a', '-i', '-'], 'both'],
    [['resolve', 'a', '--column', 'x'], '--column'],
    [['resolve', 'a', '--as', 'shoe-size'], '--as'],
  ])('%j is a usage error', async (argv, message) => {
    const { service, pdi } = await sandbox();
    const result = await pdi(argv, { stdin: 'ada-sample-1\n' });
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code: 2, stdout: '' });
    expect(errorOf(result).message).toContain(message);
    expect(service.requests()).toEqual({});
  });
});
