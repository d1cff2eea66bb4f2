/** Whatever is typed as PATH, what is sent lies below the base URL, part by part as it was read. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { planRequest } from '../../src/client/request.ts';
import { madeOperation, pathOf, readPath } from '../../src/contract/any-path.ts';
import { UsageError } from '../../src/errors.ts';

const pieces = [
  ...[
    '/',
    '//',
    '.',
    '..',
    '%2e',
    '%2E%2e',
    '%252e',
    '%2f',
    '%5c',
    '\\',
    ';',
    '%00',
    '\n',
    '%',
    '?',
    '#',
  ],
  ...[
    'api',
    'v1',
    'people',
    'per_1',
    'Ä',
    '日本',
    ' ',
    '@',
    ':',
    'http:',
    '{a}',
    '{',
    '~',
    '&',
    '+',
    '%F0%9F%98%80',
  ],
];

it('is refused, or is the same path for who reads it as a URL', () => {
  const base = 'https://api.example/api/v1';
  const written = fc.array(fc.constantFrom(...pieces), { maxLength: 8 });
  fc.assert(
    fc.property(written, (some) => {
      const text = some.join('');
      try {
        const { parts } = readPath(text, '/api/v1');
        const path = pathOf(parts);
        const endpoint = madeOperation({ method: 'GET', path, billing: 'free', result: 'one' });
        const words = path.slice(1).split('/');
        const ids = words.flatMap((word, at) =>
          word.startsWith('{') ? [[word.slice(1, -1), parts[at] ?? ''] as const] : [],
        );
        const { url } = planRequest(base, endpoint, { path: Object.fromEntries(ids) });
        const read = new URL(url);
        expect([read.href, read.origin, read.search, read.hash]).toEqual([
          url,
          new URL(base).origin,
          '',
          '',
        ]);
        expect(read.pathname.split('/').slice(3).map(decodeURIComponent)).toEqual(parts);
        expect(parts.join('/')).not.toMatch(/^(?:api\/)?v1(?:\/|$)/i);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        expect(error.details.hint).toContain('nothing was sent');
      }
    }),
    { numRuns: 3000 },
  );
});
