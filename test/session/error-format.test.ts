/** Each kind of line on stderr, in each output format: what `--errors` asks for, wherever the line comes from. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { shellWord } from '../../src/errors.ts';
import { type OutputFormat, reasonNotForTerminals } from '../../src/output/formats.ts';
import { landmarks } from '../sandbox/landmarks.ts';
import { newFolder, type RunOptions, type RunResult, signalling } from '../support/run.ts';
import {
  errorOf,
  fileOf,
  linesFile,
  linesOf,
  newFile,
  origin,
  pdi,
  saidBy,
} from '../support/service.ts';
import { play } from '../support/transcript.ts';

interface Case {
  readonly name: string;
  /** The names of the JSON objects on stderr, in order. `--quiet` leaves the error alone. */
  readonly says: readonly string[];
  readonly run: (more: readonly string[], options: RunOptions) => Promise<RunResult>;
}

const words =
  (line: string, options: RunOptions = {}): Case['run'] =>
  (more, given) =>
    pdi([...line.split(' '), ...more], { ...given, ...options });

/** A configuration file that is no JSON. */
function brokenConfig(): RunOptions {
  const folder = join(newFolder(), 'config');
  mkdirSync(folder);
  writeFileSync(join(folder, 'config.json'), '{');
  return { env: { PDI_CONFIG_DIR: folder } };
}

async function interrupted(more: readonly string[], options: RunOptions): Promise<RunResult> {
  const { send, withSignal } = signalling();
  const service = await origin(() => {
    send('SIGINT');
    return { json: { status: 'OK' } };
  });
  return service.pdi(['health', ...more], { ...options, withSignal });
}

const noKeyFile: RunOptions = { env: { PDI_API_KEY_FILE: '/none' } };
const job = `--sandbox person -i ${linesFile(['per_sample1', 'per_nobody', 'per_sample2'])}`;

const cases: readonly Case[] = [
  { name: 'a remark', says: ['notice'], run: words('--sandbox health') },
  { name: 'a failed call', says: ['notice', 'error'], run: words('--sandbox person per_nobody') },
  { name: 'a job', says: ['notice', 'summary', 'error'], run: words(job) },
  {
    name: 'many pages',
    says: ['notice', 'summary'],
    run: words('--sandbox feed --all --limit 50 --max-pages 2'),
  },
  { name: 'an interruption', says: ['notice', 'error'], run: interrupted },
  { name: 'a command that nobody knows', says: ['error'], run: words('persn per_1') },
  { name: 'an option that nobody knows', says: ['error'], run: words('person per_1 --nonsense') },
  { name: 'a bad setting', says: ['error'], run: words('person per_1 --timeout soon') },
  { name: 'a fault outside the sandbox', says: ['error'], run: words('person per_1 --fault 500') },
  {
    name: 'a broken configuration file',
    says: ['error'],
    run: words('person per_1', brokenConfig()),
  },
  {
    name: 'a key file that is not there',
    says: ['error'],
    run: words('--base-url http://127.0.0.1:9 feed', noKeyFile),
  },
];

/** Undefined is the default: table on a terminal, json elsewhere. */
const places = [
  { format: undefined, terminal: true },
  { format: undefined, terminal: false },
  { format: 'json', terminal: true },
  { format: 'csv', terminal: false },
  { format: 'xlsx', terminal: true },
] as const;
const rows = cases.flatMap((one) => places.map((place) => ({ ...one, ...place })));

/** A workbook goes to a file, because a terminal takes none. There, stderr has room for the progress bar of a job. */
const shaped = (format: OutputFormat | undefined): readonly string[] => [
  ...(format === undefined ? [] : ['-o', format]),
  ...(format === undefined || reasonNotForTerminals(format) === undefined
    ? []
    : ['--out', newFile()]),
];

describe.each(rows)(
  '$name, -o $format, a terminal: $terminal',
  ({ says, run, format, terminal }) => {
    it('--errors json: one object a line and nothing else', async () => {
      const result = await run([...shaped(format), '--errors', 'json'], { terminal });
      expect(saidBy(result).flatMap(Object.keys), result.stderr).toEqual(says);
      if (says.includes('error')) errorOf(result);
    });

    it('--errors text: a line in words each', async () => {
      const { stderr } = await run([...shaped(format), '--errors=text'], { terminal });
      // A progress bar wipes itself out, and what stands after its last erasure is left.
      const lines = linesOf(
        stripVTControlCharacters(stderr.slice(Math.max(0, stderr.lastIndexOf('\u001b[K')))),
      );
      if (!terminal) expect(lines).toHaveLength(says.length);
      for (const line of lines)
        expect(line).toMatch(terminal ? /^(?:(?:pdi|error|hint): | {2})/ : /^pdi: /);
      expect(stderr).not.toContain('{"');
    });

    it('--quiet leaves the error alone', async () => {
      const result = await run([...shaped(format), '--errors', 'json', '--quiet'], { terminal });
      expect(saidBy(result).flatMap(Object.keys)).toEqual(says.filter((kind) => kind === 'error'));
    });
  },
);

