/** Who may import whom, and who may touch the process: the layout's rules, checked against the imports. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../src', import.meta.url));

type Manner = 'value' | 'type' | 'lazy';

interface Arrow {
  /** Path of the importing file below `src`. */
  readonly file: string;
  /** Path below `src`, or the package's name. */
  readonly target: string;
  readonly manner: Manner;
}

const files: ReadonlyMap<string, string> = new Map(
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .map((file) => [
      relative(root, join(root, file)).split(sep).join('/'),
      readFileSync(join(root, file), 'utf8'),
    ]),
);

const statement = /^(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm;
const lazyImport = /\bimport\('([^']+)'\)/g;

function arrowsOf(file: string, source: string): Arrow[] {
  const target = (name: string) =>
    name.startsWith('.') ? posix.join(posix.dirname(file), name) : name;
  return [
    ...Array.from(source.matchAll(statement), ([, type, name = '']): Arrow => {
      return { file, target: target(name), manner: type === undefined ? 'value' : 'type' };
    }),
    ...Array.from(
      source.matchAll(lazyImport),
      ([, name = '']): Arrow => ({ file, target: target(name), manner: 'lazy' }),
    ),
  ];
}

const arrows = [...files].flatMap(([file, source]) => arrowsOf(file, source));

/** The folder a path is in, or the file itself at the top. */
const place = (path: string): string => (path.includes('/') ? (path.split('/')[0] ?? path) : path);
const isOurs = (target: string): boolean => files.has(target) || target.startsWith('..');

/** Failures, codes, streams, and the folders of JSON, files and rows: anybody may import these. */
const foundation = ['errors.ts', 'exit.ts', 'io.ts', 'json', 'files', 'rows'];

/** Folder to what it may import beside the foundation, where it says so only types. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  json: [],
  files: [],
  rows: [],
  contract: [],
  client: ['contract'],
  // What a call costs is a rule of the contract; of the operations the book knows nothing.
  book: ['client', 'types of contract', 'contract/price.ts'],
  input: ['contract'],
  output: ['contract'],
  // Where a book may be is a setting.
  config: ['output', 'book/postgres-address.ts'],
  sandbox: ['contract'],
  // A row is read, asked about and shown here, whatever the command.
  road: ['book', 'client', 'config', 'contract', 'input', 'output', 'sandbox'],
  convert: ['road', 'contract', 'input', 'output'],
  mcp: ['book', 'client', 'contract', 'output', 'road'],
  // It makes the plain values that the road takes, and runs nothing.
  cli: [
    ...['config', 'contract', 'input', 'types of mcp', 'output', 'types of road', 'sandbox'],
    'book/postgres-address.ts',
  ],
  // One run of the program: its tools, signals and exit code. Nobody but `main` imports it.
  session: [
    'book',
    'cli',
    'client',
    'config',
    'contract',
    'front',
    'input',
    'output',
    'road',
    'sandbox',
  ],
  // A word says what is different; what it does is in these.
  commands: ['cli', 'contract', 'convert', 'mcp', 'road'],
  // What is made of all commands: the program, help, completion.
  front: ['cli', 'commands', 'config', 'contract', 'input', 'output', 'road', 'sandbox'],
};

/** Packages, each in the folders that it is for; the prefix before a slash names a package's parts. */
const packages: Readonly<Record<string, readonly string[]>> = {
  '@commander-js/extra-typings': ['commands', 'cli', 'front', 'session'],
  '@modelcontextprotocol/server': ['mcp'],
  'cli-progress': ['road'],
  'cli-table3': ['output'],
  commander: ['cli', 'front', 'session'],
  conf: ['config'],
  'cross-spawn': ['files'],
  'fastest-levenshtein': ['rows'],
  fflate: ['output'],
  hyparquet: ['convert', 'output'],
  'hyparquet-writer': ['output'],
  jmespath: ['output'],
  libsql: ['files'],
  'csv-stringify': ['output'],
  'lossless-json': ['json'],
  picocolors: ['output'],
  postgres: ['book'],
  saxes: ['input'],
  'string-width': ['output'],
  undici: ['client'],
  yauzl: ['input'],
  zod: ['book', 'contract', 'client', 'sandbox'],
};

