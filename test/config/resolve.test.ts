import { describe, expect, test } from 'vitest';
import type { Profile } from '../../src/config/resolve.ts';
import { resolveSetting, type SettingSources } from '../../src/config/resolve.ts';
import { settings } from '../../src/config/settings.ts';

const profile = (values: Profile['values']): Profile => ({ name: 'work', file: '/c/config.json', values });

describe('precedence', () => {
  const flags = { timeout: '1' };
  const env = { PDI_TIMEOUT: '2' };
  const stored = profile({ timeout: 3 });
  const cases: readonly (readonly [string, SettingSources, { value: number; source: string; where: string }])[] = [
    ['flag', { flags, env, profile: stored }, { value: 1, source: 'flag', where: '--timeout' }],
    ['environment', { flags: {}, env, profile: stored }, { value: 2, source: 'environment', where: 'PDI_TIMEOUT' }],
    ['profile', { flags: {}, env: {}, profile: stored }, { value: 3, source: 'profile', where: 'profile work' }],
    ['default', { flags: {}, env: {}, profile: profile({}) }, { value: 30, source: 'default', where: 'default' }],
    ['default without profile', { flags: {}, env: {} }, { value: 30, source: 'default', where: 'default' }],
    ['an empty variable is unset', { flags: {}, env: { PDI_TIMEOUT: '' } }, { value: 30, source: 'default', where: 'default' }],
    ['an undefined flag is not given', { flags: { timeout: undefined }, env }, { value: 2, source: 'environment', where: 'PDI_TIMEOUT' }],
  ];
  test.each(cases)('%s', (_, sources, expected) => expect(resolveSetting(settings.timeout, sources)).toEqual(expected));

  test('a flag-only setting is taken from no profile', () => {
    expect(resolveSetting(settings.retries, { flags: {}, env: { PDI_RETRIES: '9' }, profile: profile({ retries: 9 }) }).value).toBe(4);
  });

  test('a stored text and a stored number mean the same', () => {
    for (const value of [7, '7']) {
      expect(resolveSetting(settings.concurrency, { flags: {}, env: {}, profile: profile({ concurrency: value }) }).value).toBe(7);
    }
  });

  test('flags are found by the name that Commander gives them', () => {
    expect(resolveSetting(settings.maxBillable, { flags: { maxBillable: 'unlimited' }, env: {} }).value).toBe('unlimited');
  });
});

describe('a bad value names its source', () => {
  test.each<readonly [string, SettingSources]>([
    ['--timeout: expected a number of seconds above 0, 2147483 at most, got "x"', { flags: { timeout: 'x' }, env: { PDI_TIMEOUT: '5' } }],
    ['--timeout: expected a number of seconds above 0, 2147483 at most, got ""', { flags: { timeout: '' }, env: {} }],
    ['PDI_TIMEOUT: expected a number of seconds above 0, 2147483 at most, got "x"', { flags: {}, env: { PDI_TIMEOUT: 'x' } }],
    [
      '/c/config.json: profile work: timeout: expected a number of seconds above 0, 2147483 at most, got "-1"',
      { flags: {}, env: {}, profile: profile({ timeout: -1 }) },
    ],
  ])('%s', (message, sources) => {
    expect(() => resolveSetting(settings.timeout, sources)).toThrow(expect.objectContaining({ message, code: 'usage' }));
  });

  test('a bad value that is overruled does no harm', () => {
    expect(resolveSetting(settings.timeout, { flags: { timeout: '5' }, env: { PDI_TIMEOUT: 'x' } }).value).toBe(5);
  });
});
