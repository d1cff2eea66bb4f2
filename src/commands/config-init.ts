/** `pdi config init`: asks for base URL and key, stores both, and checks them with a free call. */
import { askHidden, askLine, mayAsk } from '../config/ask.ts';
import { checkBaseUrl, parseBaseUrl } from '../config/base-url.ts';
import { setValue } from '../config/change.ts';
import { maskKey } from '../config/mask.ts';
import { settings } from '../config/settings.ts';
import { configFile } from '../config/store.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';

/** @throws UsageError where nobody can be asked, or an answer is no base URL or key; what was stored before stays */
export async function initialise(context: Context): Promise<void> {
  const { io } = context;
  if (!mayAsk(io, !context.flags.input)) {
    throw new UsageError('there is nobody to ask: this needs a terminal', {
      hint: 'in a script: pdi config set base-url URL, then pdi config set api-key -',
    });
  }
  const directory = context.configDirectory();
  const profile = context.selectedProfile().value;
  const { value: given } = context.withoutProfile(settings.baseUrl);
  const baseUrl = parseBaseUrl(given ?? (await askLine(io, 'Base URL, the versioned root such as https://HOST/api/v1: ')));
  checkBaseUrl(baseUrl, context.flags.allowHttp === true);
  const key = await askHidden(io, 'API key (not shown): ');
  context.guardKey(key);
  const stored = { directory, profile, processes: io.processes };
  await setValue({ ...stored, name: 'base-url', text: baseUrl });
  await setValue({ ...stored, name: 'api-key', text: key });
  context.notice(`stored base-url ${baseUrl} and api-key ${maskKey(key)} in profile ${profile} of ${configFile(directory)}`);
}
