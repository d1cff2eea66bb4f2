/** `pdi config init` asks for base URL and key, stores both, and checks them with free calls. */
import { askHidden, askLine, mayAsk } from '../../config/ask.ts';
import { checkBaseUrl, normalBaseUrl, parseBaseUrl } from '../../config/base-url.ts';
import { setValue } from '../../config/change.ts';
import { openConfig } from '../../config/config-file.ts';
import { maskKey } from '../../config/mask.ts';
import { textOf } from '../../config/profile.ts';
import { configFile } from '../../config/read-config.ts';
import { settings } from '../../config/settings.ts';
import { UsageError } from '../../errors.ts';
import type { Context } from '../context.ts';

/** @throws UsageError if there is no terminal, or if an answer is invalid; the stored values then stay */
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
  const baseUrl = parseBaseUrl(given ?? (await askBaseUrl(context, normalBaseUrl(former?.values[settings.baseUrl.name]))));
  checkBaseUrl(baseUrl, context.flags.allowHttp === true);
  const key = await askHidden(io, 'API key (not shown): ', context.stop);
  context.guardKey(key);
  const stored = { directory, profile, processes: io.processes };
  await setValue({ ...stored, name: 'base-url', text: baseUrl });
  await setValue({ ...stored, name: 'api-key', text: key });
  context.notice(`stored base-url ${baseUrl} and api-key ${maskKey(key)} in profile ${profile} of ${configFile(directory)}`);
  if (former !== undefined && textOf(former, settings.keyCommand.name) !== undefined) {
    context.notice(`profile ${profile} has a key-command, which comes before its key: pdi config unset key-command removes it`);
  }
}

/** An empty answer keeps the stored base URL. */
async function askBaseUrl({ io, stop }: Context, stored: string | undefined): Promise<string> {
  const example = 'the versioned root such as https://HOST/api/v1';
  const answer = await askLine(io, `Base URL, ${stored === undefined ? example : `Enter keeps ${stored}`}: `, stop);
  return answer.trim() === '' && stored !== undefined ? stored : answer;
}
