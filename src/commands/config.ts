/** `pdi config`: settings of profiles, and where they come from. */
import { checkBaseUrl, parseBaseUrl } from '../config/base-url.ts';
import { maskKey } from '../config/mask.ts';
import { settings } from '../config/settings.ts';
import { configFile } from '../config/store.ts';
import { PdiError, UsageError } from '../errors.ts';
import { isJsonFormat } from '../output/formats.ts';
import type { Context } from '../run/context.ts';
import type { Launch, Program } from '../run/launch.ts';

export function addConfig(program: Program, launch: Launch): void {
  const config = program
    .command('config')
    .summary('settings, keys and profiles')
    .description('Settings are kept in profiles: base-url, api-key, key-command, output, max-billable, concurrency, timeout.');
  addSet(config, launch);
  addRead(config, launch);
  addList(config, launch);
  addCheck(config, launch);
}

function addSet(config: Program, launch: Launch): void {
  config
    .command('set')
    .summary('store a setting in the profile')
    .description(
      'Store a setting. api-key takes no value here: it is asked for without echo, or read from stdin with `-`. No call is made.',
    )
    .argument('<name>', 'base-url, api-key, key-command, output, max-billable, concurrency or timeout')
    .argument('[value]', 'its value; - reads it from stdin')
    .action((name, value) =>
      launch('config set', async (context) => {
        const { setValue, storedSetting } = await import('../config/change.ts');
        const secret = storedSetting(name).secret === true;
        const text = await valueToSet(context, name, value, secret);
        if (name === 'base-url') checkBaseUrl(parseBaseUrl(text), context.flags.allowHttp === true);
        const { notes } = await setValue({ ...storedProfile(context), name, text, ...inForce(context) });
        for (const note of notes) context.notice(note);
      }),
    );
  config
    .command('unset')
    .summary('remove a setting from the profile')
    .description('Remove a setting from the profile. No call is made.')
    .argument('<name>', 'name of the setting')
    .action((name) =>
      launch('config unset', async (context) => {
        const { unsetValue } = await import('../config/change.ts');
        const stored = storedProfile(context);
        if (!(await unsetValue({ ...stored, name }))) context.notice(`profile ${stored.profile} has no ${name}`);
      }),
    );
}

/** Where a value is stored. */
const storedProfile = (context: Context) => ({
  directory: context.configDirectory(),
  processes: context.io.processes,
  profile: context.selectedProfile().value,
});

/** A flag or variable in force: what a new key belongs to where its profile has no base URL of its own. */
function inForce(context: Context): { readonly baseUrl?: string } {
  const { value, source } = context.withoutProfile(settings.baseUrl);
  return value === undefined || source === 'default' ? {} : { baseUrl: value };
}

/** No argument takes a key: it would stay in the shell's history and in the list of processes. */
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
  const { askHidden, mayAsk } = await import('../config/ask.ts');
  if (!mayAsk(context.io, !context.flags.input)) {
    throw new UsageError(`${name} cannot be asked for: there is no terminal, or asking is forbidden`, {
      hint: `pipe it: pdi config set ${name} -`,
    });
  }
  return askHidden(context.io, `${name} (not shown): `, context.stop);
}

async function readAll({ io, stop }: Context): Promise<string> {
  const { interruptedAtInput, openBytes } = await import('../input/bytes.ts');
  const source = await openBytes('-', io.stdin, stop);
  const chunks: Buffer[] = [];
  for await (const chunk of source.chunks) chunks.push(chunk);
  if (source.stopped()) throw interruptedAtInput();
  return Buffer.concat(chunks).toString('utf8');
}

function addRead(config: Program, launch: Launch): void {
  config
    .command('get')
    .summary('one setting of the profile; a key is masked')
    .description('Print one setting of the profile; of a key, its last four characters only. No call is made.')
    .argument('<name>', 'name of the setting')
    .action((name) =>
      launch('config get', async (context) => {
        const { getValue, storedSetting } = await import('../config/change.ts');
        const profile = context.selectedProfile().value;
        const value = getValue(context.config(), profile, name);
        const secret = storedSetting(name).secret === true;
        if (value === undefined) {
          const hint = secret ? `run pdi config set ${name}, which asks for it` : `run pdi config set ${name} VALUE`;
          throw new PdiError('not_found', `profile ${profile} has no ${name}`, { item: name, hint });
        }
        await printValue(context, secret ? maskKey(value) : value);
      }),
    );
  config
    .command('path')
    .summary('the configuration file')
    .description('Print where the configuration file is: profiles, settings and stored keys. No call is made.')
    .action(() =>
      launch('config path', async (context) => {
        await printValue(context, configFile(context.configDirectory()));
      }),
    );
}

/** One value on a line, as scripts want it; JSON where it was asked for. */
async function printValue(context: Context, value: string): Promise<void> {
  const [{ printText }, { jsonText }] = await Promise.all([import('../run/print-text.ts'), import('../json/write.ts')]);
  const { value: format, source } = context.withoutProfile(settings.output);
  const json = source === 'flag' && format !== undefined && isJsonFormat(format);
  await printText(context, `${json ? jsonText(value) : value}\n`, context.flags.out);
}

function addList(config: Program, launch: Launch): void {
  config
    .command('list')
    .summary('every setting, and where it comes from; keys are masked')
    .description('Show what each setting is in this run, and where it comes from; keys are masked. No call is made.')
    .action(() =>
      launch('config list', async (context) => {
        const [{ listSettings }, { printRows, textColumns }] = await Promise.all([
          import('../run/config-list.ts'),
          import('../run/print-rows.ts'),
        ]);
        await printRows(context, textColumns('setting', 'value', 'source'), listSettings(context));
      }),
    );
  config
    .command('profiles')
    .summary('the profiles, and the one in use')
    .description('List the profiles with their base URLs, and which one is in use. No call is made.')
    .action(() =>
      launch('config profiles', async (context) => {
        const { printRows, textColumns } = await import('../run/print-rows.ts');
        const selected = context.selectedProfile().value;
        const names = new Set([...context.config().profiles.keys(), 'default']);
        const rows = [...names].sort().map((profile) => ({
          profile,
          selected: profile === selected ? 'yes' : 'no',
          base_url: context.config().profiles.get(profile)?.values['base-url'] ?? null,
        }));
        await printRows(context, textColumns('profile', 'selected', 'base_url'), rows);
      }),
    );
}

function addCheck(config: Program, launch: Launch): void {
  config
    .command('check')
    .summary('what stands between you and an answer: files, connection, stores, key')
    .description(
      'Check files, base URL, connection, both stores, key and permissions, with two free questions (health, company lists). Exits 3 where the key is not good, 0 where it is: stores that are down are a warning here.',
    )
    .action(() =>
      launch('config check', async (context) => {
        const { runConfigCheck } = await import('../run/config-check.ts');
        await runConfigCheck(context);
      }),
    );
  config
    .command('init')
    .summary('ask for base URL and key, store both, and check them')
    .description('Ask for base URL and key (without echo) on a terminal, store both in the profile, and check them with free questions.')
    .action(() =>
      launch('config init', async (context) => {
        const { initialise } = await import('../run/config-init.ts');
        await initialise(context);
        const { runConfigCheck } = await import('../run/config-check.ts');
        await runConfigCheck(context);
      }),
    );
}
