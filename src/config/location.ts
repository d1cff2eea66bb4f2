/** Finds where configuration and state live on this platform. */
import { posix, win32 } from 'node:path';
import { UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { variable } from './resolve.ts';
import { readAt, wholePath } from './values.ts';

type HomeEnvironment = Pick<Io, 'env' | 'platform' | 'homeDirectory'>;

/** The first is ignored unless absolute, as the XDG base directory specification demands. */
const configuration = {
  xdg: 'XDG_CONFIG_HOME',
  windows: 'APPDATA',
  home: '.config',
  windowsHome: 'AppData/Roaming',
};
const state = {
  xdg: 'XDG_STATE_HOME',
  windows: 'LOCALAPPDATA',
  home: '.local/state',
  windowsHome: 'AppData/Local',
};

function folder(
  { env, platform, homeDirectory }: HomeEnvironment,
  base: typeof configuration,
): string {
  const onWindows = platform === 'win32';
  const path = onWindows ? win32 : posix;
  const absolute = (value: string | undefined) =>
    value !== undefined && path.isAbsolute(value) ? value : undefined;
  const [own, variableOfHome] = onWindows ? [base.windows, 'USERPROFILE'] : [base.xdg, 'HOME'];
  const place = absolute(variable(env, base.xdg)) ?? absolute(variable(env, own));
  if (place !== undefined) return path.join(place, 'pdi');
  const home = absolute(homeDirectory);
  if (home !== undefined) return path.join(home, onWindows ? base.windowsHome : base.home, 'pdi');
  throw new UsageError(
    `there is no home folder: ${variableOfHome} names none, and the system knows none`,
    {
      item: variableOfHome,
      hint: `set ${own} or ${variableOfHome} to an absolute path`,
    },
  );
}

/** Gives the folder of `config.json`, which command-line tools keep in `~/.config` on macOS too. @throws UsageError without a home */
export function configDirectory(io: HomeEnvironment): string {
  const own = variable(io.env, 'PDI_CONFIG_DIR');
  return own === undefined
    ? folder(io, configuration)
    : readAt('PDI_CONFIG_DIR', () => wholePath(own));
}

export const stateDirectory = (io: HomeEnvironment): string => folder(io, state);
