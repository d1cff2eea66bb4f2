/** Just enough of a shell for the README: `pdi`, pipes between them, `export`, `cat`, `echo $?`. Runs in process. */
import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { wordsOf } from './console.ts';
import { newFolder, run } from './run.ts';

/** The day and time that documentation shows for now. */
const shownNow = '2026-07-01';

/** Tells steady what changes from run to run: ports, today, durations. */
export const steady = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:40123')
    .replaceAll(
      new RegExp(`${new Date().toISOString().slice(0, 10)}(T[\\d:.]+Z)?`, 'g'),
      (_all, time) => (time === undefined ? shownNow : `${shownNow}T09:30:00.000Z`),
    )
    .replace(/\b\d+ ms\b/g, '5 ms')
    .replace(/; \d+(?:\.\d)? s(?=;|$)/gm, '; 0.1 s');

/** Every run in the sandbox says so; the README says it once. */
const sandboxNotice = /^(?:pdi: |\{"notice":")sandbox: invented data .*\n/m;

/** What a progress bar left on a terminal: it wipes itself out, text after its last erasure stays. */
const withoutBar = (stderr: string): string =>
  stripVTControlCharacters(stderr.slice(Math.max(0, stderr.lastIndexOf('\u001b'))));

export class Shell {
  private readonly home = newFolder();
  /** With the store that every user has. */
  private readonly env: Record<string, string> = { NO_COLOR: '1', PDI_MAX_AGE: '' };
  private lastCode = 0;

  /** What the terminal shows in the end: stdout, then stderr. */
  async execute(line: string): Promise<string> {
    const [name = '', ...rest] = wordsOf(line);
    if (name === 'echo') return `${rest.join(' ').replace('$?', String(this.lastCode))}\n`;
    if (name !== 'export' && name !== 'cat') return this.pipe(line.split(' | ').map(programWords));
    this.lastCode = 0;
    return name === 'export'
      ? this.export(rest)
      : rest.map((file) => readFileSync(file, 'utf8')).join('');
  }

  private export(assignments: readonly string[]): string {
    for (const assignment of assignments) {
      const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(assignment) ?? [];
      this.env[name] = value;
    }
    return '';
  }

  /** The programs one after the other; the last one writes to the terminal. */
  private async pipe(programs: readonly (readonly string[])[]): Promise<string> {
    let stdin: string | undefined;
    let shown = '';
    for (const [index, argv] of programs.entries()) {
      const last = index === programs.length - 1;
      const result = await run(argv, {
        terminal: last,
        env: this.env,
        home: this.home,
        ...(stdin !== undefined && { stdin }),
      });
      this.lastCode = result.code;
      if (last) shown = result.stdout;
      else stdin = result.stdout;
      if (last) shown += withoutBar(result.stderr).replace(sandboxNotice, '');
    }
    return shown;
  }
}

function programWords(text: string): readonly string[] {
  const words = wordsOf(text.trim()).filter((word, index) => index > 0 || word !== 'npx');
  if (words[0] !== 'pdi') throw new Error(`the README's shell does not know ${text}`);
  return words.slice(1);
}
