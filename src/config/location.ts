/** Where configuration and state live on this platform. */
import { posix, win32 } from 'node:path';
import { UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { variable } from './resolve.ts';

type HomeEnvironment = Pick<Io, 'env' | 'platform' | 'homeDirectory'>;

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

function folder(io: HomeEnvironment, base: BaseDirectory): string {
  const { env } = io;
  const onWindows = io.platform === 'win32';
  const path = onWindows ? win32 : posix;
  const absolute = (value: string | undefined) => (value !== undefined && path.isAbsolute(value) ? value : undefined);
  const own = onWindows ? absolute(variable(env, base.windows)) : undefined;
  const place = absolute(variable(env, base.xdg)) ?? own;
  if (place !== undefined) return path.join(place, 'pdi');
  const home = absolute(io.homeDirectory);
  if (home === undefined) throw homeless(onWindows ? base.windows : base.xdg, onWindows ? 'USERPROFILE' : 'HOME');
  return path.join(home, ...(onWindows ? base.windowsHome : base.home), 'pdi');
}

const homeless = (own: string, home: string): UsageError =>
  new UsageError(`there is no home folder: ${home} names none, and the system knows none`, {
    item: home,
    hint: `set ${own} or ${home} to an absolute path`,
  });

/**
 * The folder of `config.json`: `PDI_CONFIG_DIR` itself, else `pdi` in `$XDG_CONFIG_HOME`, else in the platform's own place
 * (`~/.config`, also on macOS, as command-line tools do there; `%APPDATA%` on Windows).
 * @throws UsageError where it would be below a home that nobody knows
 */
export function configDirectory(io: HomeEnvironment): string {
  return variable(io.env, 'PDI_CONFIG_DIR') ?? folder(io, configuration);
}

/** The folder of ledger and bookmarks: `pdi` in `$XDG_STATE_HOME`, else in `~/.local/state`, `%LOCALAPPDATA%` on Windows. @throws UsageError as above */
export const stateDirectory = (io: HomeEnvironment): string => folder(io, state);
