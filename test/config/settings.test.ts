import { describe, expect, it, test } from 'vitest';
import { proxyFrom } from '../../src/client/connections.ts';
import { camelCase } from '../../src/config/resolve.ts';
import {
  allSettings,
  environmentVariables,
  type Setting,
  settings,
} from '../../src/config/settings.ts';
import { parseKey } from '../../src/config/values.ts';
import { UsageError } from '../../src/errors.ts';

describe('values', () => {
  const good: readonly (readonly [Setting<unknown>, Readonly<Record<string, unknown>>])[] = [
    [settings.profile, { 'work.eu_1-a': 'work.eu_1-a' }],
    [settings.apiKey, { ' invented-key-0001\n': 'invented-key-0001' }],
    [settings.keyCommand, { "tool read 'a b'": ['tool', 'read', 'a b'] }],
    [settings.output, { ndjson: 'ndjson' }],
    [settings.maxBillable, { '0': 0, '2500': 2500, unlimited: 'unlimited' }],
    [settings.concurrency, { '1': 1, '64': 64 }],
    [settings.timeout, { '0.5': 0.5, '.25': 0.25, '90': 90 }],
    [settings.retries, { '0': 0, '100': 100 }],
    [settings.maxWait, { '0': 0, '1.5': 1.5 }],
    [settings.rate, { '0.2': 0.2 }],
  ];
  test.each(good.map(([setting, values]) => ({ name: setting.name, setting, values })))(
    '$name: $values',
    ({ setting, values }) => {
      for (const [text, value] of Object.entries(values))
        expect(setting.parse(text)).toEqual(value);
    },
  );

  const bad: readonly (readonly [Setting<unknown>, readonly string[]])[] = [
    [settings.profile, ['', 'a b', 'a/b', '__proto__', 'ä', 'a\n']],
    [
      settings.apiKey,
      [
        '',
        '  ',
        'a\nb',
        'a\r\nX-Other: 1',
        'a\tb',
        'a\u0000b',
        'schlüssel\u0100',
        'a\u0085b',
        'a\u200bb',
      ],
    ],
    [
      settings.keyCommand,
      ['', '""', "tool 'open", '{}"', '[]', '["a", 1]', '["a"', '[tool]', '[""]', '["a\\u0000"]'],
    ],
    [settings.output, ['', 'xml', 'toString']],
    [settings.maxBillable, ['', '-1', '1.5', 'all', '1e3', '9007199254740993', 'NaN', 'Infinity']],
    [settings.concurrency, ['', '0', '65', '2.5', '+4', '0x4']],
    [settings.timeout, ['', '0', '0.0', '-1', '.', '1e3', '10x', '2147484', '600h']],
    [settings.retries, ['', '-1', '101', '1.0']],
    [settings.maxWait, ['', '-0.5', 'never']],
    [settings.rate, ['', '0', '-2', '10/s']],
  ];
  test.each(
    bad.flatMap(([setting, texts]) => texts.map((text) => ({ name: setting.name, setting, text }))),
  )('$name refuses $text', ({ setting, text }) =>
    expect(() => setting.parse(text)).toThrow(UsageError),
  );

  test('an error names what was expected and quotes the value on one line, cut when long', () => {
    expect(() => settings.concurrency.parse('a\nb')).toThrow(
      'expected a whole number from 1 to 64, got "a\\nb"',
    );
    expect(() => settings.output.parse('x'.repeat(5000))).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/^.{1,130}$/) }),
    );
  });

  test('no error repeats a key', () => {
    expect(() => settings.apiKey.parse('invented-\u0001-key')).toThrow(
      /^the key's character 10 cannot be sent in a header$/,
    );
  });
});

test.each(
  [
    [
      `\${PDI_API_KEY}`,
      '$KEY',
      '$(pass show pdi)',
      `\${{ secrets.PDI_API_KEY }}`,
      '{{ pdi_key }}',
      '%KEY%',
      '@KEY@',
      'key_of(pdi)',
    ],
    [
      'YOUR_API_KEY',
      'your-key',
      'my key',
      'API_KEY',
      'pdi_api_key',
      'API-KEY-HERE',
      '<key>',
      'key <here>',
      'REPLACE_ME',
      'changeme',
      'TODO',
    ],
    ['undefined', 'null', 'None', 'NaN', '***', 'xxxxxxxx', '...', 'REDACTED', '[[KEY]] {{x}}'],
    [
      'op://Work/pdi/key',
      'vault:secret/pdi',
      'arn:aws:secretsmanager:eu-1',
      'file:///run/key',
      'projects/1/secrets/pdi',
    ],
  ].flat(),
)('a placeholder is no key, and is not sent: %s', (text) => {
  const failure = expect.objectContaining({
    code: 'auth',
    message: 'this is a placeholder, not a key',
  });
  expect(() => parseKey(` ${text}\n`)).toThrow(failure);
});

