import { expect, test } from 'vitest';
import { configDirectory, stateDirectory } from '../../src/config/location.ts';

type Env = Readonly<Record<string, string>>;
const on = (platform: string, env: Env) => ({
  platform,
  env,
  homeDirectory: platform === 'win32' ? 'C:\\Users\\ana' : '/home/ana',
});

test.each<readonly [string, Env, string, string]>([
  ['linux', {}, '/home/ana/.config/pdi', '/home/ana/.local/state/pdi'],
  ['darwin', {}, '/home/ana/.config/pdi', '/home/ana/.local/state/pdi'],
  ['linux', { XDG_CONFIG_HOME: '/x/c', XDG_STATE_HOME: '/x/s' }, '/x/c/pdi', '/x/s/pdi'],
  [
    'linux',
    { XDG_CONFIG_HOME: 'x/c', XDG_STATE_HOME: './s' },
    '/home/ana/.config/pdi',
    '/home/ana/.local/state/pdi',
  ],
  [
    'linux',
    { XDG_CONFIG_HOME: '', XDG_STATE_HOME: '' },
    '/home/ana/.config/pdi',
    '/home/ana/.local/state/pdi',
  ],
  [
    'linux',
    { PDI_CONFIG_DIR: '/my/dir', XDG_CONFIG_HOME: '/x/c' },
    '/my/dir',
    '/home/ana/.local/state/pdi',
  ],
  ['linux', { PDI_CONFIG_DIR: 'here' }, 'here', '/home/ana/.local/state/pdi'],
  [
    'linux',
    { PDI_CONFIG_DIR: '', APPDATA: '/a' },
    '/home/ana/.config/pdi',
    '/home/ana/.local/state/pdi',
  ],
  ['win32', {}, 'C:\\Users\\ana\\AppData\\Roaming\\pdi', 'C:\\Users\\ana\\AppData\\Local\\pdi'],
  ['win32', { APPDATA: 'D:\\r', LOCALAPPDATA: 'D:\\l' }, 'D:\\r\\pdi', 'D:\\l\\pdi'],
  [
    'win32',
    { APPDATA: 'D:\\r', XDG_CONFIG_HOME: 'E:\\x' },
    'E:\\x\\pdi',
    'C:\\Users\\ana\\AppData\\Local\\pdi',
  ],
])('%s %j', (platform, env, configuration, state) => {
  expect(configDirectory(on(platform, env))).toBe(configuration);
  expect(stateDirectory(on(platform, env))).toBe(state);
});

test.each<readonly [string, string | undefined, string, string]>([
  ['linux', undefined, 'XDG_CONFIG_HOME or HOME', 'XDG_STATE_HOME or HOME'],
  ['linux', '', 'XDG_CONFIG_HOME or HOME', 'XDG_STATE_HOME or HOME'],
  ['linux', 'here', 'XDG_CONFIG_HOME or HOME', 'XDG_STATE_HOME or HOME'],
  ['win32', undefined, 'APPDATA or USERPROFILE', 'LOCALAPPDATA or USERPROFILE'],
])(
  '%s with %j for a home says which variables help',
  (platform, homeDirectory, configuration, state) => {
    const world = { platform, env: {}, homeDirectory };
    const hint = (words: string) =>
      expect.objectContaining({
        details: expect.objectContaining({ hint: expect.stringContaining(words) }),
      });
    expect(() => configDirectory(world)).toThrow(hint(configuration));
    expect(() => stateDirectory(world)).toThrow(hint(state));
  },
);