/** Slow to load, and needed by few runs. */
const heavy = ['conf', 'cli-progress', 'libsql', 'postgres'];

/** Behind what the book is asked. */
const engine = /^book\/(?:book-file|postgres(?!-address)|runs|schema|sqlite)/;

const packageOf = (name: string): string => name.split('/', name.startsWith('@') ? 2 : 1).join('/');

function mayImport({ file, target, manner }: Arrow): boolean {
  const [from, to] = [place(file), target.startsWith('..') ? target : place(target)];
  if (from === to || foundation.includes(to)) return true;
  if (engine.test(target)) return false;
  const rules = allowed[from] ?? [];
  return (
    rules.includes(to) ||
    rules.includes(target) ||
    (manner === 'type' && rules.includes(`types of ${to}`))
  );
}

const drawn = ({ file, target, manner }: Arrow): string => `${file} -> ${target} (${manner})`;

test('the imports are found', () => {
  expect(arrows.length).toBeGreaterThan(300);
  const source =
    "import type { A } from '../x.ts';\nimport './y.ts';\nexport { B } from 'zod';\nawait import('../c/d.ts')";
  const seen = [
    'a/b.ts -> x.ts (type)',
    'a/b.ts -> a/y.ts (value)',
    'a/b.ts -> zod (value)',
    'a/b.ts -> c/d.ts (lazy)',
  ];
  expect(arrowsOf('a/b.ts', source).map(drawn)).toEqual(seen);
});

test('each folder imports only what its row allows', () => {
  const inFolders = arrows.filter(({ file, target }) => file.includes('/') && isOurs(target));
  expect(inFolders.filter((arrow) => !mayImport(arrow)).map(drawn)).toEqual([]);
});

test('a forbidden arrow would be seen', () => {
  const forbidden: readonly Arrow[] = [
    { file: 'client/client.ts', target: 'sandbox/server.ts', manner: 'type' },
    { file: 'sandbox/server.ts', target: 'client/client.ts', manner: 'type' },
    { file: 'contract/feed.ts', target: 'client/pace.ts', manner: 'lazy' },
    { file: 'road/lookup.ts', target: 'mcp/serve.ts', manner: 'value' },
    { file: 'output/csv.ts', target: 'road/run-calls.ts', manner: 'type' },
    { file: 'cli/choices.ts', target: 'session/session.ts', manner: 'type' },
    { file: 'road/run-job.ts', target: 'cli/choices.ts', manner: 'type' },
    { file: 'client/client.ts', target: 'road/tools.ts', manner: 'type' },
    { file: 'road/run-job.ts', target: 'commands/resolve.ts', manner: 'type' },
    { file: 'cli/choices.ts', target: 'road/run-job.ts', manner: 'lazy' },
    { file: 'commands/index.ts', target: 'front/commands.ts', manner: 'value' },
    { file: 'commands/resolve.ts', target: 'input/shape.ts', manner: 'lazy' },
    { file: 'book/budget.ts', target: 'contract/feed.ts', manner: 'value' },
    { file: 'road/spend.ts', target: 'book/book-file.ts', manner: 'type' },
  ];
  expect(forbidden.filter(mayImport)).toEqual([]);
});

test('behind the commands nobody takes what the user chose, only values', () => {
  const door = ['cli', 'commands', 'front', 'session', 'config'];
  const chosen =
    /\b(?:Choices|Flags|InputFlags|SettingSources)\b|\b(?:flags|context)\??: (?![\d]|number)|\bIo\['env'\]/;
  const readers = [...files].filter(
    ([file, source]) => !door.includes(place(file)) && file.includes('/') && chosen.test(source),
  );
  expect(readers.map(([file]) => file)).toEqual([]);
});

test('every folder has a row', () => {
  const folders = new Set([...files.keys()].filter((file) => file.includes('/')).map(place));
  expect([...folders].sort()).toEqual(Object.keys(allowed).sort());
});

