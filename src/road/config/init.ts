/** `pdi config init` asks for base URL and key, tries both with free calls, and stores them unless the key is refused. */
import type { Client } from '../../client/client.ts';
import { askHidden, askLine } from '../../config/ask.ts';
import { checkBaseUrl, normalBaseUrl, parseBaseUrl } from '../../config/base-url.ts';
import { setValue } from '../../config/change.ts';
import { maskKey } from '../../config/mask.ts';
import { configFile, readConfig } from '../../config/read-config.ts';
import { textOf } from '../../config/resolve.ts';
import { settings } from '../../config/settings.ts';
import { parseKey } from '../../config/values.ts';
import { checkHealth } from '../../contract/health.ts';
import { listCompanyLists } from '../../contract/lists.ts';
import { orFailureUnlessStopped, PdiError, UsageError } from '../../errors.ts';
import type { Tools } from '../tools.ts';

interface Initialised {
  readonly directory: string;
  readonly profile: string;
  /** As a flag or a variable has it; asked for otherwise. */
  readonly baseUrl: string | undefined;
  readonly allowsHttp: boolean;
  readonly timeoutMs: number;
}

/** @throws UsageError if there is no terminal, or if the key is malformed, PdiError `auth` if it is refused; the stored values then stay */
export async function initialise({ directory, profile, ...given }: Initialised, tools: Tools): Promise<void> {
  const { io, say } = tools;
  if (!tools.mayAsk) {
    throw new UsageError('there is nobody to ask: this needs a terminal', {
      hint: 'in a script: pdi config set base-url URL, then pdi config set api-key -',
    });
  }
  // Nobody waits at a question for what may pass; the profile is about to change.
  const once = { concurrency: 1, timeoutMs: given.timeoutMs, retries: 0, maxWaitMs: 0, rate: undefined };
  const clientOf = (baseUrl: string, key = '') => tools.clientOf({ baseUrl, key: async () => key }, once);
  const former = readConfig(directory).profiles.get(profile);
  const asked = () => askBaseUrl(tools, normalBaseUrl(former?.values[settings.baseUrl.name]), given.allowsHttp, clientOf);
  const baseUrl = given.baseUrl === undefined ? await asked() : checkBaseUrl(given.baseUrl, given.allowsHttp);
  const key = parseKey(await askHidden(io, 'API key (not shown): ', tools.stop));
  say.guardKey(key);
  await refuseRefusedKey(clientOf(baseUrl, key), baseUrl, key);
  const stored = { directory, profile };
  await setValue({ ...stored, name: 'base-url', text: baseUrl });
  await setValue({ ...stored, name: 'api-key', text: key });
  say.notice(`stored base-url ${baseUrl} and api-key ${maskKey(key)} in profile ${profile} of ${configFile(directory)}`);
  if (former !== undefined && textOf(former, settings.keyCommand.name) !== undefined) {
    say.notice(`profile ${profile} has a key-command, which comes before its key: pdi config unset key-command removes it`);
  }
}

/** Asks until a URL is well formed and the service answers there. An empty answer keeps the URL that is offered, answered or not. */
async function askBaseUrl(
  { io, stop, say }: Tools,
  stored: string | undefined,
  allowsHttp: boolean,
  clientOf: (baseUrl: string) => Promise<Client>,
): Promise<string> {
  let offered = stored;
  while (true) {
    const example = 'the versioned root such as https://HOST/api/v1';
    const answer = await askLine(io, `Base URL, ${offered === undefined ? example : `Enter keeps ${offered}`}: `, stop);
    if (answer.trim() === '' && offered !== undefined) return offered;
    const baseUrl = await orFailureUnlessStopped(async () => checkBaseUrl(parseBaseUrl(answer), allowsHttp));
    if (baseUrl instanceof PdiError) {
      say.notice(baseUrl.details.hint === undefined ? baseUrl.message : `${baseUrl.message}; ${baseUrl.details.hint}`);
      continue;
    }
    const silence = baseUrl === offered ? undefined : await silenceOf(clientOf(baseUrl));
    if (silence === undefined) return baseUrl;
    say.notice(`no service answers at ${baseUrl}: ${silence}`);
    // Some gateways block the path that was asked, so whoever gives the same URL again has it.
    offered = baseUrl;
  }
}

/** Gives the words of a failure to answer; undefined where a service answers. */
async function silenceOf(client: Promise<Client>): Promise<string | undefined> {
  const found = await orFailureUnlessStopped(async () => (await client).call(checkHealth, { path: {} }));
  if (!(found instanceof PdiError)) return undefined;
  const { status = 0 } = found.details;
  return status >= 400 && status !== 404 ? undefined : found.message;
}

/** Any other failure leaves open whether the key is good; the check that follows tells of it. @throws PdiError `auth` */
async function refuseRefusedKey(client: Promise<Client>, baseUrl: string, key: string): Promise<void> {
  const found = await orFailureUnlessStopped(async () => (await client).call(listCompanyLists, { path: {} }));
  if (!(found instanceof PdiError) || found.details.status !== 401) return;
  const hint = 'run `pdi config init` again with a good key';
  throw new PdiError('auth', `${baseUrl} refused the key ${maskKey(key)}: nothing is stored`, { ...found.details, hint });
}
