/** Characters for drawn texts. */
import fc from 'fast-check';

/** Any but lone surrogates. That of fast-check has a table of all of them, which takes a second and much memory in each worker. */
export const anyCharacter = fc.integer({ min: 0, max: 0x10_f7ff }).map(
  (code) => String.fromCodePoint(code < 0xd800 ? code : code + 0x800),
  (text) => {
    const [code = 0, ...more] = Array.from(String(text), (one) => one.codePointAt(0) ?? 0);
    if (more.length > 0) throw new Error('more than one character');
    return code < 0xd800 ? code : code - 0x800;
  },
);
