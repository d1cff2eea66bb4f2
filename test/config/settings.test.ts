import { describe, expect, test } from 'vitest';
import { camelCase } from '../../src/config/resolve.ts';
import { allSettings, environmentVariables, type Setting, settings } from '../../src/config/settings.ts';
import { UsageError } from '../../src/errors.ts';

type Case = readonly [setting: Setting<unknown>, text: string, value: unknown];

describe('values', () => {
  const good: readonly Case[] = [
    [settings.profile, 'work.eu_1-a', 'work.eu_1-a'],
    [settings.baseUrl, 'https://a.example/api/v1/', 'https://a.example/api/v1'],
    [settings.apiKey, ' invented-key-0001\n', 'invented-key-0001'],
    [settings.keyCommand, "tool read 'a b'", ['tool', 'read', 'a b']],
    [settings.output, 'ndjson', 'ndjson'],
    [settings.maxBillable, '0', 0],
    [settings.maxBillable, '2500', 2500],
    [settings.maxBillable, 'unlimited', 'unlimited'],
    [settings.concurrency, '1', 1],
    [settings.concurrency, '64', 64],
    [settings.timeout, '0.5', 0.5],
    [settings.timeout, '.25', 0.25],
    [settings.timeout, '90', 90],
    [settings.retries, '0', 0],
    [settings.retries, '100', 100],
    [settings.maxWait, '0', 0],
    [settings.maxWait, '1.5', 1.5],
    [settings.rate, '0.2', 0.2],
  ];
  test.each(good.map(([setting, text, value]) => ({ name: setting.name, setting, text, value })))(
    '$name $text',
    ({ setting, text, value }) => expect(setting.parse(text)).toEqual(value),
  );

  const bad: readonly (readonly [Setting<unknown>, readonly string[]])[] = [
    [settings.profile, ['', 'a b', 'a/b', '__proto__', 'ä', 'a\n']],
    [settings.baseUrl, ['', 'a.example']],
    [settings.apiKey, ['', '  ', 'a\nb', 'a\r\nX-Other: 1', 'a\tb', 'a\u0000b', 'schlüssel\u0100', 'a\u0085b', 'a\u200bb']],
    [settings.keyCommand, ['', "tool 'open", '[]', '[1]', '["a"', '[""]', '["a\\u0000"]']],
    [settings.output, ['', 'xml', 'JSON', 'toString']],
    [settings.maxBillable, ['', '-1', '1.5', 'all', '1e3', '9007199254740993', 'NaN', 'Infinity']],
    [settings.concurrency, ['', '0', '65', '2.5', '+4', '0x4']],
    [settings.timeout, ['', '0', '0.0', '-1', '.', '1e3', '10s', '2147484']],
    [settings.retries, ['', '-1', '101', '1.0']],
    [settings.maxWait, ['', '-0.5', 'never']],
    [settings.rate, ['', '0', '-2', '10/s']],
  ];
  test.each(bad.flatMap(([setting, texts]) => texts.map((text) => ({ name: setting.name, setting, text }))))(
    '$name refuses $text',
    ({ setting, text }) => expect(() => setting.parse(text)).toThrow(UsageError),
  );

  test('an error names what was expected and quotes the value on one line, cut when long', () => {
    expect(() => settings.concurrency.parse('a\nb')).toThrow('expected a whole number from 1 to 64, got "a\\nb"');
    expect(() => settings.output.parse('x'.repeat(5000))).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/^.{1,130}$/) }),
    );
  });

  test('no error repeats a key', () => {
    expect(() => settings.apiKey.parse('invented-\u0001-key')).toThrow(/^the key's character 10 cannot be sent in a header$/);
  });
});

describe('declarations', () => {
  test('flags, variables and object keys follow from the name', () => {
    for (const [key, { name, flag, environment }] of Object.entries<Setting<unknown>>(settings)) {
      expect(key).toBe(camelCase(name));
      if (flag !== undefined) expect(flag).toMatch(new RegExp(`^(-o, )?--${name} <[a-z]+>$`));
      if (environment !== undefined) expect(environment).toBe(`PDI_${name.replaceAll('-', '_').toUpperCase()}`);
    }
  });

  test('no flag takes a key', () => {
    expect(allSettings.filter(({ name, secret }) => secret === true || name === 'key-command').map(({ flag }) => flag)).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('the defaults are the documented ones', () => {
    const defaults = Object.fromEntries(allSettings.map(({ name, fallback }) => [name, fallback]));
    expect(defaults).toMatchObject({ profile: 'default', 'max-billable': 100, concurrency: 4, timeout: 30, retries: 4, 'max-wait': 60 });
  });

  test('the help topic lists every variable once', () => {
    const names = environmentVariables.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(
      expect.arrayContaining(['PDI_PROFILE', 'PDI_TIMEOUT', 'PDI_API_KEY', 'PDI_API_KEY_FILE', 'PDI_CONFIG_DIR', 'PDI_SANDBOX']),
    );
  });
});
