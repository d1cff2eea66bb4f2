/** What other programs write for nothing is nothing, and what may be an id is not (contract, section Bulk input). */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isBlankCell } from '../../src/contract/identifier.ts';

const words = (text: string) => text.split(' ');

describe('a filler', () => {
  it.each([
    ...words('NA N/A n/a NULL null Null nan NaN -nan None NONE \\N undefined TBD tbd TBC <NA> <null>'),
    ...['#N/A N/A', '00000000-0000-0000-0000-000000000000'],
    ...['-', '--', '----', '====', '____', '****', '+-----+', '|---|', ':--:', '—', '–', '…', '?', '???', '#####', '.', '..', '#'],
    ...['--None--', '- None -', '-none-', 'none.', 'N.A', 'k.A.', 'n/d', 's/o', 'not found', 'No data'],
    ...words('(blank) (null) (text) [USD] {} (none) Total TOTAL: Totals Subtotal'),
    ...['(25 rows)', 'Grand Total', 'Total: 1,234', 'Total (25)'],
  ])('%s', (written) => {
    expect(isBlankCell(` ${written} `)).toBe(true);
  });

  it.each([
    ...words('nancy nano nullmann none-such na-li total-energies totally tbdesign 7 0 per_1 company-1 x 李雷 ❤️ ada.sample'),
    ...words('unknown missing sum count c 1# naomi nd so -ann- https://www.profnet.example/in/na urn:profnet:person:7'),
  ])('is not %s', (written) => {
    expect(isBlankCell(written)).toBe(false);
  });

  it('may be a name in brackets, where the column holds names', () => {
    expect([isBlankCell('(RED)', 'Name'), isBlankCell('(RED)', 'company_id'), isBlankCell('None', 'name')]).toEqual([false, true, true]);
  });

  it.each(['(blank)', '(null)', '[NULL]', '(empty)', '(text)', '{}', '[ ]', '(25 rows)', '(unknown)'])('is no name: %s', (written) => {
    expect(isBlankCell(written, 'name')).toBe(true);
  });

  it('is no id with a digit after its letters', () => {
    fc.assert(fc.property(fc.stringMatching(/^[a-zA-Z]{0,8}[-_]?\d[\w-]{0,12}$/), (id) => !isBlankCell(id)));
  });
});
