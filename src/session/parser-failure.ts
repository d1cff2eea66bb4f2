/** Puts into words why the argument parser stopped. */
import { commandMeantBy } from '../cli/familiar-words.ts';
import type { ParserStop } from '../cli/parser-stop.ts';
import { shellWord } from '../contract/identifier.ts';
import { looksLikeWebsite } from '../contract/website.ts';
import { UsageError } from '../errors.ts';
import { kindByName } from '../input/kind.ts';

/** Tells whether a group of commands was named alone. `pdi` with flags alone is a mistake. */
export const namesGroup = ({ reason, command }: ParserStop): boolean => reason.code === 'commander.help' && command !== 'pdi';

export function failureOfParser(stop: ParserStop): UsageError {
  const { reason, command } = stop;
  const see = `see \`${command} --help\``;
  if (reason.code === 'commander.help') return new UsageError('a command is missing', { hint: see });
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

/** The parser knows only words that are spelt nearly alike. */
function hintFor({ reason, command, words }: ParserStop): string | undefined {
  if (reason.code === 'commander.unknownCommand' && command === 'pdi') return commandMeantBy(words[0] ?? '');
  if (reason.code === 'commander.excessArguments' && command === 'pdi investors') {
    const wanted = words.join(' ');
    const flag = looksLikeWebsite(wanted) ? '--website' : '--name';
    return `\`pdi investors ${kindByName(wanted) === undefined ? flag : '-i'} ${shellWord(wanted)}\``;
  }
  return undefined;
}
