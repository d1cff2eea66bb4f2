/** The document that the sandbox serves: valid for others, and saying what the API document says, typed out by hand. */

import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect } from 'vitest';
import { describeApi } from '../../src/sandbox/openapi.ts';
import { createWorld } from '../../src/sandbox/world.ts';
import { type Operation, readDescription } from '../contract/description.ts';
import { resources } from '../contract/resources.ts';
import { type Asking, type Heard, it, record, start } from './ask.ts';
import { landmarks } from './landmarks.ts';

const api = readDescription(describeApi());

it('is served without a key, and counts nowhere', async ({ ask, bill, requests }) => {
  const answer = await ask('/openapi.json', { key: null });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
  expect(answer.json).toEqual(
    JSON.parse(JSON.stringify(describeApi(createWorld({ today: landmarks.signalDates.last })))),
  );
  expect([bill(), requests()]).toEqual([[], {}]);
});

it('is OpenAPI 3.1 to an independent validator', async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone({ ...describeApi() }));
  expect({ valid, errors, version: validator.version }).toEqual({
    valid: true,
    errors: undefined,
    version: '3.1',
  });
});

/** Operation, method, path, billing, key, body, and the statuses, with what they may hold where that differs from one to another. */
const documented = `
  resolvePeople POST /people/resolve free key body 200 401 403 422 429
  readInvestorInterest GET /investor-interest charged not_billed key 200 401 403 404 422 429 500 default
  modifyPeopleList PATCH /lists/people/{listId} unstated key body 200 400:INVALID_LIST_UUID 401 403 404 422 429
  getPerson GET /people/{personId} charged key 200 401 403 404 429 default
  listNetworkPeople GET /network/people unstated key 200 401 403 422 429
  getCompanyLatestRevenue GET /companies/{companyId}/latest-revenue charged key 200 401 403 404 429 default
  getFundingRoundsSearch GET /searches/funding-rounds/{searchId} unstated key 200 400:NOT_SUPPORTED_PRODUCT 401 403 404 429
  getTalentSearch GET /searches/talent/{searchId} unstated key 200 400:BAD_SEARCH_ID_TYPE,NOT_SUPPORTED_PRODUCT 401 403 404 429
  listCompanyLists GET /lists/companies free key 200 401 403 422 429
  findInvestors GET /investors unstated key 200 401 403 422 429
  getInvestorList GET /lists/investors/{listId} unstated key 200 400:INVALID_LIST_UUID 401 403 404 429
  deleteInvestorList DELETE /lists/investors/{listId} free key 2XX 400:INVALID_LIST_UUID 401 403 404 429
  deletePeopleList DELETE /lists/people/{listId} unstated key 2XX 400:INVALID_LIST_UUID 401 403 404 429
  deleteCompanyList DELETE /lists/companies/{listId} unstated key 200 400:INVALID_LIST_UUID 401 403 404 429
  checkHealth GET /health free none 200 503`;

/** Operation, place, name, type, then what else the API document says of it. */
const parameters = `
  readInvestorInterest query search_id string
  readInvestorInterest query list_id string
  readInvestorInterest query sort string
  readInvestorInterest query signal_date_after string format=date
  readInvestorInterest query signal_date_before string format=date
  readInvestorInterest query page integer minimum=0 default=0
  readInvestorInterest query limit integer minimum=1 maximum=50 default=50
  modifyPeopleList path listId string format=uuid
  getPerson path personId string
  listNetworkPeople query page number minimum=0 default=0
  listNetworkPeople query limit number minimum=1 default=50
  listNetworkPeople query connected_on string const=profnet default=profnet
  getCompanyLatestRevenue path companyId string
  getFundingRoundsSearch path searchId integer
  getTalentSearch path searchId integer
  findInvestors query website string
  findInvestors query name string
  getInvestorList path listId string format=uuid
  deleteInvestorList path listId string format=uuid
  deletePeopleList path listId string format=uuid
  deleteCompanyList path listId string format=uuid`;

/** What holds wherever the status occurs. */
const codes: Readonly<Record<string, string>> = {
  401: 'API_KEY_MISSING,API_KEY_NOT_VALID',
  403: 'NOT_PERMITTED',
  422: 'VALIDATION_ERROR',
  429: 'RATE_LIMITED',
  default: 'OUT_OF_CREDITS',
};

const codesOf = ({ responses }: Operation, status: string): string => {
  const properties = responses[status]?.content?.['application/json'].schema.properties;
  const { enum: known = [] }: { enum?: readonly string[] } =
    JSON.parse(JSON.stringify(properties ?? {})).errorCode ?? {};
  return known.join(',');
};

const lines = (text: string): string[] => text.trim().split(/\s*\n\s*/);

