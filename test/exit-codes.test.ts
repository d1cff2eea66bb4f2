/** Every row of the contract's exit-code table, reached: code, stdout and stderr each by itself. */
import { describe, expect, it } from 'vitest';
import { exitTable } from '../src/exit.ts';
import { outputFormats } from '../src/output/formats.ts';
import type { Answer, Handler } from './support/origin.ts';
import { errorOf, key, linesOf, origin, pdi as program } from './support/service.ts';

interface Expected {
  readonly env?: Readonly<Record<string, string>>;
  /** stdout as a whole; none where not given. */
  readonly stdout?: string;
  readonly error?: Readonly<Record<string, unknown>>;
  /** Requests that the origin saw; one where not given. */
  readonly requests?: number;
}

/** A command line, what the service answers, and what comes of it. */
type Case = readonly [name: string, argv: string, answer: Answer | Handler, expected?: Expected];

const skippedAt401 = '"not sent: Get person by id, per_1: the API key was refused (401): in words 401"';
const rowsAt401 = ['per_1', 'per_2'].map((id) => `${id},,skipped,${skippedAt401}\r\n`).join('');
const limited = 'not sent: Get person by id, per_2: still rate limited (429): in words 429';
const rowsAt429 = [{ person_id: 'per_1' }, { input: 'per_2', pdi_status: 'skipped', pdi_error: limited }];

const refused = (status: number, errorCode?: string, headers: Record<string, string> = {}): Answer => ({
  status,
  headers,
  json: { ...(errorCode !== undefined && { errorCode }), message: `in words ${status}` },
});

const person: Answer = { text: '{"person_id":"per_1"}' };
const signal = { signal_id: 's' };
const group: Handler = ({ body }) => ({ json: [{ query: JSON.parse(body).to_resolve[0], matches: [] }] });
const down: Answer = { status: 503, text: '{"status":"ERROR"}' };
const list = 'd0000000-0000-4000-8000-000000000001';
const members = `lists investors get ${list} -o ndjson --fail-if-empty`;
const quick = '--retries 0 --timeout 0.2';
const job = 'person per_1 per_2 -o csv --fields person_id';
const header = 'input,person_id,pdi_status,pdi_error\r\n';
const notFoundAt404 = `${header}per_1,per_1,ok,\r\nper_2,,not_found,not found (404): in words 404\r\n`;
const noMatch = '{"query":{"profnet_id":"x"},"matches":[]}\n';
const hinting = (words: string) => ({ requests: 0, error: { hint: expect.stringContaining(words) } });
const page = { billed: 'unknown', message: expect.stringContaining('a page of HTML') };
const limit = { status: 429, errorCode: 'RATE_LIMITED', billed: 'no', retryable: true };
const redirected: Answer = { status: 302, headers: { location: '/api/v1/people/per_1' } };
const atOnce = { 'x-ratelimit-reset': '0.001' };
const firstAlone =
  (rest: Answer): Handler =>
  ({ path }) =>
    path.endsWith('per_1') ? person : rest;

