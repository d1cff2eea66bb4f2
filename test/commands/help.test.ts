import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { TopicPart } from '../../src/cli/command.ts';
import { operationCommands } from '../../src/commands/index.ts';
import { environmentVariables } from '../../src/config/settings.ts';
import { operationNames, operations } from '../../src/contract/operations.ts';
import { exitTable } from '../../src/exit.ts';
import { allCommands } from '../../src/front/commands.ts';
import { fieldNames, helpPages } from '../../src/front/help/help-pages.ts';
import { type TopicName, topicNames, topicText } from '../../src/front/help/topic.ts';
import { topics } from '../../src/front/help/topics.ts';
import { faultNames } from '../../src/sandbox/faults.ts';
import { asRecord, errorOf, pdi } from '../support/service.ts';
import { everyCommand } from './every-command.ts';
import { groups, leaves, nodes, program } from './tree.ts';

/** The lines of a part of a help text: from its heading to the next blank line. */
const part = (help: string, heading: string): readonly string[] =>
  help.split(`\n${heading}\n`)[1]?.split('\n\n')[0]?.split('\n') ?? [];

describe('help', () => {
  it('`pdi --help` names every command and every common option', async () => {
    const { code, stdout, stderr } = await pdi('--help');
    expect([code, stderr]).toEqual([0, '']);
    for (const word of [
      ...everyCommand.map(({ argv }) => argv[0]),
      'config',
      'spend',
      'sandbox',
      'completion',
      'help',
    ]) {
      expect(stdout).toMatch(new RegExp(`^ {2}${word} `, 'm'));
    }
    for (const flag of [
      '--output',
      '--fields',
      '--out',
      '--dry-run',
      '--base-url',
      '--profile',
      '--max-billable',
      '--sandbox',
    ]) {
      expect(stdout).toMatch(new RegExp(` ${flag}\\s`));
    }
  });

  it.each([
    ['exit-codes', Object.values(exitTable).flatMap(({ exit, name }) => [String(exit), name])],
    ['environment', environmentVariables.map(([name]) => name)],
    ['sandbox', faultNames],
    ['mcp', ['--confirm', '--allow-changes', '--read-only', '--tools', '--config', 'elicitation']],
    [
      'output',
      [
        'ndjson',
        'xlsx',
        '--query',
        '--where',
        '--explode',
        '--fields',
        '--quiet',
        '--with-input',
        'pdi convert',
        '--force',
      ],
    ],
    [
      'spreadsheets',
      [
        'xlsx',
        '--bom',
        '--delimiter',
        '--text-ids',
        '--no-formula-guard',
        '--sheet',
        'LibreOffice',
      ],
    ],
    [
      'input',
      [
        '--first',
        '--column A,B',
        '--encoding',
        '--header-row',
        '--sheet',
        'pdi_matched_by',
        '\\N',
        '(text)',
      ],
    ],
    ['jobs', ['pdi_status', '--first', '.journal', '--concurrency', '--rate', 'skipped']],
    [
      'money',
      [
        '--dry-run',
        '--max-billable',
        '--budget',
        '--max-age',
        '--fresh',
        '--retry-unknown',
        'pdi spend',
        'unknown',
        'settled',
      ],
    ],
    ['team', ['account', 'budget', 'PDI_BOOK', '--rate', 'bookmarks', 'pdi spend']],
    ['ci', ['--since-last', '--deliver', '--restart', 'HEALTHCHECK', 'pdi bookmarks reset']],
  ])('the topic %s tells of what people ask', async (topic, told) => {
    const { code, stdout, stderr } = await pdi(`help ${topic}`);
    expect([code, stderr]).toEqual([0, '']);
    for (const word of told) expect(stdout).toContain(word);
  });

  const ofStore = ['store', 'store forget per_a1 --in README.md', 'store purge --all --yes'];
  const ofConfig = ['config list', 'config profiles', 'config check'];
  it.each([
    'spend --id per_1 --by day,month,command,profile,user,host,file,at --price 1',
    ...ofStore,
    'bookmarks',
    ...ofConfig,
  ])('`%s` prints the fields of its help', async (line) => {
    const { stdout } = await pdi(`${line} -o csv`);
    const [header = ''] = stdout.split('\r\n');
    expect((await pdi(`${line} --help`)).stdout.replaceAll(/\s+/g, ' ')).toContain(
      `Fields: ${header.replaceAll(',', ', ')}.`,
    );
  });

  it.each(['person', 'lists people modify', 'lists', ''])(
    '`pdi %s --help --json` is the same page as data',
    async (words) => {
      const data = asRecord(JSON.parse((await pdi(`${words} --help --json`.trim())).stdout));
      const page = helpPages[words] ?? { title: '', parts: [] };
      expect([data.usage, data.fields]).toEqual([page.title.slice(7), fieldNames[words] ?? []]);
      const tables = [data.arguments, data.commands, data.options].flatMap((rows) => rows ?? []);
      const rows = page.parts.flatMap((part) =>
        typeof part === 'object' && 'rows' in part ? part.rows : [],
      );
      expect(tables.map((row) => Object.values(asRecord(row)).slice(0, 2))).toEqual(rows);
      const examples = page.parts.flatMap((part) =>
        typeof part === 'object' && 'examples' in part ? part.examples : [],
      );
      expect([data.examples ?? []].flat().map((one) => Object.values(asRecord(one)))).toEqual(
        examples,
      );
    },
  );

  it('no such topic: 2, with the topics', async () => {
    const result = await pdi('help exitcodes');
    expect([result.code, result.stdout]).toEqual([2, '']);
    expect(errorOf(result).hint).toContain('exit-codes');
  });

  it.each([
    ['', ['help', '-h', '-q help']],
    ['person', ['-q help person', 'person --help -o json', '-o csv person per_1 --help --quiet']],
    ['lists people modify', ['-q help lists people modify']],
    ['lists', ['-q help lists', 'lists', '--profile x lists', 'lists -o json']],
    ['lists people', ['lists people']],
    ['searches', ['searches']],
    ['config', ['config']],
  ])(
    '`pdi %s --help` is the whole page, wherever the flag stands, and what a group alone says: %j',
    async (words, lines) => {
      const { stdout } = await pdi(`${words} --help`.trim());
      expect(stdout).toContain(`Usage: pdi ${words}`);
      for (const line of lines)
        for (const terminal of [true, false])
          expect(await pdi(line, { terminal })).toMatchObject({ code: 0, stdout, stderr: '' });
    },
  );

  it('`-h` is brief wherever it stands, and the options of all are told by their topic', async () => {
    const { stdout } = await pdi('person -h');
    expect(stdout.split('\n').length).toBeLessThan(40);
    for (const line of ['--sandbox person -h', 'person -h -o json', 'person per_1 -q -h'])
      expect(await pdi(line)).toMatchObject({ code: 0, stdout, stderr: '' });
    const told = {
      sandbox: '--latency <milliseconds>',
      output: '--text-ids ',
      input: '--header-row <line>',
      jobs: '--on-error <action>',
    };
    for (const [topic, flag] of Object.entries(told))
      expect((await pdi(`help ${topic}`)).stdout).toContain(`  ${flag}`);
  });

  it.each(['--version', '-V', '-o csv --version'])('%s', async (argv) => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(await pdi(argv)).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
  });
});

