import { describe, expect, it } from 'vitest';
import type { FieldKind } from '../../../src/contract/columns.ts';
import { ExactNumber } from '../../../src/json/parse.ts';
import { style } from '../../../src/output/xlsx/book-parts.ts';
import { Cells } from '../../../src/output/xlsx/xlsx.ts';

const valueCell = (value: unknown, kind: FieldKind, name = 'amount') => new Cells().value('A1', value, { kind, name });
const exact = (digits: string) => new ExactNumber(digits);

describe('a number', () => {
  it.each([
    ['4580000.0', 'usd', `<c r="A1" s="${style.cents}"><v>4580000</v></c>`],
    ['1500000.50', 'usd', `<c r="A1" s="${style.cents}"><v>1500000.5</v></c>`],
    ['33.3333333333333333', 'percent', `<c r="A1" s="${style.cents}"><v>33.333333333333336</v></c>`],
    ['1234567.8900000000000001', 'usd', `<c r="A1" s="${style.cents}"><v>1234567.89</v></c>`],
    ['-0.0', 'percent', `<c r="A1" s="${style.cents}"><v>0</v></c>`],
    ['4.0', 'number', `<c r="A1" s="${style.figure}"><v>4</v></c>`],
    ['1e7', 'count', `<c r="A1" s="${style.whole}"><v>10000000</v></c>`],
    ['-0', 'count', `<c r="A1" s="${style.whole}"><v>0</v></c>`],
    ['1.5', 'count', `<c r="A1" s="${style.figure}"><v>1.5</v></c>`],
  ] as const)('%s is one, however the service writes it, in the one format of its column', (digits, kind, cell) => {
    expect(valueCell(exact(digits), kind)).toBe(cell);
  });

  it.each(['founded_year', 'company.founded_year'])('a year (%s) has no separators', (name) => {
    expect(valueCell(1999, 'count', name)).toBe(`<c r="A1" s="${style.figure}"><v>1999</v></c>`);
  });

  it.each([
    ['9007199254740993', 'count'],
    ['700000001.0', 'id'],
    ['1e400', 'usd'],
  ] as const)('%s stays text where a digit would be lost', (digits, kind) => {
    expect(valueCell(exact(digits), kind)).toBe(`<c r="A1" t="inlineStr"><is><t>${digits}</t></is></c>`);
  });
});

it.each([
  ['a\r\nb', '<t xml:space="preserve">a_x000D_\nb</t>'],
  [' a', '<t xml:space="preserve"> a</t>'],
  ['a  b', '<t xml:space="preserve">a  b</t>'],
  ['a b', '<t>a b</t>'],
])('blanks and line ends of %j stay', (text, written) => {
  expect(valueCell(text, 'text')).toContain(written);
});

it.each([
  ['_x0041_', '_x005F_x0041_'],
  ['a_x000D__x000a_b', 'a_x005F_x000D__x005F_x000a_b'],
  ['_x0041_x0041_', '_x005F_x0041_x005F_x0041_'],
  ['_x005F_x0041_', '_x005F_x005F_x005F_x0041_'],
  ['_x41_ _xyzzy_ x0041_', '_x41_ _xyzzy_ x0041_'],
])('the text %s does not become another in a spreadsheet', (text, written) => {
  expect(valueCell(text, 'text')).toContain(`>${written}</t>`);
});

describe('a time', () => {
  it.each([
    ['2026-01-01', '<c><v>46023</v></c>'],
    ['2026-01-01t06:00z', '<c><v>46023.25</v></c>'],
    ['20260101T060000Z', '<c><v>46023.25</v></c>'],
    ['2026-01-01T06:00:00Z', '<c><v>46023.25</v></c>'],
    ['2026-01-01 06:00:00', '<c><v>46023.25</v></c>'],
    ['2026-01-01T06:00:00+08:00', '<c><v>46023.25</v></c>'],
    ['2026-01-01T06:00:00.000Z', '<c><v>46023.25</v></c>'],
    ['2025-12-31T23:59:59.999Z', '<c><v>46022.99998842593</v></c>'],
    ['2026-01-01T06:00:00.5+02:00', '<c><v>46023.25</v></c>'],
    ['1900-03-01', '<c><v>61</v></c>'],
    ['1900-03-01 12:00:00', '<c><v>61.5</v></c>'],
  ])('%s stands there as it was written', (text, cell) => {
    expect(valueCell(text, 'date').replace(/ r="A1" s="\d"/, '')).toBe(cell);
  });

  it.each([
    ...['soon', '1776-07-04', '2026-13-01', '2026-02-30', '2026-02-30 10:00:00', '2026-02-29T10:00:00Z', '2026-01-01 24:00:00'],
    // Excel counts a February 29 in 1900, which there was not: what comes before it would be another day there than in LibreOffice.
    ...['1900-02-28', '1900-02-28 23:59:59', '1900-01-01', '1899-12-31', '1899-12-30'],
  ])('%s is text', (text) => {
    expect(valueCell(text, 'date')).toContain(`>${text}<`);
  });
});
