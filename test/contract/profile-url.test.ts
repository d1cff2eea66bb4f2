/** One profile, one URL, whatever was copied (contract, section Bulk input). */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classify, cleanUrl, oneForm } from '../../src/contract/person-identifier.ts';

const url = 'https://www.profnet.example/in/Ada-Sample-1';
const asked = (written: string): string | undefined => {
  const found = classify(written);
  return 'identifier' in found ? found.identifier.profnet_url : undefined;
};

const schemes = ['https://', 'http://', 'HTTPS://', '//', '', 'https:/', 'https://https://'];
const hosts = ['', 'www.', 'WWW.', 'fr.', 'uk.', 'pt-br.', 'm.', 'mobile.', 'www.fr.', 'fr.m.'].map(
  (before) => `${before}profnet.example`,
);
const paths = ['/in/', '/IN/', '/fr/in/', '/mwlite/in/', '/comm/in/', '//in//'];
const views = [
  '',
  '/',
  '/en',
  '/fr-FR/',
  '/overlay/contact-info/',
  '/detail/recent-activity/shares',
  '/recent-activity/all/',
];
const ends = ['', '?trk=people', '?a=b/c&d=é f', '#top', '/?x=1#y'];

const spelling = fc
  .tuple(
    fc.constantFrom(...schemes),
    fc.constantFrom(...hosts),
    fc.constantFrom(...paths),
    fc.constantFrom(...views),
    fc.constantFrom(...ends),
  )
  .map(
    ([scheme, host, path, view, end]) =>
      (slug: string) =>
        `${scheme}${host}${path}${slug}${view}${end}`,
  );
const slug = fc.oneof(
  fc.stringMatching(/^[a-zA-Z0-9-]{1,20}$/),
  fc.constantFrom('zoé-1', 'zo%C3%A9-1', '李雷', 'a.b', 'ada_~', '❤️', 'in', 'fr', 'www'),
);

describe('one form', () => {
  it('is what every spelling of a profile is asked in, with the slug as given', () => {
    fc.assert(
      fc.property(spelling, slug, (spelled, name) => {
        expect(asked(spelled(name))).toBe(`https://www.profnet.example/in/${name}`);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    [
      'https://fr.profnet.example/pub/ada/1/2/3/?trk=x',
      'https://www.profnet.example/pub/ada/1/2/3',
    ],
    ['http://profnet.example/ada', 'https://www.profnet.example/ada'],
    ['http://localhost/in/ada', 'https://localhost/in/ada'],
    ['http://10.0.0.1/in/ada', 'https://10.0.0.1/in/ada'],
    ['m.co/in/ada', 'https://www.m.co/in/ada'],
    ['https://b\u00fccher.example/in/ada', 'https://www.xn--bcher-kva.example/in/ada'],
    ['www.example/in/ada', 'https://www.example/in/ada'],
    ['https://profnet.example/in/in', 'https://www.profnet.example/in/in'],
  ])('of %s is %s', (written, form) => {
    expect(asked(written)).toBe(form);
    expect(asked(form)).toBe(form);
  });

  it.each([
    ['https://www.profnet.example/fr/in/', /slug/],
    ['https://www.profnet.example/in/../ada', /slug/],
    ['https://ada@profnet.example/in/ada', /not a URL/],
    ['https://www.profnet.example\\x/in/ada', /not a URL/],
    ['https://https/in/ada x', /a space/],
    ['ttps://www.profnet.example/in/ada', /http/],
    ['/in/ada', /not a URL/],
  ])('%s has none', (written, reason) => {
    expect(classify(written)).toEqual({ invalid: expect.stringMatching(reason) });
  });

  it('of one form is itself, whatever was written', () => {
    const part = fc.constantFrom(
      ...'https:// www. m. fr. a b.co . / /in/ /fr in ? % : 80 é - xn-- @'.split(' '),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 9 }), (parts) => {
        const form = asked(parts.join(''));
        if (form !== undefined) expect(asked(form)).toBe(form);
      }),
      { numRuns: 2000 },
    );
  });

  it('the quick look and the long one agree', () => {
    expect(oneForm.test(url)).toBe(true);
    fc.assert(
      fc.property(spelling, slug, (spelled, name) => {
        const text = spelled(name);
        if (oneForm.test(text)) expect(cleanUrl(text)).toEqual({ url: text });
      }),
    );
    for (const host of [
      'www.fr.profnet.example',
      'www.m.profnet.example',
      'profnet.example',
      'www.pt-br.profnet.example',
    ]) {
      expect(oneForm.test(`https://${host}/in/ada`)).toBe(false);
    }
  });
});
