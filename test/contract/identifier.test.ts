/** What an identifier is taken for, and what is refused before it is sent. Sections PersonResolveIdentifier, Limits. */
import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { isBlankCell, plainIdentifier, requireShape } from '../../src/contract/identifier.ts';
import { plainInvestor } from '../../src/contract/investors.ts';
import { classify, type IdentifierName } from '../../src/contract/person-identifier.ts';
import { resolvePeople } from '../../src/contract/resolve.ts';
import { ExactNumber } from '../../src/json/exact.ts';
import { anyCharacter } from '../support/any-text.ts';

const url = 'https://www.profnet.example/in/ada';

const words = (text: string) => text.split(' ');

/** Texts that are all taken for the same. */
const each = <T>(same: T, ...written: readonly string[]) =>
  written.map((text): [string, T] => [text, same]);

describe('classify', () => {
  test.each<[written: string, identifier: object, as?: IdentifierName]>([
    ...each(
      { profnet_url: url },
      url,
      'http://profnet.example/in/ada/',
      'www.profnet.example/in/ada',
      '//www.profnet.example/in/ada',
    ),
    ...each(
      { profnet_url: url },
      `<${url}?a=b c>`,
      `${url}?ids=a,www.b/c`,
      `${url}.`,
      `${url})`,
      `${url},`,
      `${url};`,
    ),
    ...each(
      { profnet_url: url },
      `${url}|Ada Sample`,
      `${url}/>`,
      `${url}:`,
      `${url}。`,
      `${url}\\`,
    ),
    ['https%3A%2F%2Fwww.profnet.example%2Fin%2Fada', { profnet_url: url }],
    ...each(
      { profnet_url: url },
      'https://www。profnet。example/in/ada',
      'profnet．example/in/ada/',
    ),
    ['profnet.example:8080/in/ada?x=1', { profnet_url: 'https://www.profnet.example:8080/in/ada' }],
    ['https://profnet.example/ada', { profnet_url: 'https://www.profnet.example/ada' }],
    ['HTTPS://profnet.example/in/zoé', { profnet_url: 'https://www.profnet.example/in/zoé' }],
    [`"${url}"`, { profnet_url: url }, 'url'],
    ['="700000001"', { profnet_num_id: 700000001 }],
    ['="700000001"', { profnet_id: '700000001' }, 'id'],
    ['@ada', { profnet_id: 'ada' }],
    ["'@ada", { profnet_id: 'ada' }, 'id'],
    ['“urn:profnet:person:7”', { profnet_urn: 'urn:profnet:person:7' }],
    ...['urn:profnet:person:7', 'urn:profnet:post:(urn:a:7,urn:a:8)'].map(
      (urn): [string, object] => [urn, { profnet_urn: urn }],
    ),
    ['URN:profnet:person:a/b', { profnet_urn: 'URN:profnet:person:a/b' }],
    [' 12345 ', { profnet_num_id: 12345 }],
    ['007', { profnet_num_id: 7 }],
    ['9007199254740991', { profnet_num_id: 9007199254740991 }],
    ['9007199254740993', { profnet_num_id: new ExactNumber('9007199254740993') }],
    ['ada-lovelace', { profnet_id: 'ada-lovelace' }],
    [
      'https://profnet.example/in/ada,-mba-7',
      { profnet_url: 'https://www.profnet.example/in/ada,-mba-7' },
    ],
    ['ada.sample', { profnet_id: 'ada.sample' }],
    ['李雷', { profnet_id: '李雷' }],
    ['12345', { profnet_id: '12345' }, 'id'],
    ['12345.0', { profnet_id: '12345.0' }, 'id'],
    ['12345', { profnet_num_id: 12345 }, 'num-id'],
    ['opaque-reference', { profnet_urn: 'opaque-reference' }, 'urn'],
    ['nan', { profnet_id: 'nan' }],
    ['total', { profnet_id: 'total' }],
    ['null', { profnet_id: 'null' }, 'id'],
    ['700000001L', { profnet_id: '700000001L' }, 'id'],
    ['ada\u2011sample', { profnet_id: 'ada-sample' }],
    ['ada\u00adsam\u200bple', { profnet_id: 'adasample' }],
    ['https://www.profnet.example/in/ada\u2010sample', { profnet_url: `${url}-sample` }],
    [
      'https://www.profnet.example/companyname',
      { profnet_url: 'https://www.profnet.example/companyname' },
    ],
  ])('%s', (written, identifier, as) => {
    const found = classify(written, as);
    expect(found).toEqual({ identifier, key: expect.any(String) });
    expect(
      'identifier' in found &&
        resolvePeople.body.safeParse({ to_resolve: [found.identifier] }).success,
    ).toBe(true);
  });

  test.each<[written: string, reason: RegExp, as?: IdentifierName]>([
    ...each(/empty/, '', '  \t', '""', '\u200b'),
    ['ada lovelace', /a space/],
    ...each(
      /control/,
      'ada\u0000',
      'ada\u001b[31m',
      'Ada https://www.profnet.example/in/a\u0007da',
    ),
    ...each(
      /slug/,
      'https://www.profnet.example',
      'https://www.profnet.example/',
      'https://www.profnet.example/in/',
    ),
    ...each(/slug/, 'www.profnet.example/in?x=1'),
    ...each(/http/, 'ftp://profnet.example/in/ada', 'file:///in/ada'),
    ...each(/not a URL/, 'N/A', 'https:///', '3/1/2024', '1/2'),
    ...each(/rounded/, '1.23457E+15', '7.00000001E8', '7,00000001e+8', '7E8'),
    ...each(/decimals/, '700000001.0', '700000001,0', '700000001.', '700000001.5'),
    ...each(
      /separators/,
      '700,000,001',
      '700.000.001',
      "700'000'001",
      '700_000_001',
      '70,00,00,001',
    ),
    ...each(/URN/, 'urn:', 'urn:profnet', 'urn:profnet:'),
    ['ada,bob', /comma/],
    ...each(
      /several URNs/,
      'urn:profnet:person:7,urn:profnet:person:8',
      'urn:profnet:person:7;URN:profnet:person:8',
    ),
    ['www.profnet.example/in/ada,www.profnet.example/in/bob', /two different links/],
    ...each(/mail address/, 'ada@sample.example', 'mailto:ada@profnet.example'),
    ['per_1', /person id already/],
    ['inv_1', /id of an investor/],
    ...each(/UUID/, '11111111-2222-4333-8444-555555555555', 'abcdefab-2222-4333-8444-555555555555'),
    ...each(/nothing/, 'null', 'undefined', '-----', '\\N'),
    ...each(
      /dash/,
      'ada\u2013sample',
      'ada\u2014sample',
      'https://www.profnet.example/in/ada\u2013x',
    ),
    ['ada\u202esample', /direction/],
    ...each(/another script/, 'ada，bob', 'urn:profnet:person:7。', '（ada）'),
    ...each(/sign/, '+700000001', '-700000001', '$700000001'),
    ...each(/language/, '700000001L', '700000001n', '0x29B92701'),
    ...each(/script/, '７００００００００１', '٧٠٠٠٠٠٠٠١'),
    ['TRUE', /truth/],
    ['x'.repeat(2001), /longer than 2000/],
    ...each(
      /cut off/,
      'https://www.profnet.example/in/ada-samp…',
      'see www.profnet.example/in/ada-samp... (Ada)',
    ),
    ['ada', /not a URL/, 'url'],
    ['in/ada', /not an id/, 'id'],
    ['ada', /whole number/, 'num-id'],
    ['-5', /whole number/, 'num-id'],
    ['1.5', /whole number/, 'num-id'],
    ['9'.repeat(31), /30 digits/],
    ['ada;bob', /holds ;/],
    ['ada|bob', /holds \|/, 'id'],
    ['700000001;', /holds ;/],
    ['{{profile}}', /holds \{/],
    ['ada,bob', /comma/, 'id'],
    [`Ada ${url} and Bob ${url}-2`, /two different links/],
    [`${url}; https://www.profnet.example/company/sample/`, /two different links/],
    [`${url}-2 | ${url}`, /two different links/, 'url'],
    ['"ada.b@sample.example"', /mail address/, 'id'],
    ['per_1', /person id already/, 'urn'],
    ['https://www.profnet.example/company/sample', /below \/company/],
    ['profnet.example/school/sample/', /below \/school/],
    ['https://de.profnet.example/SHOWCASE/x?y', /below \/showcase/],
    ['https://www.profnet.example/jobs/view/1', /below \/jobs/],
    ['https://www.profnet.example/pub/dir/Ada/Sample', /below \/pub\/dir/],
    ['https://www.profnet.example/sales/lead/x', /below \/sales/, 'url'],
    ['https://www.profnet.example/profile/view?id=71234567', /below \/profile\/view/, 'url'],
    ['https://www.profnet.example/authwall?sessionRedirect=%2Fin%2Fada', /below \/authwall/],
    ['https://www.profnet.example/uas/login?session_redirect=%2Fin%2Fada', /below \/uas\/login/],
    ['https://profnet.example/company/in/ada', /below \/company/],
  ])('refuses %j', (written, reason, as) => {
    expect(classify(written, as)).toMatchObject({ invalid: expect.stringMatching(reason) });
  });

  test.each([
    `https://www.search.example/url?q=${url}&sa=D&source=editors`,
    'https://www.search.example/url?q=https%3A%2F%2Fwww.profnet.example%2Fin%2Fada&sa=D',
    'https://links.mail.example/?url=https%3A%2F%2Ffr.profnet.example%2Fin%2Fada%3Ftrk%3Dx&data=05%7C01',
    'https://www.profnet.example/authwall?sessionRedirect=https%3A%2F%2Fwww.profnet.example%2Fin%2Fada',
    ...[`https://archive.example/web/2026/${url}`, `https://translate.example/${url}?hl=de`],
    ...[
      `Ada Sample - ${url}`,
      `?? Name - ${url}`,
      `Ada\n${url}\n`,
      `Profile:${url}`,
      `1.${url}`,
      `Ada (${url}).`,
      `**${url}**`,
    ],
    ...[
      `リンク：www.profnet.example/in/ada，CTO`,
      `url:www.profnet.example/in/ada）`,
      `see www.profnet.example/in/ada/, thanks`,
    ],
    ...[
      `${url}\\nCTO`,
      `${url}&trk=people`,
      `${url} (Ada)`,
      `${url},${url}/`,
      `${url} ${url}/?x=1`,
      'Profile: fr.profnet.example/fr/in/ada',
    ],
    ...[`[Ada](${url})`, `<a href="${url}?trk=x">Ada</a>`, `=HYPERLINK("${url}","Ada")`],
  ])('reads the link in the text %j', (written) => {
    expect(classify(written)).toEqual({
      identifier: { profnet_url: url },
      key: url,
      linkInText: true,
    });
    expect(classify(written, 'url')).toEqual({
      identifier: { profnet_url: url },
      key: `url ${url}`,
      linkInText: true,
    });
  });

  test('one question, one key', () => {
    const key = (written: string, as?: IdentifierName) => {
      const found = classify(written, as);
      return 'key' in found ? found.key : undefined;
    };
    expect(key('www.profnet.example/in/ada')).toBe(key(url));
    expect(key('http://m.profnet.example/in/ada/?x=1')).toBe(key(url));
    expect(key('007')).toBe(key('7'));
    expect(key('7')).not.toBe(key('7', 'id'));
    expect(key('9007199254740993')).not.toBe(key('9007199254740992'));
  });

  test('whatever is written, the answer is one identifier with exactly one field, or a reason', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (written) => {
        const found = classify(written);
        if ('invalid' in found) expect(found.invalid).not.toBe('');
        else expect(Object.keys(found.identifier)).toHaveLength(1);
      }),
    );
  });

  test('no key stands for two questions', () => {
    const written = fc.oneof(
      fc.constantFrom(
        '7',
        '007',
        'a7',
        'urn:a:7',
        'URN:a:7',
        'x.y/in/7',
        'https://x.y/in/7',
        'http://x.y/in/7',
        'id 7',
        'num-id 7',
      ),
      fc.string({ unit: fc.constantFrom('0', '7', 'a', '/', ':', '.', '-'), maxLength: 5 }),
    );
    const as = fc.option(
      fc.constantFrom('url' as const, 'id' as const, 'num-id' as const, 'urn' as const),
      { nil: undefined },
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(written, as), { minLength: 2, maxLength: 40 }), (all) => {
        const asked = new Map<string, object>();
        for (const [text, kind] of all) {
          const found = classify(text, kind);
          if ('invalid' in found) continue;
          expect(asked.get(found.key) ?? found.identifier).toEqual(found.identifier);
          asked.set(found.key, found.identifier);
        }
      }),
    );
  });

  test('no digit of a number is lost', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n - 1n }), (number) => {
        const found = classify(String(number));
        const value = 'identifier' in found ? found.identifier.profnet_num_id : undefined;
        expect(String(value)).toBe(String(number));
      }),
    );
  });
});

