/**
 * Sessions with the program in a text that is read as documentation. `# NAME` begins one, `: ` is prose; `for A, B: x, y | z, w` plays it
 * once a row. What a command meets (`./` is the session's folder, `http://service` its service, `\n` a line end):
 *   service ANSWER       `lost`, `silent`, or a status and a text; after a path for that path, else one a call; a sandbox where none is said
 *   file PATH TEXT       export NAME=VALUE       < a line of stdin, > one that is typed (alone: its end), `terminal COLUMNS` without typing
 *   $ NAME=VALUE pdi … | pdi …       and `cat FILE`, `ls`, `… | diff FILE` (what is piped, where FILE is another)
 * What comes of it, as a whole, where `…` is anything and `, …}` any other keys:
 *   exit CODE MESSAGE; HINT   0 where not said; 2 prints and sends nothing       out, err, sent, billed: a line each, nothing, or how many
 *   json, error, summary: the value on stdout, the one of its name on stderr     no: words that stand on neither
 */
import { readFileSync } from 'node:fs';
import { it } from 'vitest';
import { checks, isCheck, type Seen, type Told } from './transcript-checks.ts';
import { type Services, type Step, staged } from './transcript-stage.ts';

type Texts = Readonly<Record<string, string>>;

const fails = (why: string): never => {
  throw new Error(why);
};
const filled = (text: string, values: Texts) =>
  text.replaceAll(/\{([a-z]\w*)\}/gi, (whole, name: string) => values[name] ?? whole);

/** What the commands of all sessions find in their environment, and which sessions are played so. */
interface Elsewhere {
  readonly env: () => Texts;
  readonly fits: (session: string, at: number) => boolean;
}

/** Plays a text of the project: `{name}` stands in it for one of these values, `service NAME` for one of these services. */
export function play(
  path: string,
  values: Texts = {},
  services: Services = {},
  { env, fits }: Elsewhere = { env: () => ({}), fits: () => true },
): void {
  const text = readFileSync(path, 'utf8');
  for (const name of Object.keys(values))
    if (!text.includes(`{${name}}`)) fails(`${path}: {${name}} is used nowhere`);
  let line = 0;
  for (const [at, session] of filled(text, values).split('\n# ').entries()) {
    const from = line;
    line += session.split('\n').length;
    if (!fits(session, at)) continue;
    for (const row of rowsOf(session.replace(/^# /, ''))) {
      const [title = '', ...lines] = row.split('\n');
      it(title, () => played(lines, services, (at) => `${path}:${from + at + 2}: ${title}`, env()));
    }
  }
}

/** A session once for each row of its `for` lines, whose names are filled in. */
function rowsOf(session: string): readonly string[] {
  const [, all = ''] = /^for (.+?): /m.exec(session) ?? [];
  if (all === '') return [session];
  const lines = session.split('\n');
  const rest = lines.map((line) => (line.startsWith(`for ${all}: `) ? '' : line)).join('\n');
  return lines
    .filter((line) => line.startsWith(`for ${all}: `))
    .flatMap((line) => line.slice(all.length + 6).split(' | '))
    .flatMap((row) => {
      const [names, cells] = [all.split(', '), all.includes(', ') ? row.split(', ') : [row]];
      if (cells.length !== names.length || !names.every((name) => rest.includes(`{${name}}`)))
        fails(`"${row}" does not fit: for ${all}`);
      const values = Object.fromEntries(names.map((name, at) => [name, cells[at] ?? '']));
      return rowsOf(`${filled(rest, values).replace('\n', () => ` (${row})\n`)}`);
    });
}

function stepsOf(lines: readonly string[], place: (at: number) => string): readonly Step[] {
  const steps: Step[] = [];
  let given: Told = new Map();
  for (const [at, line] of lines.entries()) {
    const [, word = '', rest = ''] = /^(\S*) ?(.*)$/.exec(line) ?? [];
    const isGiven = /^(?:service|file|export|<|>|terminal)$/.test(word);
    const into = isGiven
      ? given
      : isCheck(word) && given.size === 0
        ? steps.at(-1)?.told
        : undefined;
    if (/\{[a-z]\w*\}/i.test(line)) fails(`${place(at)}: a name stands for nothing: ${line}`);
    if (word === '$') {
      steps.push({ at, command: rest, given, told: new Map() });
      given = new Map();
    } else if (into !== undefined)
      into.set(word, into.has(word) ? `${into.get(word)}\n${rest}` : rest);
    else if (word !== '' && word !== ':')
      fails(`${place(at)}: no word of a transcript, or in the wrong place: ${line}`);
  }
  if (given.size > 0 || !steps.at(-1)?.told.size)
    fails(`${place(-1)}: nothing is expected of its last command`);
  return steps;
}

/** Plays the lines of one session; a failure names its place. */
export async function played(
  lines: readonly string[],
  services: Services,
  place: (at: number) => string,
  env: Texts = {},
): Promise<void> {
  const steps = stepsOf(lines, place);
  const done = await staged(steps, services, env);
  for (const { at, command, given, told } of steps) {
    let seen: Seen | undefined;
    try {
      seen = await done({ command, given });
      for (const [word, text] of new Map([['exit', '0'], ...told]))
        if (isCheck(word)) checks[word](text, seen, told);
    } catch (error) {
      const came = `--- exit ${seen?.code}, stdout:\n${seen?.stdout}--- stderr:\n${seen?.stderr}---`;
      if (error instanceof Error)
        error.message = `${error.message}\n${place(at)}\n$ ${command}\n${came}`;
      throw error;
    }
  }
}