describe('the operations', () => {
  it('are those of the API document, with its paths, methods, billing, bodies, statuses and parameters, of which those of the path alone are required', () => {
    const told = api.operations.map((operation) => {
      const { operationId, method, path, security, requestBody, responses } = operation;
      const { 'x-billing': billing, 'x-empty-page': emptyPage = [] } = operation;
      const statuses = Object.keys(responses).map((status) =>
        status === '400' ? `400:${codesOf(operation, status)}` : status,
      );
      const needs = [
        security === undefined ? 'key' : 'none',
        requestBody === undefined ? [] : 'body',
      ];
      return [operationId, method, path, billing, emptyPage, ...needs, ...statuses.sort()]
        .flat()
        .join(' ');
    });
    expect(told.sort()).toEqual(lines(documented).sort());
    const sent = api.operations.flatMap(({ operationId, parameters: known = [] }) =>
      known.map(({ name, in: place, required, schema: { type, pattern, ...rest } }) => {
        expect(required ?? false, `${operationId} ${name}`).toBe(place === 'path');
        return [
          operationId,
          place,
          name,
          type,
          ...Object.entries(rest).map(([word, value]) => `${word}=${value}`),
        ].join(' ');
      }),
    );
    expect(sent.sort()).toEqual(lines(parameters).sort());
  });

  it('refuse with the codes of the API document; a charged one may say OUT_OF_CREDITS with any status', () => {
    for (const operation of api.operations) {
      for (const status of Object.keys(operation.responses).filter((key) => key !== '400')) {
        const credits =
          operation['x-billing'] === 'charged' && !['404', '500', 'default'].includes(status)
            ? ',OUT_OF_CREDITS'
            : '';
        const known = codes[status];
        expect(codesOf(operation, status), `${operation.operationId} ${status}`).toBe(
          known === undefined ? '' : known + credits,
        );
      }
    }
  });

  it('send the three headers with 429', () => {
    for (const { operationId, responses, security } of api.operations) {
      const headers = Object.keys(responses[429]?.headers ?? {});
      const expected = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
      expect(headers, operationId).toEqual(security === undefined ? expected : []);
    }
  });

  it('ask for a key in the header, health alone for none', () => {
    const { security, components, servers } = JSON.parse(JSON.stringify(describeApi()));
    expect([security, servers]).toEqual([[{ apiKey: [] }], [{ url: '/api/v1' }]]);
    expect(components.securitySchemes).toEqual({
      apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
    });
    const open = api.operations.filter(({ security: own }) => own !== undefined);
    expect(open).toMatchObject([{ operationId: 'checkHealth', security: [] }]);
  });
});

it('a resolved identifier has one match at most', () => {
  const { components } = JSON.parse(JSON.stringify(describeApi()));
  expect(components.schemas.ResolvePeopleRecord.properties.matches).toMatchObject({
    type: 'array',
    maxItems: 1,
  });
});

it.each(resources)(
  '$name, typed out by hand from the API document, is what it describes',
  ({ operation, record, required }) => {
    const called = api.operation(operation);
    const isList = JSON.stringify(called.responses[200]?.content).includes('"array"');
    const problems = (value: unknown) =>
      api.answerProblems(called, { status: 200, json: isList ? [value] : value });
    expect(problems(record)).toEqual([]);
    for (const name of required.filter((field) => !field.includes('.'))) {
      const { [name]: _gone, ...rest } = record;
      expect(problems(rest).join(), name).toContain(`must have required property '${name}'`);
    }
  },
);

describe('the examples', () => {
  const sizes = [
    { people: 1, seed: 5 },
    { people: 3000, seed: 77 },
  ];

  it.each(sizes)('of %j are valid, each of them', (options) => {
    expect(readDescription(describeApi(createWorld(options))).exampleProblems()).toEqual([]);
  });

  it.each(sizes)(
    'of %j are what a sandbox of that size answers to the request of the document',
    async (options) => {
      const { ask } = await start({ ...options, now: () => Date.parse('2026-06-30T12:00:00Z') });
      const { json } = await ask('/openapi.json', { key: null });
      const document = readDescription(json);
      for (const { operationId, responses } of document.operations.filter(
        ({ method }) => method !== 'DELETE',
      )) {
        const heard = await asked({ ask }, operationId, sampleOf(operationId, document));
        expect([operationId, heard.status, heard.json]).toEqual([
          operationId,
          200,
          responses[200]?.content?.['application/json'].example,
        ]);
      }
    },
  );

  it('of refusals have the code that the sandbox answers with, and those of 429 its headers', () => {
    for (const { operationId, responses } of api.operations) {
      for (const [status, { content, headers }] of Object.entries(responses)) {
        if (!/^[45]|default/.test(status) || status === '503') continue;
        const [example, known] = [
          content?.['application/json'].example,
          codesOf(api.operation(operationId), status).split(','),
        ];
        if (known[0] !== '')
          expect(known, `${operationId} ${status}`).toContain(
            Reflect.get(Object(example), 'errorCode'),
          );
        expect(Reflect.get(Object(example), 'message'), `${operationId} ${status}`).toEqual(
          expect.any(String),
        );
        if (status === '429')
          expect(Object.values(headers ?? {}).map((header) => header.example)).toEqual([1, 0, 1]);
      }
    }
    expect(
      api.operation('checkHealth').responses[503]?.content?.['application/json'].example,
    ).toMatchObject({ status: 'ERROR' });
  });

  it('are asked for once, whatever is changed meanwhile', async () => {
    let now = 0;
    const { ask } = await start({ now: () => ++now });
    const before = await ask('/openapi.json', { key: null });
    await ask(`/lists/people/${landmarks.lists.people.shared}`, { method: 'DELETE' });
    const after = await ask('/openapi.json', { key: null });
    expect(after.text).toBe(before.text);
  });
});

