import { shellWord, type Way } from '../errors.ts';
import { columnFlag } from '../input/column.ts';

/** The way on as a command to copy: this one with other flags, or another about the same file. It follows what it is for. */
export function withCommand(
  argv: readonly string[],
  advise: (text: string) => string,
  hint: string,
  way: Way,
): string {
  const { command, ...flags } = way;
  const names = new Set(Object.keys(flags).map((name) => `--${name}`));
  if (flags.input !== undefined) names.add('-i');
  const isOther = (word: string, at: number): boolean =>
    !names.has(word) &&
    !names.has(argv[at - 1] ?? '') &&
    !names.has(word.replace(/=.*/s, '')) &&
    word !== flags.input;
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const words = (from: number, to?: number) =>
    argv
      .slice(from, to)
      .filter((word, at) => isOther(word, at + from))
      .map((word) => shellWord(word));
  const more = Object.entries(flags).flatMap(([name, value]) =>
    value === undefined ? [] : [flagWith(name, value)],
  );
  const whole =
    command === undefined
      ? ['pdi', ...words(0, end), ...more, ...words(end)].join(' ')
      : advise(`pdi ${command} ${more.join(' ')}`);
  const [, before = '', lead = '', rest = ''] =
    /^(nothing was (?:sent|bought); )?([^;]*)(.*)$/s.exec(advise(hint)) ?? [];
  return `${before}${lead.replace(/\.$/, '')}: \`${whole}\`${rest}`;
}

const flagWith = (name: string, value: string): string =>
  name === 'column'
    ? columnFlag(value)
    : `${name === 'input' ? '-i' : `--${name}`} ${shellWord(value)}`;
