/** `pdi config init` asks for base URL and key, tries both with free calls, and stores them unless the key is refused. */
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
import { PdiError, UsageError } from '../../errors.ts';
import type { Tools } from '../tools.ts';
import { asFailure } from './check.ts';

interface Initialised {
  /** The folder of the configuration. */
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
  const former = readConfig(directory).profiles.get(profile);
  const service = { tools, ...given };
  const baseUrl =
    given.baseUrl === undefined
      ? await askBaseUrl(service, normalBaseUrl(former?.values[settings.baseUrl.name]))
      : parseBaseUrl(given.baseUrl);
  checkBaseUrl(baseUrl, given.allowsHttp);
  const key = parseKey(await askHidden(io, 'API key (not shown): ', tools.stop));
  say.guardKey(key);
  await refuseRefusedKey(service, baseUrl, key);
  const stored = { directory, profile };
  await setValue({ ...stored, name: 'base-url', text: baseUrl });
  await setValue({ ...stored, name: 'api-key', text: key });
  say.notice(`stored base-url ${baseUrl} and api-key ${maskKey(key)} in profile ${profile} of ${configFile(directory)}`);
  if (former !== undefined && textOf(former, settings.keyCommand.name) !== undefined) {
    say.notice(`profile ${profile} has a key-command, which comes before its key: pdi config unset key-command removes it`);
  }
}

interface TriedService extends Pick<Initialised, 'allowsHttp' | 'timeoutMs'> {
  readonly tools: Tools;
}

/** Asks until a URL is well formed and the service answers there. An empty answer keeps the URL that is offered, answered or not. */
async function askBaseUrl(service: TriedService, stored: string | undefined): Promise<string> {
  const { io, stop, say } = service.tools;
  let offered = stored;
  while (true) {
    const example = 'the versioned root such as https://HOST/api/v1';
    const answer = await askLine(io, `Base URL, ${offered === undefined ? example : `Enter keeps ${offered}`}: `, stop);
    if (answer.trim() === '' && offered !== undefined) return offered;
    try {
      const baseUrl = parseBaseUrl(answer);
      checkBaseUrl(baseUrl, service.allowsHttp);
      if (baseUrl === offered || (await isAnswering(service, baseUrl))) return baseUrl;
      offered = baseUrl;
    } catch (error) {
      say.notice(wordsOf(asFailure(error)));
    }
  }
}

const wordsOf = ({ message, details: { hint } }: PdiError): string => (hint === undefined ? message : `${message}; ${hint}`);

/** Nobody waits at a question for what may pass; the profile is about to change. */
const once = (timeoutMs: number) => ({
  concurrency: 1,
  timeoutMs,
  retries: 0,
  maxWaitMs: 0,
  rate: undefined,
});

const noKey = async (): Promise<string> => '';

/** Some gateways block this path, so whoever gives the same URL again has it. */
async function isAnswering({ tools, timeoutMs }: TriedService, baseUrl: string): Promise<boolean> {
  try {
    await (await tools.clientOf({ baseUrl, key: noKey }, once(timeoutMs))).call(checkHealth, { path: {} });
    return true;
  } catch (error) {
    const { message, details } = asFailure(error);
    if (details.status !== undefined && details.status >= 400 && details.status !== 404) return true;
    tools.say.notice(`no service answers at ${baseUrl}: ${message}`);
    return false;
  }
}

/** Any other failure leaves open whether the key is good; the check that follows tells of it. @throws PdiError `auth` */
async function refuseRefusedKey({ tools, timeoutMs }: TriedService, baseUrl: string, key: string): Promise<void> {
  try {
    await (await tools.clientOf({ baseUrl, key: async () => key }, once(timeoutMs))).call(listCompanyLists, { path: {} });
  } catch (error) {
    const { details } = asFailure(error);
    if (details.status !== 401) return;
    throw new PdiError('auth', `${baseUrl} refused the key ${maskKey(key)}: nothing is stored`, {
      ...details,
      hint: 'run `pdi config init` again with a good key',
    });
  }
}