it.each(['http://', 'https:', '/', 'a.', 'in/', 'x/https:'])(
  '%j many times over is told at once',
  (part) => {
    const before = process.cpuUsage().user;
    classify(part.repeat(Math.floor(1990 / part.length)));
    classify(`${part.repeat(Math.floor(1900 / part.length))}/in/`);
    classify(part.repeat(100_000));
    expect(process.cpuUsage().user - before).toBeLessThan(1_000_000);
  },
);

describe('plainIdentifier', () => {
  test.each([
    ...words('company-5 42 é acme x1.5y 1e5f YWJj= a:b_c~d 2024-01 2024-01-31-a voids int9 李雷'),
    'x'.repeat(500),
  ])('%j may be a company', (written) => {
    expect(plainIdentifier(written)).toEqual({ text: written.trim() });
  });

  test.each<[written: string, reason: RegExp]>([
    ['per_1', /person id/],
    ...each(/URL/, 'https://acme.example', 'acme.example/about'),
    ...each(/domain/, 'www.acme.example', 'acme.co.uk'),
    ['ada@acme.example', /mail address/],
    ['7.00000001E8', /rounded/],
    ['700.000.001', /separators/],
    ['+700000001', /sign/],
    ['700000001L', /language/],
    ['٧٠٠', /script/],
    ...each(/alone/, 'c1.', 'c1:'),
    ...each(/a day/, '2024-01-31', '2024-01-31T00:00:00', '31.1.2024'),
    ...each(/nothing/, 'NA', 'n/a', '(blank)', 'Total', '----'),
    ['company\u20115\u2013x', /dash/],
    ...each(/another script/, 'company-5。', 'company-5｡', 'company-5，company-6', '「company-5」'),
    ...each(
      /nothing/,
      ...words(
        'Unknown ERROR true -inf string Summe --None-- none. k.A. 0 xxx keine REDACTED Avg max',
      ),
    ),
    ...each(/a day/, '15-Mar', 'Mar-15', '15.03.', '3-Sept-24', '15-03-2024', '3月15日', '15-févr'),
    ...each(/alone/, '*company-5', 'company-5*', '•company-5'),
    ...each(
      /name of a column/,
      ...words(
        'id Company Account Firma 会社名 person_id profnet_url companyId account-id organizationName',
      ),
    ),
    ...each(
      /code/,
      ...words(
        "id=c1 [[company]] c2'] title={x} \\begin{tabular} {{company_id}} $COMPANY_ID %id% a|b f(x)",
      ),
    ),
  ])('%j is no company', (written, reason) => {
    expect(plainIdentifier(written, 'company')).toMatchObject({
      invalid: expect.stringMatching(reason),
    });
  });

  test.each(['"per_1"', '="per_1"', "'per_1", '<per_1>', '\u200bper_1', '@per_1'])(
    '%j is per_1',
    (written) => {
      expect(plainIdentifier(written, 'person')).toEqual({ text: 'per_1' });
      expect(() => requireShape('person', written, 'personId')).not.toThrow();
    },
  );

  test.each([
    ['per_1.', /alone/],
    ['per_1)', /alone/],
    ['per_1;', /alone/],
    ['per_1|Ada', /alone/],
    ['per_1:', /alone/],
    ['per_1、per_2', /another script/],
    ['N/A', /nothing/],
    ['ada@acme.example', /mail address/],
  ])('%j is no person', (written, reason) => {
    expect(plainIdentifier(written, 'person')).toMatchObject({
      invalid: expect.stringMatching(reason),
    });
    expect(() => requireShape('person', written, 'personId')).toThrow(reason);
  });

  test.each(['per_1', 'per_YWJj==', 'per_a.b-c_d~e:f', 'per_%41'])(
    '%j may be a person',
    (written) => {
      expect(plainIdentifier(written, 'person')).toEqual({ text: written });
    },
  );

  test.each([
    ['', /empty/],
    ['.', /not an id/],
    ['..', /not an id/],
    ['per 1', /a space/],
    ['c\ufffd1', /has lost/],
    ['c\ud83d', /has lost/],
    ['\udc00c', /has lost/],
    ['per\u007f1', /control/],
    ['x'.repeat(501), /longer than 500/],
  ])('refuses %j', (written, reason) => {
    expect(plainIdentifier(written)).toEqual({ invalid: expect.stringMatching(reason) });
  });
});

