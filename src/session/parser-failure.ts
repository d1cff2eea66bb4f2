import { asSeen } from '../contract/identifier.ts';
import { UsageError } from '../errors.ts';
import type { ParserStop } from '../front/program.ts';

/** Tells whether a group of commands was named alone. `pdi` with flags alone is a mistake. */
export const namesGroup = ({ reason, command }: ParserStop): boolean =>
  reason.code === 'commander.help' && command !== 'pdi';

export function failureOfParser(stop: ParserStop): UsageError {
  const { reason, command } = stop;
  const see = `see \`${command} --help\``;
  if (reason.code === 'commander.help')
    return new UsageError('a command is missing', { hint: see });
  const [message = '', ...rest] = reason.message
    .replace(/^error: /, '')
    .replace(/\. Expected (\d+) arguments? but got (\d+)/, ': it takes $1, and got $2')
    .replace('. Allowed choices are ', ': allowed choices are ')
    .split('\n');
  const suggestion = rest
    .join(' ')
    .trim()
    .replace(/^\(|\)$/g, '');
  const hint = hintFor(stop) ?? (suggestion === '' ? see : suggestion);
  return new UsageError(message.replace(/\.$/, ''), { hint });
}

/** Programs put other hyphens, or blanks that nobody sees, before a flag; whoever passes that on would ask for it. @throws UsageError */
export function refuseLookAlikes(argv: readonly string[]): void {
  // The shell's own words, in whatever state.
  if (argv[0] === 'completion') return;
  const word = argv.find((one) => !one.startsWith('-') && asSeen(one).startsWith('-'));
  if (word === undefined) return;
  // Where two hyphens were typed, a word processor puts one long dash.
  const meant = asSeen(word).replace(/^-(?=[a-z]{2})/i, '--');
  const told = 'it looks like a flag, but does not begin with a plain hyphen';
  throw new UsageError(`${word.trim()}: ${told}`, {
    item: word.trim(),
    hint: `nothing was sent; type it again: ${meant}`,
  });
}

/** The parser knows only words that are spelt nearly alike. */
function hintFor({ reason, command, words }: ParserStop): string | undefined {
  if (reason.code === 'commander.unknownCommand' && command === 'pdi')
    return commandMeantBy(words[0] ?? '');
  if (reason.code === 'commander.missingArgument' && command === 'pdi lists people modify')
    return 'name the list first: --add and --delete take every word behind them';
  return undefined;
}

/** The first words of other tools, and what does here what they do there. */
const familiarWords: readonly (readonly [words: string, hint: string])[] = [
  ['version', '`pdi --version` prints it'],
  ['auth login setup init configure', '`pdi config init` asks for base URL and key'],
  ['logout', '`pdi config unset api-key` removes the stored key'],
  ['key', '`pdi config set api-key` stores one'],
  ['whoami status', '`pdi config check` says whether the key is good'],
  ['ping', '`pdi health` asks the service'],
  [
    'people persons profile get lookup',
    '`pdi resolve URL` finds person ids (free), `pdi person ID` reads profiles',
  ],
  [
    'search',
    '`pdi resolve URL` finds people, `pdi investors --name NAME` investors; `pdi searches` reads saved searches',
  ],
  ['find', '`pdi resolve URL` finds people, `pdi investors --name NAME` investors'],
  [
    'company companies',
    '`pdi revenue COMPANY_ID` reads revenue, `pdi lists companies list` the lists',
  ],
  ['signals', '`pdi feed` reads signals'],
  ['usage billing cost credits', '`pdi spend` sums what calls cost'],
  ['cache', '`pdi store` shows the answers that are kept'],
  ['settings', '`pdi config list` shows them'],
  [
    'update upgrade',
    'pdi does not update itself: install the newer package, and see `pdi --version`',
  ],
  ['examples', '`pdi COMMAND --help` ends with examples'],
];

const commandMeantBy = (word: string): string | undefined =>
  familiarWords.find(([words]) => words.split(' ').includes(word.toLowerCase()))?.[1];
