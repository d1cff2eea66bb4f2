/** What the commands of a transcript meet: a service, a folder, variables, what is typed. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Sandbox } from '../../src/sandbox/server.ts';
import type { Origin, ReceivedRequest } from './origin.ts';
import { keyboard, newFolder, type RunOptions, type RunResult } from './run.ts';
import { billedBy, origin, type Served, sandbox } from './service.ts';
import { glob, type Seen, type Told, unescaped } from './transcript-checks.ts';

export type Services = Readonly<Record<string, () => Promise<Served<Sandbox | Origin>>>>;

/** A command of a session, with what stands before and behind it. */
export interface Step {
  readonly at: number;
  readonly command: string;
  readonly given: Told;
  readonly told: Told;
}

const pairs = (words: readonly string[]) => words.map((word) => word.split(/[= ](.*)/s));

/** Gives what runs the commands of a session one after another. */
export async function staged(
  steps: readonly Step[],
  services: Services,
  env: Readonly<Record<string, string>>,
) {
  const answers = steps.flatMap(({ given }) => given.get('service') ?? []);
  const { service, pdi } = await serving(answers.join('\n'), services);
  const [folder, { host }] = [`${newFolder()}/`, new URL(service.baseUrl)];
  const here = (text: string) =>
    text.replaceAll(/(?<![\w./])\.\//g, folder).replaceAll('http://service/', `http://${host}/`);
  const there = (text: string) =>
    text.replaceAll(folder, './').replaceAll(`http://${host}/`, 'http://service/');
  const exported: Record<string, string> = { ...env };

  async function run(
    program: string,
    argv: readonly string[],
    options: RunOptions,
    stdin: string,
  ): Promise<RunResult> {
    const said = { code: 0, stderr: '', home: '' };
    const text = () => readFileSync(argv.join(' '), 'utf8');
    if (program === 'pdi') return pdi(argv, options);
    if (program === 'cat') return { ...said, stdout: text() };
    if (program === 'diff')
      return { ...said, stdout: stdin === text() ? '' : stdin || 'nothing was piped\n' };
    if (program === 'ls')
      return { ...said, stdout: [...readdirSync(folder).sort(), ''].join('\n') };
    throw new Error(`a transcript has no program "${program}"`);
  }

  return async ({ command, given }: Pick<Step, 'command' | 'given'>): Promise<Seen> => {
    const linesOf = (word: string) => given.get(word)?.split('\n').map(here) ?? [];
    Object.assign(exported, Object.fromEntries(pairs(linesOf('export'))));
    for (const [file = '', text = ''] of pairs(linesOf('file')))
      writeFileSync(unescaped(file), unescaped(text));
    const watched = watch(service);
    let came: RunResult = {
      code: 0,
      stdout: unescaped([...linesOf('<'), ''].join('\n')),
      stderr: '',
      home: '',
    };
    for (const part of command.split(/ \| (?=(?:pdi|diff) )/)) {
      const quoted = part.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
      const words = quoted.map((word) => here(word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2')));
      const start = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
      const env = { ...exported, ...Object.fromEntries(pairs(words.slice(0, start))) };
      came = await run(
        words[start] ?? '',
        words.slice(start + 1),
        { env, ...inputOf(came.stdout, given) },
        came.stdout,
      );
    }
    return { ...came, stdout: there(came.stdout), stderr: there(came.stderr), ...watched() };
  };
}

function serving(answer: string, services: Services): Promise<Served<Sandbox | Origin>> {
  const named = services[answer];
  if (named !== undefined) return named();
  if (/^(?:sandbox|$)/.test(answer))
    return sandbox(JSON.parse(answer.slice('sandbox'.length) || '{}'));
  const rules = answer
    .split('\n')
    .map((line) => /^([/…]\S*(?= |$))? ?(\d{3}(?= |$))? ?(.*)$/.exec(line) ?? []);
  const inTurn = rules.filter(([, of]) => of === undefined);
  return origin(({ path }, response, count) => {
    const rule = rules.find(
      ([, of]) => of !== undefined && glob(of).test(path.replace('/api/v1', '')),
    );
    const [, , status = '200', text = ''] =
      rule ?? inTurn[Math.min(count, inTurn.length) - 1] ?? [];
    if (text === 'lost') response.destroy();
    return text === 'lost' || text === 'silent' ? undefined : { status: Number(status), text };
  });
}

/** What a service is asked, and what it bills, from now on. */
function watch(service: Sandbox | Origin): () => Pick<Seen, 'sent' | 'billed'> {
  if ('bill' in service) {
    const [asked, { length }] = [service.requests(), service.bill()];
    const sent = () =>
      Object.entries(service.requests()).flatMap(([name, count]) =>
        Array<string>(count - (asked[name] ?? 0)).fill(name),
      );
    return () => ({ sent: sent(), billed: billedBy({ bill: () => service.bill().slice(length) }) });
  }
  const { length } = service.requests;
  const told = ({ method, path, body }: ReceivedRequest) =>
    `${method} ${path.replace('/api/v1', '')} ${body}`.trimEnd();
  return () => ({ sent: service.requests.slice(length).map(told), billed: [] });
}

function inputOf(stdin: string, given: Told): RunOptions {
  const [typed, columns] = [given.get('>'), given.get('terminal')];
  if (typed === undefined && columns === undefined) return { stdin };
  const { stdin: keys, type } = keyboard();
  for (const line of typed?.split('\n') ?? []) line === '' ? keys.push(null) : type(`${line}\n`);
  return {
    terminal: true,
    columns: Number(columns || '120'),
    stdin: typed === undefined ? stdin : keys,
  };
}