test('the foundation stands on nothing but itself', () => {
  const below = arrows.filter(
    ({ file, target }) =>
      foundation.includes(place(file)) && isOurs(target) && !foundation.includes(place(target)),
  );
  expect(below.map(drawn)).toEqual([]);
});

test('files and JSON know nothing of each other, nor of rows', () => {
  const strangers = arrows.filter(({ file, target }) => {
    const [from, to] = [place(file), place(target)];
    return (
      from !== to && (from === 'json' || from === 'files') && ['json', 'files', 'rows'].includes(to)
    );
  });
  expect(strangers.map(drawn)).toEqual([]);
});

test('no files import each other in a circle, types included', () => {
  const targets = new Map([...files.keys()].map((file) => [file, new Set<string>()]));
  for (const { file, target } of arrows) if (files.has(target)) targets.get(file)?.add(target);
  // What imports nothing that is left is in no circle, and is taken away; who then imports nothing follows.
  for (let before = -1; before !== targets.size; ) {
    before = targets.size;
    for (const [file, imported] of targets)
      if (![...imported].some((target) => targets.has(target))) targets.delete(file);
  }
  expect([...targets.keys()]).toEqual([]);
});

test('no name is exported twice, and no type has the name of another', () => {
  const declared =
    /^(export )?(?:async )?(?:function\*?|const|class|abstract class|interface|type) (\w+)/gm;
  const homes = new Map<string, string[]>();
  for (const [file, source] of files) {
    for (const [line, exported, name = ''] of source.matchAll(declared)) {
      if (exported !== undefined || /\b(?:class|interface|type) \w/.test(line))
        homes.set(name, [...(homes.get(name) ?? []), file]);
    }
  }
  expect(homes.size).toBeGreaterThan(600);
  const twice = [...homes].filter(([, where]) => new Set(where).size > 1);
  expect(twice.map(([name, where]) => `${name}: ${where.join(', ')}`)).toEqual([]);
});

test('packages are used where they belong', () => {
  const strangers = arrows.filter(({ file, target }) => {
    if (isOurs(target) || target.startsWith('node:')) return false;
    return packages[packageOf(target)]?.includes(place(file)) !== true;
  });
  expect(strangers.map(drawn)).toEqual([]);
});

test('what is slow to load is loaded where it is used', () => {
  const eager = arrows.filter(
    ({ target, manner }) => heavy.includes(packageOf(target)) && manner === 'value',
  );
  expect(eager.map(drawn)).toEqual([]);
  const first = arrows.filter(
    ({ file, target, manner }) =>
      ['main.ts', 'session/tools.ts', 'cli/choices.ts'].includes(file) &&
      isOurs(target) &&
      manner === 'value',
  );
  const folders = new Set(first.map(({ target }) => place(target)));
  expect(
    [...folders].filter((folder) =>
      ['book', 'client', 'contract', 'road', 'sandbox', 'input'].includes(folder),
    ),
  ).toEqual([]);
});

describe('the world is passed in', () => {
  /** Source without comments and texts, where these words mean something else. */
  const code = (source: string): string =>
    source
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .replace(/\/\/.*$/gm, '')
      .replace(/'(?:[^'\\\n]|\\.)*'/g, "''")
      .replace(/`(?:[^`\\$]|\\.|\$(?!\{))*`/g, '``')
      .replace(/(`|\})(?:[^`\\$]|\\.|\$(?!\{))*(\$\{|`)/g, '$1$2');

  test.each([...files])('%s', (_file, source) => {
    const plain = code(source);
    expect(plain).not.toMatch(/(?<![.\w])process\s*\./);
    expect(plain).not.toMatch(/(?<![.\w])console\s*\./);
    expect(source).not.toMatch(/from '(?:node:)?process'|import\('(?:node:)?process'\)/);
    // It errs in long jobs; rows/url.ts tells how.
    expect(plain).not.toMatch(/canParse/);
  });

  test('a use would be seen', () => {
    for (const line of [
      'process.exit(1)',
      'const x = process.env',
      'console.log(1)',
      'if (process .pid) {}',
    ]) {
      expect(code(`const a = 'process.x';\n${line}`)).toMatch(/(?<![.\w])(?:process|console)\s*\./);
    }
  });
});
