/** Where configuration and state live on this platform. */
import { posix, win32 } from 'node:path';
import type { Io } from '../io.ts';
import { variable } from './resolve.ts';

type World = Pick<Io, 'env' | 'platform' | 'homeDirectory'>;

/** Where a platform keeps files of one kind. */
interface BaseDirectory {
  /** The variable of the XDG base directory specification: ignored unless absolute, as it demands. */
  readonly xdg: string;
  /** The variable of Windows. */
  readonly windows: string;
  /** Below the home directory, where neither is set. */
  readonly home: readonly string[];
  readonly windowsHome: readonly string[];
}

const configuration: BaseDirectory = {
  xdg: 'XDG_CONFIG_HOME',
  windows: 'APPDATA',
  home: ['.config'],
  windowsHome: ['AppData', 'Roaming'],
};

const state: BaseDirectory = {
  xdg: 'XDG_STATE_HOME',
  windows: 'LOCALAPPDATA',
  home: ['.local', 'state'],
  windowsHome: ['AppData', 'Local'],
};

function folder({ env, platform, homeDirectory }: World, base: BaseDirectory): string {
  const onWindows = platform === 'win32';
  const path = onWindows ? win32 : posix;
  const absolute = (value: string | undefined) => (value !== undefined && path.isAbsolute(value) ? value : undefined);
  const own = onWindows ? absolute(variable(env, base.windows)) : undefined;
  const home = path.join(homeDirectory, ...(onWindows ? base.windowsHome : base.home));
  return path.join(absolute(variable(env, base.xdg)) ?? own ?? home, 'pdi');
}

/**
 * The folder of `config.json`: `PDI_CONFIG_DIR` itself, else `pdi` in `$XDG_CONFIG_HOME`, else in the platform's own place
 * (`~/.config`, also on macOS, as command-line tools do there; `%APPDATA%` on Windows).
 */
export function configDirectory(io: World): string {
  return variable(io.env, 'PDI_CONFIG_DIR') ?? folder(io, configuration);
}

/** The folder of ledger and bookmarks: `pdi` in `$XDG_STATE_HOME`, else in `~/.local/state`, `%LOCALAPPDATA%` on Windows. */
export const stateDirectory = (io: World): string => folder(io, state);
