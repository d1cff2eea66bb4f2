/** The service as an enemy: answers of every operation, mutated from good ones, with any status and headers. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { everyCommand } from '../commands/every-command.ts';
import { type Answer, type Origin, startOrigin } from '../support/origin.ts';
import { newFolder } from '../support/run.ts';
import { fuzz, seed, testTimeout } from './budget.ts';
import { edited, edits, exchanged, exchanges } from './edits.ts';
import { judged } from './verdict.ts';

let service: Origin;
let answer: Answer = {};
const home = newFolder();

beforeAll(async () => {
  service = await startOrigin(() => answer);
});
afterAll(() => service.close());

const status = fc.oneof(
  { weight: 6, arbitrary: fc.constant(200) },
  fc.constantFrom(201, 204, 301, 400, 401, 402, 403, 404, 409, 422, 429, 500, 502, 503),
);
const oddTexts = [
  '',
  '0',
  '-1',
  '1e9',
  'NaN',
  'gzip',
  'br',
  'identity',
  'text/html',
  '/elsewhere',
  'http://127.0.0.1:1/',
  'x'.repeat(2000),
];
const headerText = fc.oneof(
  fc.constantFrom(...oddTexts),
  fc.string({ unit: 'grapheme-ascii', maxLength: 12 }),
);
const limits = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
const headerNames = [
  'content-type',
  'content-encoding',
  'location',
  'x-request-id',
  ...limits,
  'retry-after',
];
const headers = fc.dictionary(fc.constantFrom(...headerNames), headerText, {
  maxKeys: 2,
  noNullPrototype: true,
});
const outOfCredits = '{"errorCode":"OUT_OF_CREDITS","message":"no credits are left"}';

/** What may stand behind a command: more rows, more pages, a filter over the answer. */
const additions: Readonly<Record<string, readonly string[]>> = {
  resolve: ['ben-sample-2 7'],
  person: ['per_b2 per_c3', '--fields experience,skills'],
  feed: ['--all --max-pages 2', '--fields company.hq.city,signal_investors'],
  network: ['--all --max-pages 2'],
};
const queries = ['@', '[].[*]', 'sort_by(@, &person_id)', 'keys(@)'].map((query) => [
  '--query',
  query,
]);

const hostile = fc.record({
  name: fc.constantFrom(...everyCommand.map(({ name }) => name)),
  addition: fc.option(fc.nat(1), { nil: undefined }),
  query: fc.option(fc.constantFrom(...queries), { nil: [], freq: 3 }),
  exchanges,
  edits: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, edits),
  status,
  headers,
  format: fc.constantFrom('json', 'ndjson', 'csv', 'table'),
});

const isDeletion = (name: string): boolean => name.endsWith('delete');

function isJson(text = ''): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Half a character is written as U+FFFD, in keys too: no other program could read it. */
const withWholeCharacters = (_key: string, value: unknown): unknown => {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key.toWellFormed(), inner]),
  );
};

/** What json output must hold: the body itself; of a resolve of one, its one group. */
function bodyOf(name: string, text = ''): unknown {
  const body: unknown = JSON.parse(text, withWholeCharacters);
  return name === 'resolve' && Array.isArray(body) ? body[0] : body;
}

it(`seed ${seed}: no answer makes a bug, a hang or half an output`, {
  timeout: testTimeout,
}, async () => {
  const property = fc.asyncProperty(hostile, async (given) => {
    const { name, format } = given;
    const command = everyCommand.find((one) => one.name === name);
    if (command === undefined) throw new Error(`no command ${name}`);
    const good = given.status < 300 ? command.answer : outOfCredits;
    answer = {
      status: given.status,
      headers: given.headers,
      text: edited(exchanged(good, given.exchanges), given.edits),
    };
    const more =
      given.addition === undefined ? [] : (additions[name]?.[given.addition]?.split(' ') ?? []);
    const query = format === 'json' || format === 'ndjson' ? given.query : [];
    const argv = [
      ...command.argv,
      ...more,
      ...query,
      '--retries',
      '0',
      '--max-wait',
      '0',
      '--timeout',
      '3',
    ];
    const { code, stdout } = await judged(argv, format, {
      home,
      env: { PDI_BASE_URL: service.baseUrl },
    });
    // Nothing that the service does is a failure of ours, and a command that fails prints no record.
    expect(code).not.toBe(1);
    const untouched = format === 'json' && query.length === 0 && more.length === 0;
    // A 204 has no body, whatever is given to it; a delete's own words stand for an empty one, and for one that is no JSON.
    const isEmpty =
      given.status === 204 ||
      ['', 'null'].includes(answer.text?.trim() ?? '') ||
      (isDeletion(name) && !isJson(answer.text));
    if (code === 0 && untouched && !isEmpty)
      expect(JSON.parse(stdout)).toEqual(bodyOf(name, answer.text));
    // A query that does not fit leaves the answer as it came: it may have been paid for.
    const isMisfit = code === 2 && query.length > 0 && stdout !== '';
    if (isMisfit && format === 'json' && more.length === 0 && !isEmpty)
      expect(JSON.parse(stdout)).toEqual(bodyOf(name, answer.text));
    if (code !== 0 && !isMisfit && !command.job && !more.includes('--all') && name !== 'health')
      expect(stdout).toBe('');
  });
  await fuzz('answers', property);
});