test.each([
  'sandbox-key-full',
  'pk_live_51H',
  'a1b2',
  'eyJhbGciOi.J9.x-_',
  'yours',
  'K$y%1',
  'AbC==',
])('a key is one: %s', (text) => {
  expect(parseKey(text)).toBe(text);
});

describe('declarations', () => {
  test('flags, variables and object keys follow from the name', () => {
    for (const [key, { name, flag, environment }] of Object.entries<Setting<unknown>>(settings)) {
      expect(key).toBe(camelCase(name));
      if (flag !== undefined) expect(flag).toMatch(new RegExp(`^(-o, )?--${name} <[a-z]+>$`));
      if (environment !== undefined)
        expect(environment).toBe(`PDI_${name.replaceAll('-', '_').toUpperCase()}`);
    }
  });

  test('no flag takes a key', () => {
    expect(
      allSettings
        .filter(({ name }) => name === 'api-key' || name === 'key-command')
        .map(({ flag }) => flag),
    ).toEqual([undefined, undefined]);
  });

  test('the defaults are the documented ones', () => {
    const defaults = Object.fromEntries(allSettings.map(({ name, fallback }) => [name, fallback]));
    expect(defaults).toMatchObject({
      profile: 'default',
      'max-billable': 100,
      concurrency: 4,
      timeout: 30,
      retries: 4,
      'max-wait': 60,
    });
  });

  test('the help topic lists every variable once', () => {
    const names = environmentVariables.map(([name]) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(
      expect.arrayContaining([
        'PDI_PROFILE',
        'PDI_TIMEOUT',
        'PDI_API_KEY',
        'PDI_API_KEY_FILE',
        'PDI_CONFIG_DIR',
        'PDI_SANDBOX',
      ]),
    );
  });
});

/** Words for a key or a proxy that was written down with more than itself. */
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');

describe('a key', () => {
  it.each<readonly [words: string, ...texts: string[]]>([
    [
      'the key is in quotes',
      '"abc-123"',
      "'abc-123'",
      '`abc-123`',
      '\u201cabc-123\u201d',
      ' "abc-123"\n',
    ],
    [
      'the key is not UTF-8, but perhaps UTF-16',
      ...[utf16('\ufeffabc-123\r\n'), utf16('abc-123\n'), utf16('\ufeffabc-123\n').swap16()].map(
        (bytes) => bytes.toString('utf8'),
      ),
    ],
    [
      'a name before the key',
      'PDI_API_KEY=abc-123',
      'export API_KEY = abc-123',
      'X-API-Key: abc-123',
      'x-api-key:abc-123',
      'Bearer abc-123',
    ],
    // A call that may be billed would count as lost, because no server would take it.
    ['longer than 4096 characters', 'a'.repeat(4097)],
  ])('is told so: %s', (words, ...texts) => {
    for (const text of texts) expect(() => parseKey(text), text).toThrow(words);
  });

  it.each([
    ['a quote within', 'a"b', 'a"b'],
    ['a sign at its end', 'abc=', 'abc='],
    ['the most characters', 'a'.repeat(4096), 'a'.repeat(4096)],
  ])('with %s is the key', (_what, text, key) => expect(parseKey(text)).toBe(key));
});

it.each([
  [
    'HTTPS_PROXY is in quotes',
    '"http://proxy.example:3128"',
    "'http://proxy.example:3128'",
    '"proxy.example:3128"',
  ],
  [
    'HTTPS_PROXY is not the address of a proxy',
    'http:/proxy.example:3128',
    'https//proxy.example:3128',
    'http:proxy.example',
  ],
])('a proxy is told so: %s', (words, ...texts) => {
  for (const text of texts) expect(() => proxyFrom({ HTTPS_PROXY: text }), text).toThrow(words);
});