/** What other programs write for nothing is nothing, and what may be an id is not (contract, section Bulk input). */
describe('a filler', () => {
  it.each([
    ...words(
      'NA N/A n/a NULL null Null nan NaN -nan None NONE \\N undefined TBD tbd TBC <NA> <null>',
    ),
    ...['#N/A N/A', '00000000-0000-0000-0000-000000000000'],
    ...[
      '-',
      '--',
      '----',
      '====',
      '____',
      '****',
      '+-----+',
      '|---|',
      ':--:',
      '—',
      '–',
      '…',
      '?',
      '???',
      '#####',
      '.',
      '..',
      '#',
    ],
    ...[
      '--None--',
      '- None -',
      '-none-',
      'none.',
      'N.A',
      'k.A.',
      'n/d',
      's/o',
      'n / a',
      'k. A.',
      'not found',
      'No data',
    ],
    ...words('(blank) (null) (text) [USD] {} (none) Total TOTAL: Totals Subtotal'),
    ...[
      'not provided',
      'Not Specified',
      'Loading...',
      'keine Angabe',
      'Non renseigné',
      'нет',
      'なし',
      '无',
      '해당 없음',
      'n.v.t.',
    ],
    ...['(25 rows)', 'Grand Total', 'Total: 1,234', 'Total (25)'],
  ])('%s', (written) => {
    expect(isBlankCell(` ${written} `)).toBe(true);
  });

  it.each([
    ...words(
      'nancy nano nullmann none-such na-li total-energies totally tbdesign 7 0 per_1 company-1 x 李雷 ada.sample',
    ),
    ...words(
      'unknown missing sum count c 1# naomi nd so -ann- https://www.profnet.example/in/na urn:profnet:person:7',
    ),
  ])('is not %s', (written) => {
    expect(isBlankCell(written)).toBe(false);
  });

  it('may be a name in brackets, where the column holds names', () => {
    expect([
      isBlankCell('(RED)', 'Name'),
      isBlankCell('(RED)', 'company_id'),
      isBlankCell('None', 'name'),
    ]).toEqual([false, true, true]);
  });

  it.each([
    ...words('(blank) (Leer) (空白) (null) [NULL] (empty) (text) {} (unknown) (missing)'),
    ...['(en blanco)', '[ ]', '(25 rows)', '[object Object]'],
  ])('is no name: %s', (written) => {
    expect(isBlankCell(written, 'name')).toBe(true);
  });

  it.each(['x .', 'x -', 'Total '])(
    'is told at once from %j, whose last character comes over and over',
    (text) => {
      const before = process.cpuUsage().user;
      expect(isBlankCell(`${text}${text.slice(-1).repeat(100_000)}x`)).toBe(false);
      expect(process.cpuUsage().user - before).toBeLessThan(1_000_000);
    },
  );

  const nothing = [
    ...words(
      'N/A null none NaN unknown Undisclosed Total Gesamtsumme Sous-total Totaal 合計 Итого Suma Totale toplam k.A. TBD eof',
    ),
    ...[
      'Grand Total',
      'not available',
      'unbekannt',
      '15-Mar',
      '1-févr.',
      '03-Sep-2024',
      '3月15日',
      '❤️',
      '€',
      '- -',
    ],
  ];
  const pairs = fc.constantFrom(
    ...words('“” "" «» <> () [] {} -- ** __ :: || == ## ~~'),
    '  ',
    ' .',
    ' :',
    '\u200b\u00a0',
    '@ ',
    '• ',
  );
  const decorated = (text: fc.Arbitrary<string>, maxLength = 3) =>
    fc
      .tuple(text, fc.array(pairs, { maxLength }))
      .map(([inner, around]) =>
        around.reduce((one, pair) => pair.charAt(0) + one + pair.charAt(1), inner),
      );

  it('is nothing in whatever stands around it: neither the id of a company nor the name of an investor', () => {
    const cased = fc
      .tuple(fc.constantFrom(...nothing), fc.boolean())
      .map(([text, isUpper]) => (isUpper ? text.toUpperCase() : text));
    fc.assert(
      fc.property(decorated(cased), (written) => {
        expect([plainIdentifier(written), plainInvestor('name', written)]).toMatchObject(
          Array(2).fill({ invalid: expect.any(String) }),
        );
      }),
    );
  });

  it('is no id or name: it is asked for as it is, or not at all', () => {
    const company = fc.stringMatching(/^[b-h]x[a-z]{0,4}[-_]?\d{1,6}[a-z]?$/);
    const names = [
      'Total Capital',
      'Sum Ventures',
      'Unknown Pleasures Fund',
      'None Such LP',
      '500 Startups',
      'May 15 Partners',
    ];
    fc.assert(
      fc.property(decorated(company), decorated(fc.constantFrom(...names), 1), (id, investor) => {
        const found = plainIdentifier(id);
        if ('text' in found) expect(id).toContain(found.text);
        if ('text' in found) expect(found.text).toMatch(/^[\w-][\w:=.~@-]+$/);
        const named = plainInvestor('name', investor);
        if ('text' in named)
          expect(named.text.replace(/^[(@# ]+|[)#. ]+$/g, '')).toMatch(/^\w[\w ]+\w$/);
      }),
    );
  });

  it('is no id with a digit after its letters', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-zA-Z]{0,8}[-_]?\d[\w-]{0,12}$/),
        (id) => void expect(isBlankCell(id)).toBe(false),
      ),
    );
  });
});
