/** `pdi config init` asks for base URL and key, tries both with free calls, and stores them unless the key is refused. */
import { askHidden, askLine, mayAsk } from '../../config/ask.ts';
import { checkBaseUrl, normalBaseUrl, parseBaseUrl } from '../../config/base-url.ts';
import { setValue } from '../../config/change.ts';
import { openConfig } from '../../config/config-file.ts';
import { maskKey } from '../../config/mask.ts';
import { textOf } from '../../config/profile.ts';
import { configFile } from '../../config/read-config.ts';
import { settings } from '../../config/settings.ts';
import { parseKey } from '../../config/values.ts';
import { checkHealth } from '../../contract/health.ts';
import { listCompanyLists } from '../../contract/lists.ts';
import { PdiError, UsageError } from '../../errors.ts';
import type { Context } from '../context.ts';
import { asFailure } from './finding.ts';

/** @throws UsageError if there is no terminal, or if the key is malformed, PdiError `auth` if it is refused; the stored values then stay */
export async function initialise(context: Context): Promise<void> {
  const { io } = context;
  if (context.sandboxed()) {
    throw new UsageError('pdi config init is about the real service: the sandbox needs no base URL and no key', {
      item: '--sandbox',
      hint: 'leave --sandbox out, and unset PDI_SANDBOX',
    });
  }
  if (!mayAsk(io, !context.flags.input)) {
    throw new UsageError('there is nobody to ask: this needs a terminal', {
      hint: 'in a script: pdi config set base-url URL, then pdi config set api-key -',
    });
  }
  const directory = context.configDirectory();
  const profile = context.selectedProfile().value;
  const former = (await openConfig(directory)).profiles.get(profile);
  const { value: given } = context.withoutProfile(settings.baseUrl);
  const baseUrl =
    given === undefined ? await askBaseUrl(context, normalBaseUrl(former?.values[settings.baseUrl.name])) : parseBaseUrl(given);
  checkBaseUrl(baseUrl, context.flags.allowHttp === true);
  const key = parseKey(await askHidden(io, 'API key (not shown): ', context.stop));
  context.guardKey(key);
  await refuseRefusedKey(context, baseUrl, key);
  const stored = { directory, profile };
  await setValue({ ...stored, name: 'base-url', text: baseUrl });
  await setValue({ ...stored, name: 'api-key', text: key });
  // A notice may have read it before.
  context.rereadConfig();
  context.notice(`stored base-url ${baseUrl} and api-key ${maskKey(key)} in profile ${profile} of ${configFile(directory)}`);
  if (former !== undefined && textOf(former, settings.keyCommand.name) !== undefined) {
    context.notice(`profile ${profile} has a key-command, which comes before its key: pdi config unset key-command removes it`);
  }
}

/** Asks until a URL is well formed and the service answers there. An empty answer keeps the URL that is offered, answered or not. */
async function askBaseUrl(context: Context, stored: string | undefined): Promise<string> {
  let offered = stored;
  while (true) {
    const example = 'the versioned root such as https://HOST/api/v1';
    const answer = await askLine(context.io, `Base URL, ${offered === undefined ? example : `Enter keeps ${offered}`}: `, context.stop);
    if (answer.trim() === '' && offered !== undefined) return offered;
    try {
      const baseUrl = parseBaseUrl(answer);
      checkBaseUrl(baseUrl, context.flags.allowHttp === true);
      if (baseUrl === offered || (await isAnswering(context, baseUrl))) return baseUrl;
      offered = baseUrl;
    } catch (error) {
      context.notice(wordsOf(asFailure(error)));
    }
  }
}

const wordsOf = ({ message, details: { hint } }: PdiError): string => (hint === undefined ? message : `${message}; ${hint}`);

/** Nobody waits at a question for what may pass; the profile is about to change. */
const once = (context: Context) => ({
  concurrency: 1,
  timeoutMs: Math.ceil(context.withoutProfile(settings.timeout).value * 1000),
  retries: 0,
  maxWaitMs: 0,
  rate: undefined,
});

const noKey = async (): Promise<string> => '';

/** Some gateways block this path, so whoever gives the same URL again has it. */
async function isAnswering(context: Context, baseUrl: string): Promise<boolean> {
  try {
    await (await context.clientOf({ baseUrl, key: noKey }, once(context))).call(checkHealth, { path: {} });
    return true;
  } catch (error) {
    const { message, details } = asFailure(error);
    if (details.status !== undefined && details.status >= 400 && details.status !== 404) return true;
    context.notice(`no service answers at ${baseUrl}: ${message}`);
    return false;
  }
}

/** Any other failure leaves open whether the key is good; the check that follows tells of it. @throws PdiError `auth` */
async function refuseRefusedKey(context: Context, baseUrl: string, key: string): Promise<void> {
  try {
    await (await context.clientOf({ baseUrl, key: async () => key }, once(context))).call(listCompanyLists, { path: {} });
  } catch (error) {
    const { details } = asFailure(error);
    if (details.status !== 401) return;
    throw new PdiError('auth', `${baseUrl} refused the key ${maskKey(key)}: nothing is stored`, {
      ...details,
      hint: 'run `pdi config init` again with a good key',
    });
  }
}
