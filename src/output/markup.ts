/** Text that may contain markup (the description of an education item, says the API document) as plain text. */

/** Elements whose content nobody is meant to read; one that is never closed goes on to the end. */
const unseen = /<(script|style)\b[^<>]*>.*?(?:<\/\1\s*>|$)/gis;
const tags = /<(?:[a-z/][^<>]*|!--[^<>]*--)>/gi;
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function character(whole: string, name: string): string {
  const [, base, digits = ''] = /^#(x?)(\w+)$/i.exec(name) ?? [];
  if (base === undefined) return entities[name.toLowerCase()] ?? whole;
  const code = Number.parseInt(digits, base === '' ? 10 : 16);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
}

/** Without tags, character references spelt out. Not safe for a terminal yet: clean it afterwards. */
export const withoutMarkup = (text: string): string =>
  text
    .replace(unseen, ' ')
    .replace(tags, ' ')
    .replace(/&(#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,6});/gi, character);