describe('the whole tree', () => {
  it('has all commands, and words for each and for nothing else', () => {
    expect(leaves.length).toBeGreaterThan(20);
    expect(allCommands.map(({ words }) => words).sort()).toEqual(
      leaves.map(({ path }) => path).sort(),
    );
  });

  it.each(nodes)('$path: no line is wider than 80 columns', async ({ path }) => {
    const { stdout } = await pdi(`${path} --help`, { terminal: true });
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it.each(leaves)(
    '$path: purpose on one line, cost, two to four examples, exit codes by number',
    async ({ path }) => {
      const help = (await pdi(`${path} --help`)).stdout;
      const parent = path.split(' ').slice(0, -1).join(' ');
      const listed = part((await pdi(`${parent} --help`.trim())).stdout, 'Commands:').join(' ');
      expect(listed.replace(/\s+/g, ' ')).toMatch(
        new RegExp(` ${path.split(' ').at(-1)} (?:\\[options\\] )?(?:[<[]\\S+ )*\\w`),
      );
      const told = help.replace(/\s+/g, ' ');
      expect(told).toMatch(
        /\bfree\b|\bcharged\b|price of a call is not documented|no call is made|loopback only|nothing over the network/i,
      );
      const examples = part(help, 'Examples:');
      expect(examples.length % 2).toBe(0);
      expect([2, 3, 4]).toContain(examples.length / 2);
      for (const [index, line] of examples.entries())
        expect(line).toMatch(index % 2 === 0 ? /^ {2}# \S/ : /^ {2}\S*.*\bpdi /);
      const exits =
        /Exit codes: (.*?); see `pdi help exit-codes`\./.exec(told)?.[1]?.split(', ') ?? [];
      expect(exits.slice(0, 2)).toEqual(['0 ok', '2 usage']);
      const numbers = exits.map((exit) => Number.parseInt(exit, 10));
      expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
      for (const exit of exits)
        expect(Object.values(exitTable).map((row) => `${row.exit} ${row.name}`)).toContain(exit);
    },
  );

  it.each(everyCommand)(
    '$name: the cost is that of the API document',
    async ({ name, billing }) => {
      const told = (await pdi(`${name} --help`)).stdout.replace(/\s+/g, ' ');
      const costs = {
        free: /\bFree\b/,
        charged: /\bCharged: one call\b/,
        unstated: /The price of a call is not documented\./,
      };
      for (const [kind, words] of Object.entries(costs))
        expect(words.test(told), kind).toBe(kind === billing);
    },
  );

  it.each(groups)('$path lists its own commands and no other', async ({ path, parser }) => {
    const listed = part((await pdi(`${path} --help`)).stdout.trimEnd(), 'Commands:');
    const names = listed.flatMap((line) => /^ {2}(\S+)/.exec(line)?.[1] ?? []);
    expect(names).toEqual(parser.commands.map((child) => child.name()));
  });

  it('groups the options that every command takes', () => {
    const ungrouped = program.options.filter(
      ({ helpGroupHeading }) => helpGroupHeading === undefined,
    );
    expect(ungrouped.map(({ long }) => long)).toEqual(['--version']);
  });
});

/** What a topic says, part by part, on lines as long as they are. */
const partTexts = (part: TopicPart): readonly string[] => {
  if (typeof part === 'string') return [part];
  if ('heading' in part) return [part.heading];
  if ('listing' in part) return [part.listing];
  if ('rows' in part) return part.rows.flat();
  return part.examples.flatMap(([lines, purpose]) => [`# ${purpose}`, lines]);
};
const toldBy = (topic: TopicName): string =>
  [topics[topic].title, ...topics[topic].parts.flatMap(partTexts)].join('\n');
const wordsIn = (text: string): readonly string[] =>
  text.split(/\s+/).filter((word) => word !== '');

describe('the topics', () => {
  it.each(topicNames)(
    '%s is two screens of 80 by 40 at most, begins with examples, and fits 40 columns but for what is typed',
    (topic) => {
      const lines = topicText(topics[topic], 80).trimEnd().split('\n');
      expect(lines.length).toBeLessThanOrEqual(80);
      expect(lines.filter((line) => line.length > 80)).toEqual([]);
      expect(lines.slice(0, 4).join('\n')).toMatch(/^.+\n\n {2}# \S.*\n {2}\S/);
      const examples = topics[topic].parts.flatMap((part) =>
        typeof part === 'object' && !('rows' in part) ? partTexts(part) : [],
      );
      const typed = new Set(examples.flatMap((text) => text.split('\n')));
      for (const width of [40, 50, 60, 80, 100, 200, 300]) {
        const text = topicText(topics[topic], width);
        const wide = text.split('\n').filter((line) => line.length > Math.min(width, 100));
        expect(wide.filter((line) => !typed.has(line.slice(2)))).toEqual([]);
        expect(wordsIn(text)).toEqual(wordsIn(toldBy(topic)));
      }
    },
  );

  it('says no sentence twice, and none that the README has', () => {
    const readme = readFileSync('README.md', 'utf8').replace(/\s+/g, ' ');
    const sentences = topicNames.flatMap((topic) =>
      topics[topic].parts
        .filter((part) => typeof part === 'string')
        .flatMap((part) => part.split(/(?<=[.:;]) /)),
    );
    const long = sentences.filter((sentence) => sentence.length > 40);
    expect(long.length).toBeGreaterThan(80);
    expect(long.filter((sentence, index) => long.indexOf(sentence) !== index)).toEqual([]);
    expect(long.filter((sentence) => readme.includes(sentence))).toEqual([]);
  });

  it('money tells the price of every command that the API document knows', () => {
    const told = toldBy('money');
    const named = (billing: string) =>
      operationNames
        .filter((name) => operations[name].billing === billing)
        .map((name) => operationCommands[name].words);
    const wordsAfter = (start: string) =>
      new RegExp(`^${start}: (.*?)\\.`, 'm').exec(told)?.[1]?.split(/ and |, /) ?? [];
    expect(wordsAfter('Free')).toEqual(named('free'));
    const charged = wordsAfter('Charged').map((command) => command.replace(/ \(.*/, ''));
    expect(charged.sort()).toEqual(named('charged').sort());
    expect(told).toMatch(/ \(1 a call\), feed \(1 a page; free where nothing is found\)\./);
  });
});
