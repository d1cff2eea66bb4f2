/** Finds the service of a run: the one in its settings, or a sandbox with invented data. */

import type { Flags } from '../cli/root.ts';
import type { SandboxFlags } from '../cli/sandbox-flags.ts';
import { checkBaseUrl } from '../config/base-url.ts';
import type { Profile } from '../config/profile.ts';
import type { Resolved } from '../config/resolve.ts';
import { type Setting, settings } from '../config/settings.ts';
import { UsageError } from '../errors.ts';
import type { Io } from '../io.ts';
import { memoize } from './memoize.ts';

export interface Service {
  readonly baseUrl: string;
  /** Names the service in journals and bookmarks: its base URL, or the data of a sandbox, because its port changes. */
  readonly identity: string;
  readonly key: () => Promise<string>;
}

interface ServiceQuestion {
  readonly io: Pick<Io, 'env'>;
  readonly flags: Pick<Flags, 'allowHttp' | 'verbose'> & SandboxFlags;
  readonly command: string;
  readonly stop: AbortSignal;
  resolved<T>(setting: Setting<T>): Resolved<T>;
  selectedProfile(): Resolved<string>;
  profile(): Profile;
  guardKey(key: string): void;
  writeStderr(text: string): void;
  notice(text: string): void;
  onDispose(dispose: () => Promise<void>): void;
}

/** Gives the service in the settings. @throws UsageError if no base URL is set, or if a key must not be sent to it */
export async function remoteService(context: ServiceQuestion): Promise<Service> {
  const { value: baseUrl, where } = context.resolved(settings.baseUrl);
  if (baseUrl === undefined) {
    throw new UsageError('no base URL is set', {
      hint: 'run `pdi config init`, or pass --base-url https://HOST/api/v1, or set PDI_BASE_URL; --sandbox needs none',
    });
  }
  checkBaseUrl(baseUrl, context.flags.allowHttp === true);
  return { baseUrl, identity: baseUrl, key: memoize(() => keyFor(context, baseUrl, where)) };
}

async function keyFor(context: ServiceQuestion, baseUrl: string, where: string): Promise<string> {
  const { resolveKey } = await import('../config/key.ts');
  // `config init` checks the key that it just stored, even if an environment variable holds another.
  const profileFlag = context.selectedProfile().source === 'flag' || context.command === 'config init';
  const { key, source } = await resolveKey({
    env: context.io.env,
    profileFlag,
    profile: context.profile(),
    baseUrl,
    stop: context.stop,
  });
  context.guardKey(key);
  if (context.flags.verbose === true) context.writeStderr(`* base URL from ${where}, key from ${source}\n`);
  return key;
}

/** The sandbox never sees a stored key. It uses its own full key, or another of its own that `PDI_API_KEY` names. */
export async function sandboxService(context: ServiceQuestion): Promise<Service> {
  if (context.resolved(settings.baseUrl).source === 'flag') {
    throw new UsageError('--sandbox and --base-url exclude each other', { hint: 'drop one of them' });
  }
  const { startSandbox } = await import('../sandbox/server.ts');
  const { sandboxOptions } = await import('../cli/sandbox-options.ts');
  const options = sandboxOptions(context.flags);
  const sandbox = await startSandbox(options);
  context.onDispose(() => sandbox.stop());
  const { keys, baseUrl } = sandbox;
  const chosen = Object.values(keys).find((key) => key === context.io.env.PDI_API_KEY) ?? keys.full;
  context.notice(`sandbox: invented data served inside this process (${new URL(baseUrl).host})`);
  const identity = `http://sandbox.invalid/people-${options.people ?? 'default'}/seed-${options.seed ?? 'default'}`;
  return { baseUrl, identity, key: async () => chosen };
}