/** Answers of every operation against the document, by real HTTP; `ask.ts` judges those of the other tests. */
interface Case {
  readonly path: string;
  readonly body?: unknown;
  readonly key?: string | null;
}

/** `ask` fails where the answer is not as documented. */
const asked = (
  { ask }: Pick<Asking, 'ask'>,
  name: string,
  { path, ...question }: Case,
): Promise<Heard> => ask(path, { method: api.operation(name).method, ...question });

/** The request that a document itself shows. */
function sampleOf(name: string, document = api): Case {
  const { path, parameters = [], requestBody, security } = document.operation(name);
  const place = path.replace(/\{(\w+)\}/g, (_whole, wanted: string) =>
    String(parameters.find((one) => one.name === wanted)?.example),
  );
  const sent = parameters.filter((one) => one.in === 'query' && one.example !== undefined);
  const query = new URLSearchParams(
    sent.map((one): [string, string] => [one.name, String(one.example)]),
  );
  const body = requestBody?.content['application/json'].example;
  return { path: `${place}?${query}`, body, ...(security !== undefined && { key: null }) };
}
const keyed = api.operations
  .filter(({ security }) => security === undefined)
  .map(({ operationId }) => operationId);
const charged = api.operations
  .filter((operation) => operation['x-billing'] === 'charged')
  .map(({ operationId }) => operationId);

it.each([{ seed: 1 }, { seed: 77, people: 300 }])(
  'with %j, what each operation answers is as documented, for each of many records, the odd ones included',
  async (options) => {
    const service = await start(options);
    for (let number = 1; number <= 30; number++)
      for (const path of [
        `/people/per_sample${number}`,
        `/companies/company-${number}/latest-revenue`,
        `/investors?website=investor-${number}.example`,
        `/investor-interest?page=${number - 1}`,
        `/network/people?page=${number - 1}`,
      ])
        expect([path, (await service.ask(path)).status]).toEqual([path, 200]);
    for (const key of [null, 'other', service.keys.noPermission])
      expect((await service.ask('/health', { key })).status).toBe(200);
    for (const { operationId } of api.operations) {
      const { status } = await asked(service, operationId, sampleOf(operationId));
      expect([operationId, status]).toEqual([
        operationId,
        operationId === 'deleteInvestorList' ? 204 : 200,
      ]);
    }
  },
);

describe.each(keyed)('%s refuses', (name) => {
  it('without a key, with another, without permission', async ({ service }) => {
    const { keys } = service;
    const answers = [null, 'other', keys.noPermission].map((key) =>
      asked(service, name, { ...sampleOf(name), key }),
    );
    expect(
      (await Promise.all(answers)).map((heard) => [heard.status, record(heard).errorCode]),
    ).toEqual([
      [401, 'API_KEY_MISSING'],
      [401, 'API_KEY_NOT_VALID'],
      [403, 'NOT_PERMITTED'],
    ]);
  });

  it('beyond the rate limit, with its headers', async () => {
    const service = await start({ rateLimit: 1, now: () => 0 });
    await asked(service, name, sampleOf(name));
    const { status, headers } = await asked(service, name, sampleOf(name));
    expect(status).toBe(429);
    for (const header of ['limit', 'remaining', 'reset'])
      expect(headers.get(`x-ratelimit-${header}`)).not.toBeNull();
  });
});

it.for(keyed)(
  '%s asks for credits, and is on the bill, where it is charged alone',
  async (name, { service }) => {
    const isCharged = charged.includes(name);
    const poor = await asked(service, name, { ...sampleOf(name), key: service.keys.noCredits });
    expect([poor.status >= 400, service.bill().length]).toEqual([isCharged, 0]);
    if (isCharged) await asked(service, name, sampleOf(name));
    expect(service.bill()).toHaveLength(isCharged ? 1 : 0);
  },
);

it.each(charged)('%s without credits, whatever the status', async (name) => {
  for (const outOfCreditsStatus of [402, 403, 429, 404, 500, 418]) {
    const service = await start({ outOfCreditsStatus });
    const heard = await asked(service, name, { ...sampleOf(name), key: service.keys.noCredits });
    expect([heard.status, record(heard).errorCode]).toEqual([outOfCreditsStatus, 'OUT_OF_CREDITS']);
  }
});