const cases: Readonly<Record<string, readonly Case[]>> = {
  ok: [
    ['done', 'person per_1 -o ndjson', person, { stdout: '{"person_id":"per_1"}\n' }],
    ['an empty feed', 'feed', { json: [] }, { stdout: '[]\n' }],
    ['a resolve without matches', 'resolve x -o ndjson', group, { stdout: noMatch }],
    ['health OK', 'health -o ndjson', { text: '{"status":"OK"}' }, { stdout: '{"status":"OK"}\n' }],
  ],
  internal: [
    ['a full disk', 'feed --out /dev/full', { json: [] }, { error: { item: '/dev/full', hint: expect.stringMatching(/space/) } }],
    ['an unreadable file', 'person per_1', person, { env: { PDI_CONFIG_DIR: '/dev/null' }, requests: 0 }],
  ],
  usage: [
    ['a bad flag', 'person per_1 --nonsense', person, { requests: 0, error: { hint: expect.any(String) } }],
    ['no base URL', 'person per_1', person, { env: { PDI_BASE_URL: '' }, ...hinting('--sandbox') }],
    ['400', `lists investors get ${list}`, refused(400, 'INVALID_LIST_UUID'), { error: { status: 400, errorCode: 'INVALID_LIST_UUID' } }],
    ['422', 'resolve x', refused(422, 'VALIDATION_ERROR'), { error: { status: 422, errorCode: 'VALIDATION_ERROR', item: 'x' } }],
    ['an impossible confirmation', `lists people delete ${list} --no-input`, person, hinting('--yes')],
  ],
  auth: [
    ['no key', 'person per_1', person, { env: { PDI_API_KEY: '' }, requests: 0, error: { status: null } }],
    ['401', 'person per_1', refused(401, 'API_KEY_NOT_VALID'), { error: { status: 401, errorCode: 'API_KEY_NOT_VALID', billed: 'no' } }],
    ['403', 'person per_1', refused(403, 'NOT_PERMITTED'), { error: { status: 403, errorCode: 'NOT_PERMITTED' } }],
    ['401 beats 8', `${job} --concurrency 1`, refused(401), { stdout: `${header}${rowsAt401}` }],
  ],
  not_found: [
    ['404', 'person per_1', refused(404), { error: { status: 404, errorCode: null, item: 'per_1', retryable: false } }],
    ['an empty feed with --fail-if-empty', 'feed --fail-if-empty', { json: [] }, { stdout: '[]\n' }],
    ['no investor with --fail-if-empty', 'investors --name x --fail-if-empty', { json: [] }, { stdout: '[]\n' }],
    ['a list without members', members, { json: { id: list, investors: [] } }, { stdout: `{"id":"${list}","investors":[]}\n` }],
    ['a list that tells no members', members, { json: { id: list } }, { stdout: `{"id":"${list}"}\n` }],
    ['no match with --fail-if-empty', 'resolve x -o ndjson --fail-if-empty', group, { stdout: noMatch }],
  ],
  unavailable: [
    ['500', 'person per_1', refused(500), { error: { status: 500, billed: 'unknown', retryable: false } }],
    ['502 on a free call', 'resolve x --retries 1', refused(502), { requests: 2, error: { status: 502, billed: 'no', retryable: true } }],
    ['503', 'person per_1 --retries 1', refused(503), { requests: 2, error: { status: 503, billed: 'no', retryable: true } }],
    ['a request that hangs', `person per_1 ${quick}`, () => undefined, { error: { status: null, billed: 'unknown' } }],
    ['HTML with status 200', 'person per_1', { text: '<html></html>' }, { error: page }],
    ['another shape', 'feed', { json: { signals: [] } }, { error: { billed: 'unknown' } }],
    ['health not OK', 'health -o ndjson', down, { stdout: '{"status":"ERROR"}\n', error: { billed: 'no', retryable: true } }],
    ['--wait ran out', 'health --wait 0.1 -o ndjson', down, { stdout: '{"status":"ERROR"}\n' }],
    ['a redirect without end', `person per_1 ${quick}`, redirected, { requests: 6 }],
  ],
  rate_limited: [
    ['still 429 after the allowed waits', 'person per_1 --retries 2', refused(429, 'RATE_LIMITED', atOnce), { requests: 3, error: limit }],
    [
      '429 beats 8',
      'person per_1 per_2 --retries 0 --concurrency 1',
      firstAlone(refused(429, 'RATE_LIMITED', atOnce)),
      { requests: 2, stdout: `${JSON.stringify(rowsAt429, undefined, 2)}\n` },
    ],
  ],
  credits: [
    ...[200, 400, 402, 403, 429, 500, 503].map((status): Case => {
      const error = { status, errorCode: 'OUT_OF_CREDITS', billed: 'no', retryable: false, item: 'per_1' };
      return [`OUT_OF_CREDITS with ${status}`, 'person per_1', refused(status, 'OUT_OF_CREDITS'), { error }];
    }),
    ['OUT_OF_CREDITS in a feed with 200', 'feed', refused(200, 'OUT_OF_CREDITS')],
    ['the cap of nothing', 'network --max-billable 0', person, { requests: 0 }],
    ['the cap stops a job', 'feed --all --limit 1 --max-billable 1 -o ndjson', { json: [signal] }, { stdout: '{"signal_id":"s"}\n' }],
  ],
  partial: [['a job with a row that is not found', job, firstAlone(refused(404)), { requests: 2, stdout: notFoundAt404 }]],
};

/** The contract's table; scripts depend on every line. */
const contract = [
  ['ok', 0, 'ok'],
  ['internal', 1, 'internal'],
  ['usage', 2, 'usage'],
  ['auth', 3, 'auth'],
  ['not_found', 4, 'not found'],
  ['unavailable', 5, 'unavailable'],
  ['rate_limited', 6, 'rate limited'],
  ['credits', 7, 'credits'],
  ['partial', 8, 'partial'],
  ['hung_up', 129, 'hung up'],
  ['interrupted', 130, 'interrupted'],
  ['terminated', 143, 'terminated'],
];

const rows = Object.entries(cases).flatMap(([code, list]) =>
  list.map(([name, argv, answer, expected = {}]) => ({ code, name, argv, answer, ...expected })),
);

