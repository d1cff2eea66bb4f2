/** A failure as a person reads it on a terminal: lines of whole words, with each command in one piece, so that it can be copied. */
import picocolors from 'picocolors';
import { onLines } from './display.ts';

interface Screen {
  readonly width: number;
  readonly color: boolean;
  /** The key may be in what is told, and must be masked while it is still on one line. */
  readonly redact: (text: string) => string;
}

/** What happened, said where most hints are read: it belongs to the failure. */
const fact = /^(nothing (?:more |of it )?was [a-z ]+)(?:; |$)/;
/** Between the parts of a hint, of which none is within a command. */
const between = /; (?=(?:[^`]*`[^`]*`)*[^`]*$)/;

export const failureLines = ({ width, color, redact }: Screen) => {
  const { red, cyan } = picocolors.createColors(color);
  const paragraph = (label: string, painted: string, text: string): readonly string[] => {
    const indent = ' '.repeat(label.length + 1);
    const lines = wholeWords(redact(text), width - indent.length);
    const isCommand = lines[0]?.startsWith('  ');
    const rest = lines
      .slice(isCommand ? 0 : 1)
      .map((line) => (line.startsWith('  ') ? line : indent + line));
    return [isCommand ? painted : `${painted} ${lines[0]}`, ...rest];
  };
  return (message: string, hint = ''): string => {
    const [, told] = fact.exec(hint) ?? [];
    const parts = hint.replace(fact, '').split(between);
    const error = paragraph(
      'error:',
      red('error:'),
      told === undefined ? message : `${message} (${told})`,
    );
    const hints = parts.flatMap((part) =>
      part === '' ? [] : paragraph('hint:', cyan('hint:'), part),
    );
    return [...error, ...hints].map((line) => `${line}\n`).join('');
  };
};

/** A command that has no room beside other words gets a line of its own, further left and without its marks. */
function wholeWords(text: string, width: number): readonly string[] {
  const words = text.match(/\S*`[^`]*`\S*|\S+/g) ?? [];
  return onLines(words, ' ', width).map((line, at) =>
    at > 0 || line.length > width ? line.replace(/^`([^`]*)`$/, '  $1') : line,
  );
}
