import { describe, expect, it, onTestFinished, test } from 'vitest';
import { evaluate, treeOf } from '../../src/output/jmespath-tree.ts';
import { startOrigin } from '../support/origin.ts';
import { inSandbox, run } from '../support/run.ts';

const feed = [...inSandbox, 'feed', '--limit', '3', '--quiet'];

describe('--query', () => {
  it('filters the whole document of json', async () => {
    const { code, stdout } = await run([
      ...feed,
      '-o',
      'json',
      '--query',
      "[?signal_type=='Company'].company.name",
    ]);
    expect({ code, names: JSON.parse(stdout) }).toEqual({
      code: 0,
      names: ['Example Payments 1 Ltd'],
    });
  });

  it('asks of each record of ndjson, and gives no line for null', async () => {
    const { stdout } = await run([...feed, '-o', 'ndjson', '--query', 'company.name']);
    expect(stdout).toBe('"Example Payments 1 Ltd"\n');
    const { code, stderr } = await run([
      '--sandbox',
      'feed',
      '--limit',
      '3',
      '-o',
      'ndjson',
      '--query',
      '[].company',
    ]);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('--query gave null for 3 records, and ndjson has no line of that'),
    ]);
  });

  it('means json where no format is named, on a terminal too', async () => {
    const { stdout } = await run([...feed, '--query', 'length(@)'], { terminal: true });
    expect(stdout).toBe('3\n');
  });

  it('asks of the object itself where one id was asked for', async () => {
    const { stdout } = await run([
      '--sandbox',
      '--quiet',
      'person',
      'per_sample1',
      '--query',
      'full_name',
    ]);
    expect(stdout).toBe('"Ada Sample-1"\n');
  });

  it('compares numbers however the service writes them', async () => {
    const text =
      '[{"signal_id":"a","signal_score":9,"signal_total_funding_usd":5000000.0},{"signal_id":"b","signal_score":1e1,"signal_total_funding_usd":-0}]';
    const origin = await startOrigin(() => ({ text }));
    onTestFinished(() => origin.close());
    const asked = async (query: string) =>
      (
        await run(
          ['feed', '--quiet', '--base-url', origin.baseUrl, '-o', 'json', '--query', query],
          { env: { PDI_API_KEY: 'k' } },
        )
      ).stdout;
    expect(JSON.parse(await asked('[?signal_total_funding_usd > `1000`].signal_id'))).toEqual([
      'a',
    ]);
    expect(JSON.parse(await asked('max_by(@, &signal_score).signal_id'))).toBe('b');
    expect(JSON.parse(await asked('sum([].signal_score)'))).toBe(19);
    expect(JSON.parse(await asked('[?signal_total_funding_usd == `0`].signal_id'))).toEqual(['b']);
  });

  it.each([
    ['json', 'sum([].full_name)', [{ person_id: 'per_sample1' }, { person_id: 'per_sample2' }]],
    ['ndjson', 'abs(full_name)', { person_id: 'per_sample1' }],
  ])('that does not fit loses nothing that was bought: %s', async (format, query, written) => {
    const words = [
      '--sandbox',
      '--quiet',
      'person',
      'per_sample1',
      'per_sample2',
      '-o',
      format,
      '--query',
      query,
    ];
    const { code, stdout, stderr } = await run(words);
    expect(code).toBe(2);
    expect(JSON.parse(format === 'json' ? stdout : (stdout.split('\n')[0] ?? ''))).toMatchObject(
      written,
    );
    const hint = expect.stringContaining(
      'a new run may be billed again for what was bought: 2 calls',
    );
    const [said] = stderr.trim().split('\n').slice(-1);
    expect(JSON.parse(said ?? '')).toMatchObject({
      error: { code: 'usage', billed: 'yes', item: '--query', hint },
    });
  });

  it.each([
    ['profnet_num_id', '9007199254740993'],
    ['to_string(profnet_num_id)', '"9007199254740993"'],
    ['to_string([profnet_num_id])', '"[9007199254740993]"'],
    ['to_number(profnet_num_id)', '9007199254740993'],
    ['type(profnet_num_id)', '"number"'],
    ['max([`5`, profnet_num_id])', '9007199254740993'],
    ['sort([profnet_num_id, `5`])[1]', '9007199254740993'],
    ['sort_by([@], &profnet_num_id)[0].profnet_num_id', '9007199254740993'],
    ['reverse([profnet_num_id])[0]', '9007199254740993'],
    ['values({id: profnet_num_id})[0]', '9007199254740993'],
    ['not_null(twitter_url, profnet_num_id)', '9007199254740993'],
    ['to_array(profnet_num_id)[0]', '9007199254740993'],
    ['contains([profnet_num_id], profnet_num_id)', 'true'],
    ["contains([profnet_num_id], to_number('9007199254740992.0'))", 'false'],
    ['abs(profnet_num_id)', '9007199254740992'],
    ["to_number('9007199254740993')", '9007199254740993'],
    ['sum([profnet_num_id, `8`])', '9007199254741000'],
  ])('gives a number of more than 15 digits to functions: %s', async (query, found) => {
    const { stdout } = await run([
      '--sandbox',
      '--quiet',
      'person',
      'per_sample3',
      '--query',
      query,
    ]);
    expect(stdout).toBe(`${found}\n`);
  });

  it.each(['keys', 'values', 'length', 'reverse'])(
    'gives it to no function of objects or lists: %s',
    async (name) => {
      const { code, stderr } = await run([
        '--sandbox',
        'person',
        'per_sample3',
        '--query',
        `${name}(profnet_num_id)`,
      ]);
      expect([code, stderr]).toEqual([2, expect.stringContaining('received type number')]);
    },
  );

  it.each([
    ['bad[', ': it ends too early'],
    ['[?', ': it ends too early'],
    ['a b', ': b is not expected where it stands'],
    ['#', ': # is not expected where it stands'],
    ['group_by(@, &a)', ': there is no function group_by()'],
    ['length()', ': length() takes 1 argument but received 0'],
    ['[?bogus(@)]', ': there is no function bogus()'],
    ['[].{a: [bogus(b)]}', ': there is no function bogus()'],
    ['a && sort_by(@, &bogus(x))', ': there is no function bogus()'],
    ['[?contains(signal_type)]', ': contains() takes 2 arguments but received 1'],
    ['[].company.industry[::0]', ': 0 is not expected where it stands'],
    ['a.', ''],
    ['{a}', ''],
    ['"x"(@)', ''],
    ['`{`', ''],
  ])('says what is wrong with %s, before any call', async (query, reason) => {
    const { code, stdout, stderr } = await run([
      ...feed,
      '--verbose',
      '-o',
      'json',
      '--query',
      query,
    ]);
    const { message, hint, billed } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error;
    expect({ code, stdout, message, billed }).toEqual({
      code: 2,
      stdout: '',
      message: `--query: "${query}" is not a JMESPath expression${reason}`,
      billed: 'no',
    });
    expect([hint, stderr]).toEqual([
      expect.stringContaining('[].company.name'),
      expect.not.stringContaining('GET '),
    ]);
  });

  it.each(['[?n == `9007199254740993`]', '[?contains(`[5, [9007199254740993]]`, signal_score)]'])(
    'refuses a number that cannot be compared exactly, before any call: %s',
    async (query) => {
      const { code, stderr } = await run([...feed, '-o', 'json', '--query', query]);
      const { message, hint, billed } = JSON.parse(stderr).error;
      expect({ code, message, hint, billed }).toEqual({
        code: 2,
        message: `--query: "${query}" has a number with more than 15 digits, which cannot be compared exactly`,
        hint: "compare the texts: to_string(FIELD) == 'DIGITS'",
        billed: 'no',
      });
    },
  );

  it.each([
    'sort_by(@, &company)',
    'sort_by(`[{"name":1},{"name":null}]`, &name)',
    'max_by(`[{"name":null}]`, &name)',
  ])('says why it cannot sort: %s', async (query) => {
    const { code, stderr } = await run([...feed, '-o', 'json', '--query', query]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('only numbers alone, or texts alone, can be sorted'),
    ]);
  });

  it.each(['`{"type": "Function", "name": "x", "children": []}`', 'join(`, `, @)'])(
    'takes %s for an expression',
    async (query) => {
      const { stderr } = await run([...feed, '-o', 'json', '--query', query]);
      expect(stderr).not.toContain('is not a JMESPath expression');
    },
  );
});

