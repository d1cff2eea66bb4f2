/** The commands `pdi config set`, `unset`, `get` and `path` handle one setting of a profile, and the path of its file. */
import { askHidden, mayAsk } from '../../config/ask.ts';
import { checkBaseUrl, normalBaseUrl } from '../../config/base-url.ts';
import { getValue, setValue, storedSetting, unsetValue } from '../../config/change.ts';
import { maskKey } from '../../config/mask.ts';
import { configFile } from '../../config/read-config.ts';
import { settings } from '../../config/settings.ts';
import { PdiError, UsageError } from '../../errors.ts';
import { interruptedAtInput, openBytes } from '../../input/bytes.ts';
import { jsonText } from '../../json/write.ts';
import { isJsonFormat } from '../../output/formats.ts';
import type { Context } from '../context.ts';
import { printText } from '../print.ts';

/** Stores `value`, or reads or asks for one. @throws UsageError for an invalid value, or a key on the command line */
export async function setSetting(context: Context, name: string, value: string | undefined): Promise<void> {
  const secret = storedSetting(name).secret === true;
  const text = await valueToSet(context, name, value, secret);
  const baseUrl = name === settings.baseUrl.name ? normalBaseUrl(text) : undefined;
  if (baseUrl !== undefined) checkBaseUrl(baseUrl, context.flags.allowHttp === true);
  const { notes } = await setValue({ ...storedProfile(context), name, text, ...inForce(context) });
  for (const note of notes) context.notice(note);
}

export async function unsetSetting(context: Context, name: string): Promise<void> {
  const stored = storedProfile(context);
  if (!(await unsetValue({ ...stored, name }))) context.notice(`profile ${stored.profile} has no ${name}`);
}

/** Prints the setting; a key is masked. @throws PdiError `not_found` if it is not stored */
export async function printSetting(context: Context, name: string): Promise<void> {
  await context.openConfig();
  const profile = context.selectedProfile().value;
  const value = getValue(context.config(), profile, name);
  const secret = storedSetting(name).secret === true;
  if (value === undefined) {
    const hint = secret ? `run pdi config set ${name}, which asks for it` : `run pdi config set ${name} VALUE`;
    throw new PdiError('not_found', `profile ${profile} has no ${name}`, { item: name, hint });
  }
  await printValue(context, secret ? maskKey(value) : value);
}

export const printPath = (context: Context): Promise<void> => printValue(context, configFile(context.configDirectory()));

/** Scripts need the bare value, so it is JSON only if the format flag asks for JSON. */
async function printValue(context: Context, value: string): Promise<void> {
  const { value: format, source } = context.withoutProfile(settings.output);
  const json = source === 'flag' && format !== undefined && isJsonFormat(format);
  await printText(context, `${json ? jsonText(value) : value}\n`, context.flags.out);
}

const storedProfile = (context: Context) => ({
  directory: context.configDirectory(),
  profile: context.selectedProfile().value,
});

/** A new key belongs to this base URL if its profile has none. */
function inForce(context: Context): { readonly baseUrl?: string } {
  const { value, source } = context.withoutProfile(settings.baseUrl);
  return value === undefined || source === 'default' ? {} : { baseUrl: value };
}

/** A key is never accepted as an argument, because it would stay in the shell history and in the list of processes. */
async function valueToSet(context: Context, name: string, value: string | undefined, secret: boolean): Promise<string> {
  if (value === '-') return (await readAll(context)).trim();
  if (!secret) {
    if (value === undefined) throw new UsageError(`there is no value for ${name}`, { hint: `run pdi config set ${name} VALUE` });
    return value;
  }
  if (value !== undefined) {
    throw new UsageError(`${name} is not taken from the command line, where others could read it`, {
      hint: `run pdi config set ${name} and type it, or pipe it: pdi config set ${name} -`,
    });
  }
  if (!mayAsk(context.io, !context.flags.input)) {
    throw new UsageError(`${name} cannot be asked for: there is no terminal, or asking is forbidden`, {
      hint: `pipe it: pdi config set ${name} -`,
    });
  }
  return askHidden(context.io, `${name} (not shown): `, context.stop);
}

async function readAll({ io, stop }: Context): Promise<string> {
  const source = await openBytes('-', io, stop);
  const chunks: Buffer[] = [];
  for await (const chunk of source.chunks) chunks.push(chunk);
  if (source.stopped()) throw interruptedAtInput();
  return Buffer.concat(chunks).toString('utf8');
}
