/** `pdi config` shows and changes the settings of profiles. */
import type { Choices } from '../cli/choices.ts';
import { type Command, command, stops, type Words } from '../cli/command.ts';
import { storedSettingNames } from '../cli/root.ts';
import type { Tools } from '../road/tools.ts';

export const config: Words = {
  words: 'config',
  summary: 'settings, keys and profiles',
  brief: 'settings, keys, profiles',
  description: `Settings are kept in profiles: ${storedSettingNames.join(', ')}.`,
};

const set = command({
  words: 'config set',
  summary: 'store a setting in the profile',
  description:
    'Store a setting. api-key takes no value here: it is asked for without echo, or read from stdin with `-`. No call is made.',
  examples: [
    ['pdi config set base-url https://HOST/api/v1', 'where the service is'],
    ['pdi config set api-key', 'asks for the key, without echo'],
    ['pdi --profile work config set max-billable 500', 'in another profile'],
  ],
  changes: true,
  exits: stops,
  takes: (parser) =>
    parser
      .argument(
        '<name>',
        `${storedSettingNames.slice(0, -1).join(', ')} or ${storedSettingNames.at(-1)}`,
      )
      .argument('[value]', 'its value; - reads it from stdin'),
  run: async (choices, tools, name, value) =>
    (await import('../cli/profile.ts')).setSetting(choices, tools, name, value),
});

const nameOfSetting = ['<name>', 'name of the setting'] as const;

const unset = command({
  words: 'config unset',
  summary: 'remove a setting from the profile',
  description: 'Remove a setting from the profile. No call is made.',
  examples: [
    ['pdi config unset max-billable', 'back to the default'],
    ['pdi config unset api-key --profile work', 'forget a key'],
  ],
  changes: true,
  takes: (parser) => parser.argument(...nameOfSetting),
  run: async (choices, tools, name) =>
    (await import('../cli/profile.ts')).unsetSetting(choices, tools, name),
});

const get = command({
  words: 'config get',
  summary: 'one setting of the profile; a key is masked',
  description:
    'Print one setting of the profile; of a key, its last four characters only. No call is made.',
  examples: [
    ['pdi config get base-url', 'where the service is'],
    ['pdi config get max-billable --profile work', 'of another profile'],
  ],
  exits: ['not_found'],
  takes: (parser) => parser.argument(...nameOfSetting),
  run: async (choices, tools, name) =>
    printValue(choices, tools, (await import('../cli/profile.ts')).shownSetting(choices, name)),
});

const path = command({
  words: 'config path',
  summary: 'the configuration file',
  description:
    'Print where the configuration file is: profiles, settings and stored keys. No call is made.',
  examples: [
    ['pdi config path', 'where the key is kept'],
    ['cp "$(pdi config path)" config-backup.json', 'a copy of it'],
  ],
  takes: (parser) => parser,
  run: async (choices, tools) =>
    printValue(choices, tools, (await import('../cli/profile.ts')).shownPath(choices)),
});

const list = command({
  words: 'config list',
  summary: 'every setting, and where it comes from; keys are masked',
  description:
    'Show what each setting is in this run, and where it comes from; keys are masked. No call is made.',
  examples: [
    ['pdi config list', 'every setting, and where it comes from'],
    ['pdi config list --profile work -o json', 'of another profile, for a script'],
  ],
  fields: ['setting', 'value', 'source'],
  takes: (parser) => parser,
  run: (choices, tools) =>
    printLines(choices, tools, 'settingLines', { setting: 'text', value: 'text', source: 'text' }),
});

const profiles = command({
  words: 'config profiles',
  summary: 'the profiles, and the one in use',
  description: 'List the profiles with their base URLs, and which one is in use. No call is made.',
  examples: [
    ['pdi config profiles', 'which there are'],
    ["pdi config profiles -o ndjson --query 'profile'", 'their names'],
  ],
  fields: ['profile', 'selected', 'base_url'],
  takes: (parser) => parser,
  run: (choices, tools) =>
    printLines(choices, tools, 'profileLines', {
      profile: 'text',
      selected: 'text',
      base_url: 'text',
    }),
});

const check = command({
  words: 'config check',
  summary: 'what stands between you and an answer: files, book, money, proxy, connection, key',
  description:
    'Check the configuration, the book, cap and budget, the proxy, base URL, connection, both stores, key and permissions, with two free questions (health, company lists). Exits 3 where the key is not good, 1 where the book cannot be used, 0 otherwise: stores that are down are a warning here.',
  examples: [
    ['pdi config check', 'is everything ready, and is the key good?'],
    [`pdi config check -o json --query "[?status=='fail']"`, 'what is wrong, for a script'],
  ],
  fields: ['check', 'status', 'detail'],
  asksService: true,
  takes: (parser) => parser,
  run: (choices, tools) => checkAll(choices, tools),
});

const init = command({
  words: 'config init',
  summary: 'ask for base URL, key, max-age and budget, store them, and check them',
  description:
    'Ask on a terminal for base URL, key (without echo), max-age and budget, store them in the profile, and check them with free questions.',
  examples: [
    ['pdi config init', 'asks for base URL, key, max-age and budget'],
    ['pdi config init --profile work', 'a second profile, with another key'],
  ],
  asksService: true,
  changes: true,
  takes: (parser) => parser,
  run: async (choices, tools) => {
    const [{ profileToChange }, { initialise }] = await Promise.all([
      import('../cli/profile.ts'),
      import('../road/config.ts'),
    ]);
    await checkAll(choices, tools, async () => {
      await initialise(profileToChange(choices), tools);
      choices.profile.forget();
    });
  },
});

export const configCommands: readonly Command[] = [
  set,
  unset,
  get,
  path,
  list,
  profiles,
  check,
  init,
];

async function printLines(
  choices: Choices,
  tools: Tools,
  what: 'settingLines' | 'profileLines',
  columns: Readonly<Record<string, 'text'>>,
): Promise<void> {
  const [shown, { printRows, reportColumns }] = await Promise.all([
    import('../cli/profile.ts'),
    import('../road/delivery.ts'),
  ]);
  await printRows(choices.show(), tools, reportColumns(columns), async () => shown[what](choices));
}

async function printValue(choices: Choices, tools: Tools, value: string): Promise<void> {
  const { printText } = await import('../road/delivery.ts');
  await printText(`${value}\n`, tools, choices.flags);
}

async function checkAll(
  choices: Choices,
  tools: Tools,
  before?: () => Promise<void>,
): Promise<void> {
  const { planConfigCheck, runConfigCheck } = await import('../road/config.ts');
  if (choices.isDry) return planConfigCheck(choices.plan(), tools);
  const rules = () => choices.plan().rules;
  const asked = {
    directory: choices.configDirectory(),
    version: tools.version,
    nodeVersion: choices.io.nodeVersion,
    rules,
    before,
  };
  await runConfigCheck(choices.show(), tools, asked);
}