describe.each(rows)('$code: $name', ({ code, argv, answer, env = {}, stdout = '', error = {}, requests = 1 }) => {
  const handler = typeof answer === 'function' ? answer : () => answer;
  const [, expected] = contract.find(([name]) => name === code) ?? [];

  it('in a pipe: one JSON object a failure', async () => {
    const { service, pdi } = await origin(handler);
    const result = await pdi(argv, { env });
    expect(result.code, result.stderr).toBe(expected);
    expect(result.stdout).toBe(stdout);
    const inWords = argv.includes('csv');
    if (code === 'ok') expect(result.stderr).toBe('');
    else if (!inWords) expect(errorOf(result)).toMatchObject({ code, hint: expect.stringMatching(/./), ...error });
    if (!argv.includes('--wait')) expect(service.requests).toHaveLength(requests);
    expect(result.stderr).not.toMatch(/\n\s+at /);
    expect(result.stdout + result.stderr).not.toContain(key);
  });

  it('on a terminal: one line', async () => {
    const { pdi } = await origin(handler);
    const result = await pdi(argv, { env, terminal: true });
    expect(result.code, result.stderr).toBe(expected);
    const failures = linesOf(result.stderr).filter((line) => !/rows?: /.test(line) || line.includes('the job ended'));
    if (code === 'ok') expect(failures.filter((line) => line !== 'pdi: nothing found')).toEqual([]);
    else if (!/ndjson/.test(argv)) {
      expect(failures).toHaveLength(1);
      expect(failures[0]).toMatch(/^pdi: \S/);
    }
  });
});

const gone = () => {
  throw Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
};

it.each([
  'feed --all --limit 1 --quiet',
  'person per_1',
  'lists companies list',
  'health',
  'spend --quiet',
  'config list',
  '--help',
  'help output',
  '--version',
])('a reader that goes away: %s', async (argv) => {
  const answers = [person, { json: [{ signal_id: 'a', id: 'a' }] }, { json: { status: 'OK' } }];
  const { pdi } = await origin(({ path }) => (path.includes('people') ? answers[0] : path.includes('health') ? answers[2] : answers[1]));
  const result = await pdi(argv, { onStdout: gone });
  expect([result.code, result.stderr]).toEqual([0, '']);
});

describe('what the argument parser refuses', () => {
  it.each([
    ['', 'pdi: a command is missing; see `pdi --help`'],
    ['--profile x', 'pdi: a command is missing; see `pdi --help`'],
    ['persn per_1', /person/],
    ['lists peopel delete x', /people/],
    ['searches xyzzy', "pdi: unknown command 'xyzzy'; see `pdi searches --help`"],
    ['config set timeout 3 --nonsense-here', "pdi: unknown option '--nonsense-here'; see `pdi config set --help`"],
    ['feed --nonsense-here', "pdi: unknown option '--nonsense-here'; see `pdi feed --help`"],
    ['feed --serach 1', "pdi: unknown option '--serach'; did you mean --search?"],
    ['feed --al', /--all/],
    ['feed --max-bilable 1', /--max-billable/],
    ['lists people delete', "pdi: missing required argument 'listId'; see `pdi lists people delete --help`"],
    ['feed extra', "pdi: too many arguments for 'feed': it takes 0, and got 1; see `pdi feed --help`"],
    ['lists people delete a b', /^pdi: too many arguments .*; see `pdi lists people delete --help`$/],
    ['feed --sort', /--help/],
    ['resolve x --as shoe', /url, id, num-id, urn.*; see `pdi resolve --help`$/],
    ['feed --on-error panic', /stop, continue/],
    ['feed -o xml --base-url http://127.0.0.1:9/api/v1', /table, json, ndjson, csv/],
  ])('%s: one line that names the command and its help', async (line, told) => {
    const argv = line.split(' ').filter((word) => word !== '');
    const seen = await program([...argv, '--errors', 'text']);
    expect([seen.code, seen.stdout, seen.stderr.trimEnd()]).toEqual([2, '', typeof told === 'string' ? told : expect.stringMatching(told)]);
    expect(seen.stderr).toMatch(/^pdi: .*\n$/);
    const piped = await program(argv.length === 0 ? ['-o', 'json'] : argv);
    expect([piped.code, piped.stdout]).toEqual([2, '']);
    expect(errorOf(piped)).toMatchObject({ code: 'usage', billed: 'no', retryable: false, status: null });
  });

  /** One that the parser throws, before any setting is read, and one that a command throws. */
  const usageErrors = ['persn', 'lists people delete x --no-input'];
  const formats = outputFormats.flatMap((format) => [true, false].map((terminal) => ({ format, terminal })));

  it.each(formats)('-o $format, a terminal: $terminal: only json and ndjson are JSON, whoever throws', async ({ format, terminal }) => {
    const json = format === 'json' || format === 'ndjson';
    for (const argv of usageErrors) {
      for (const result of [
        await program(`${argv} -o ${format}`, { terminal }),
        await program(argv, { terminal, env: { PDI_OUTPUT: format } }),
      ]) {
        expect([argv, result.code, result.stderr.startsWith('{"error":')]).toEqual([argv, 2, json]);
      }
    }
  });
});

it('the table is that of the contract, and has no row that is not tested here or with the signals', () => {
  expect(Object.entries(exitTable).map(([code, { exit, name }]) => [code, exit, name])).toEqual(contract);
  expect(contract.slice(0, -3).map(([code]) => code)).toEqual(Object.keys(cases));
});
