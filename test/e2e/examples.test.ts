/** The examples of `--help` and of the help topics, against a sandbox, in a folder with the files that they name; what needs a shell is typed into bash as it stands. */
import { appendFileSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { allCommands } from '../../src/front/commands.ts';
import { type TopicName, topicNames } from '../../src/front/help/topic.ts';
import { topics } from '../../src/front/help/topics.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { shell } from '../campaign/process.ts';
import { needsProgram } from '../support/needs.ts';
import { newFolder, run, signalling } from '../support/run.ts';

const files: Readonly<Record<string, string>> = {
  'leads.csv': 'account,linkedin\nA-1,https://www.profnet.example/in/ada-sample-1\n',
  'crm.csv':
    'account,link,handle\nA-1,Ada - https://www.profnet.example/in/ada-sample-1,\nA-2,https://www.profnet.example/in/gone,ben-sample-2\n',
  'Connections.csv':
    'Notes:\n"These are your connections"\n\nFirst Name,URL\nAda,https://www.profnet.example/in/ada-sample-1\n',
  'leads-ids.csv': 'account,person_id\nA-1,per_sample1\nA-2,per_sample2\n',
  'urls.txt': 'https://www.profnet.example/in/ada-sample-1\n',
  'accounts.csv': 'company_id\ncompany-1\n',
  'firms.csv': 'website\ninvestor-1.example\n',
  'people.ndjson': '{"person_id":"per_sample1","full_name":"Ada Sample-1"}\n',
  'people.csv':
    'input,person_id,full_name,experience,pdi_status,pdi_error\nper_sample1,per_sample1,Ada Sample-1,"[{""is_current"":true,""company_id"":""company-1""}]",ok,\n',
  'members.csv': 'member,since\nper_sample4,2025\n',
  'may.csv': 'person_id,current_position_title\nper_sample1,Engineer\n',
  'june.csv': 'person_id,current_position_title\nper_sample1,Manager\n',
  'revenue-may.csv': 'id,est_revenue_usd\ncompany-1,1\n',
  'calls.csv': 'item,day\nper_sample1,2026-05-31\n',
  'ids.txt': 'per_sample4\nper_sample5\n',
};

/** Made of one of these. */
const workbooks = [
  ['leads.xlsx', 'leads-ids.csv'],
  ['june.xlsx', 'june.csv'],
] as const;

const lists: readonly (readonly [words: string, id: string])[] = [
  ['lists companies', 'c0000000-0000-4000-8000-000000000002'],
  ['lists people', 'b0000000-0000-4000-8000-000000000002'],
  ['lists investors', 'd0000000-0000-4000-8000-000000000002'],
];

/** Those that ask a person, and there is nobody here. */
const asking =
  /^pdi (?:config set api-key|config init|lists \w+ delete LIST_ID$|store purge --all$)/;
/** `test/commands/move.test.ts` and `config.txt` run these. */
const needsServer = /^pdi (?:book move|config set book) postgres:/;
/** Those that run until they are stopped. */
const lasting = /^pdi sandbox(?! signal)/;

/** `test/recipes.test.ts` and `shares.test.ts` run these: they need a hook, a list, or GNU parallel. */
const isRunElsewhere = (topic: TopicName, line: string): boolean =>
  topic === 'ci' || line.startsWith('parallel ') || needsServer.test(line);
const ofTopics = topicNames.flatMap((topic) =>
  topics[topic].parts
    .flatMap((part) => (typeof part === 'object' && 'examples' in part ? part.examples : []))
    .flatMap(([line]) => (isRunElsewhere(topic, line) ? [] : [{ path: topic, line }])),
);
const examples = [
  ...allCommands.flatMap(({ words, examples }) =>
    examples.flatMap(([line]) => (needsServer.test(line) ? [] : [{ path: words, line }])),
  ),
  ...ofTopics,
];

const typed = (path: string, line: string): string =>
  line.replace('LIST_ID', lists.find(([words]) => path.startsWith(words))?.[1] ?? 'LIST_ID');

/** A home with two profiles, made by the program once. */
const settled = (async () => {
  const home = newFolder();
  for (const profile of ['default', 'work'])
    for (const setting of ['base-url https://api.example.test/api/v1', 'max-billable 50'])
      await run(['--profile', profile, 'config', 'set', ...setting.split(' ')], { home });
  return home;
})();

/** A folder with the files that a line reads, that is also a home with two profiles. */
async function folderFor(line: string): Promise<string> {
  const folder = newFolder();
  for (const [name, content] of Object.entries(files)) {
    if (!line.includes(`--out ${name}`)) writeFileSync(join(folder, name), content);
  }
  for (const [book, table] of workbooks)
    if (line.includes(book))
      await run(['convert', join(folder, table), '--out', join(folder, book)], { home: folder });
  mkdirSync(join(folder, '.config', 'fish', 'completions'), { recursive: true });
  cpSync(join(await settled, 'config'), join(folder, 'config'), { recursive: true });
  return folder;
}

/** The words of a line of which a shell would do nothing but take the quotes off. */
const plainWords = (line: string): readonly string[] | undefined =>
  /^pdi(?: (?:[\w./:,=@+-]+|"[^"$`\\]*"|'[^']*'))+$/.test(line)
    ? line
        .match(/(?<= )(?:"[^"]*"|'[^']*'|[^ ]+)/g)
        ?.map((word) => word.replace(/^(["'])(.*)\1$/, '$2'))
    : undefined;

async function typedIn(folder: string, baseUrl: string, line: string) {
  const argv = plainWords(line);
  if (argv === undefined)
    return await shell(`set -o pipefail; cd '${folder}'; ${line}`, { home: folder, baseUrl }).ended;
  process.chdir(folder);
  const env = { PDI_BASE_URL: baseUrl, PDI_API_KEY: 'sandbox-key-full', PDI_MAX_AGE: '' };
  return await run(argv, { home: folder, env });
}

const started = process.cwd();
afterEach(() => process.chdir(started));

describe('the examples of --help', () => {
  const asksJq = (line: string): boolean => line.includes('| jq ');
  const ended = examples.filter(({ line }) => !lasting.test(line));
  it.each(ended.filter(({ line }) => !asksJq(line)))('$line', ends);
  it.each(ended.filter(({ line }) => asksJq(line)))('$line', needsProgram('jq'), ends);

  async function ends({ path, line }: (typeof examples)[number]): Promise<void> {
    const folder = await folderFor(line);
    const sandbox = await startSandbox();
    onTestFinished(() => sandbox.stop());
    // A bookmark can be reset, and a book be copied, once a run has made it.
    if (/bookmarks reset|book (?:backup|move)/.test(line))
      await shell('pdi feed --since-last daily -o csv', { home: folder, baseUrl: sandbox.baseUrl })
        .ended;
    const { code, stdout, stderr } = await typedIn(folder, sandbox.baseUrl, typed(path, line));
    expect(stderr).not.toMatch(/\n\s+at /);
    if (asking.test(line)) {
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/terminal|--yes/);
    } else {
      expect(code, stderr).toBe(0);
    }
  }

  it('that gives ids alone gives no line for a miss', needsProgram('jq'), async () => {
    const line = examples.find((example) => example.line.includes("jq -r '.matches"))?.line ?? '';
    const folder = await folderFor(line);
    appendFileSync(join(folder, 'urls.txt'), 'https://www.profnet.example/in/nobody\n');
    const sandbox = await startSandbox();
    onTestFinished(() => sandbox.stop());
    const { stdout } = await shell(`cd '${folder}'; ${line}`, {
      home: folder,
      baseUrl: sandbox.baseUrl,
    }).ended;
    expect(stdout).toBe('per_sample1\n');
  });

  it.each(examples.filter(({ line }) => lasting.test(line)))(
    '$line runs until Ctrl-C',
    async ({ line }) => {
      const { send, withSignal } = signalling();
      // The port may be another program's.
      const argv = line.replace(' --port 8080', '').split(' ').slice(1);
      const onStderr = (text: string) => text.includes('until it is stopped') && send('SIGINT');
      const { code, stdout } = await run(argv, { withSignal, onStderr });
      expect([code, stdout]).toEqual([130, expect.stringContaining('127.0.0.1')]);
    },
  );
});