play('test/session/errors.txt');

describe('standard output and files do not change', () => {
  it.each([
    'person per_1 per_2 --dry-run',
    'feed --dry-run',
    'person per_1 per_2 --fields person_id',
  ])('%s', async (line) => {
    const { pdi: ask } = await origin(({ path }) => ({
      json: { person_id: path.split('/').at(-1) },
    }));
    for (const format of ['table', 'json']) {
      for (const terminal of [true, false]) {
        const { stdout } = await ask(`${line} -o ${format}`, { terminal });
        expect(stdout).not.toBe('');
        for (const errors of ['json', 'text'])
          expect((await ask(`${line} -o ${format} --errors ${errors}`, { terminal })).stdout).toBe(
            stdout,
          );
      }
    }
  });

  it.each(['json', 'text'])(
    'pdi sandbox tells its facts in the format of the output, its notice by --errors %s',
    async (errors) => {
      for (const format of ['table', 'json']) {
        const { send: stop, withSignal } = signalling();
        const onStdout = () => void setImmediate(() => stop('SIGINT'));
        const result = await pdi(`sandbox -o ${format} --errors ${errors}`, {
          withSignal,
          onStdout,
        });
        expect(result.stdout.startsWith(format === 'json' ? '{' : 'base URL')).toBe(true);
        const starts = linesOf(result.stderr).map((text) => text.slice(0, 5));
        expect(starts).toEqual(errors === 'json' ? ['{"not', '{"err'] : ['pdi: ', 'pdi: ']);
      }
    },
  );
});

describe('the progress bar on a terminal', () => {
  const drawn = async (more: string, env = {}) => {
    const out = newFile();
    const { stderr } = await pdi(`${job} --out ${out} ${more}`, { terminal: true, env });
    expect(readFileSync(out, 'utf8')).toContain('per_sample2');
    return stderr.includes('\u001b[K');
  };

  it('is drawn for a person, whatever the format, and not where a program asked for JSON or no line can be erased', async () => {
    for (const format of ['csv', 'json']) {
      expect(await drawn(`-o ${format}`)).toBe(true);
      expect(await drawn(`-o ${format} --errors text`)).toBe(true);
      expect(await drawn(`-o ${format} --errors json`)).toBe(false);
      expect(await drawn(`-o ${format}`, { TERM: 'dumb' })).toBe(false);
    }
  });
});

it.each([
  ['C:\\Users\\me\\list.csv', 'C:\\Users\\me\\list.csv'],
  ['my list.csv', '"my list.csv"'],
  ["O'Neil & co", '"O\'Neil & co"'],
  ['say "no"', '"say ""no"""'],
  ['C:\\my folder\\', '"C:\\my folder\\\\"'],
  ['@list', '"@list"'],
  ["it's $5", "'it''s $5'"],
])('in a hint, the shells of Windows take %s as %s', (text, word) =>
  expect(shellWord(text, true)).toBe(word),
);

it('a notice is one line, whatever the file that it names is called', async () => {
  const file = fileOf('a\u001b[31mb\nc.csv', 'person_id,name\nper_sample1,a\n,b\n');
  const line = [
    '--sandbox',
    'lists',
    'people',
    'modify',
    landmarks.lists.people.shared,
    '--add-from',
    file,
    '--errors',
    'text',
  ];
  expect((await pdi(line)).stderr).toContain('/ab c.csv: 1 row without an id is passed over\n');
});

it('the lines of --verbose stay text beside the objects', async () => {
  const { stderr } = await pdi('--sandbox person per_nobody -o csv --errors json --verbose');
  const [json, text] = [
    linesOf(stderr).filter((line) => line.startsWith('{')),
    linesOf(stderr).filter((line) => !line.startsWith('{')),
  ];
  expect(json.map((line) => Object.keys(JSON.parse(line))[0])).toEqual(['notice', 'error']);
  expect(text.length).toBeGreaterThan(1);
});
