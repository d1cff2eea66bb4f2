/** Shows a key by its last four characters at most. */
import type { Io } from '../io.ts';

const shown = 4;
/** Four characters of a shorter key would give away a third of it or more. */
const minShownLength = 12;
const mask = '…';

/** A quote or a backslash is never shown, because it would break the JSON text that the mask stands in. */
export const maskKey = (key: string): string =>
  key.length < minShownLength ? mask : mask + key.slice(-shown).replace(/^.*["\\]/, '');

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A key may look like this in a URL, a header, a JSON text or a page of HTML. */
function disguises(key: string): string[] {
  const bytes = Buffer.from(key, 'utf8');
  const percent = encodeURIComponent(key);
  const base64 = bytes.toString('base64').replace(/=+$/, '');
  const lowerPercent = percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const inHtml = key.replace(/[&<>"']/g, (character) => entities[character] ?? character);
  const forms = [
    key,
    percent,
    lowerPercent,
    percent.replaceAll('%20', '+'),
    JSON.stringify(key).slice(1, -1),
    inHtml,
  ];
  return [...forms, base64, bytes.toString('base64url')];
}

/** stderr opens at its first use, because most runs write nothing there, and opening it takes longer than some commands. */
export class KeylessStderr {
  /** The longest form comes first, so that no rest of it is left where another, also of another key, is a part of it. */
  private masks: ReadonlyMap<string, string> = new Map();
  private stream: Io['stderr'] | undefined;

  constructor(private readonly io: Pick<Io, 'stderr'>) {}

  readonly guardKey = (key: string): void => {
    // Of a key, four characters may show. To mask one that has no more, such as that of a mock, would garble words.
    if (key.length <= shown) return;
    const masks = [...this.masks, ...disguises(key).map((form) => [form, maskKey(key)] as const)];
    this.masks = new Map(masks.sort(([one], [other]) => other.length - one.length));
  };

  readonly redact = (text: string): string => {
    let redacted = text;
    for (const [form, masked] of this.masks) redacted = redacted.replaceAll(form, () => masked);
    return redacted;
  };

  readonly write = (text: string): void => {
    // A closed stderr must not end a run that still has data to write.
    this.stream ??= this.io.stderr.on('error', () => {});
    this.stream.write(this.redact(text));
  };
}