/** The rules of JMESPath that the package beside it breaks or leaves out, and those that a walk of the tree could break. */
const data = {
  a: [{ n: 2, t: 'b' }, { n: null, t: 'a' }, { n: 1, t: 'c' }, { t: 'd' }],
  o: { x: 1, y: [2, 3] },
  s: 'text',
  z: 0,
  e: [],
};
const search = (expression: string): unknown => evaluate(treeOf(expression), data);

test.each<readonly [string, unknown]>([
  ['z < `1`', true],
  ['missing < `1`', null],
  ['!(missing < `1`)', true],
  ["'5' < `1000`", null],
  ['`true` < `1`', null],
  ['`[1]` < `1`', null],
  ['s < `1`', null],
  ['`null` >= `0`', null],
  ["'a' < 'b'", true],
  ["'a' < `1`", null],
  ['o == `{"x": 1, "y": [2, 3]}`', true],
  ['e != `[]`', false],
  ['a[?n > `1`].t', ['b']],
  ['a[?n <= `1`].t', ['c']],
  ['a[*].n', [2, 1]],
  ['a[1:3].t', ['a', 'c']],
  ['a[::-1].t', ['d', 'c', 'a', 'b']],
  ['a[-1].t', 'd'],
  ['a[9]', null],
  ['o.*', [1, [2, 3]]],
  ['o.*[]', [1, 2, 3]],
  ['[z, s]', [0, 'text']],
  ['{k: s}.k', 'text'],
  ['e || s', 'text'],
  ['s && z', 0],
  ['!e', true],
  ['sort_by(a[?n], &n)[*].t', ['c', 'b']],
  ['max_by(a[?n], &n).t', 'b'],
  ['min_by(a[?n], &n).t', 'c'],
  ["to_number('')", null],
  ["to_number('0x10')", null],
  ["to_number('-1.5e1')", -15],
  ["length('a😀')", 2],
  ["reverse('a😀b')", 'b😀a'],
  ['max_by(a, &t).t', 'd'],
  ['min_by(a, &t).t', 'a'],
  ['max(a[].t)', 'd'],
  ['min(a[].n)', 1],
  ['max(e)', null],
  ['max_by(`[{"k": 1, "n": 1}, {"k": 1, "n": 2}]`, &k).n', 1],
  ['map(&n, a)', [2, null, 1, null]],
  ['map(&(n > `1`), a)', [true, null, false, null]],
  ["contains(@.s, 'ex')", true],
  ['contains([o.y, `3`], [`2`, `3`])', true],
  ['contains([o], o)', true],
  ["starts_with('banana', 'b') && starts_with('Ada A', 'A')", true],
  ["starts_with('Ada', 'd')", false],
  ['avg(e)', null],
  ['contains(o.y, `5`)', false],
  ['length(@.a)', 4],
  ['(@.s)', 'text'],
  ["join(', ', a[*].t)", 'b, a, c, d'],
  ['constructor', null],
  ['toString', null],
  ["'it\\'s o\\'clock'", "it's o'clock"],
  ["'a\\\\b`c\\\\'", 'a\\\\b`c\\\\'],
  ['`"a\\`b\\`c\\\\"`', 'a`b`c\\'],
  ['[{k: s, l: z, m: e}]', [{ k: 'text', l: 0, m: [] }]],
  ['a | [0].t', 'b'],
])('%s', (expression, found) => {
  expect(search(expression)).toEqual(found);
});

describe('is no expression', () => {
  test.each([
    "s == 'text",
    's == "text',
    's == `1',
    "contains(s, 'a)",
    'a[:::]',
    'a[::0]',
    'a[',
    'a b',
  ])('%s', (expression) => {
    expect(() => treeOf(expression)).toThrow();
  });

  test.each(['sort_by(s, &n)', 'bogus(s)', 'length(z)', 'length(s, &n)', 'starts_with(s, z)'])(
    'or does not fit: %s',
    (expression) => {
      expect(() => search(expression)).toThrow();
    },
  );
});
