/** Which fields an expression names, and which of them are surely a mistake. */
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { fieldsNamedBy, undocumentedFields } from '../../src/output/where-fields.ts';

describe('the fields of an expression', () => {
  test.each([
    ['a', ['a']],
    ["a.b.c > `3` && !d || contains(e.f, 'g')", ['a.b.c', 'd', 'e.f']],
    ['@.a', ['a']],
    ['a[0].b', ['a']],
    ['a[?b == `1`].c | d', ['a']],
    ['length(a[*].b) > `1`', ['a']],
    ['sort_by(a, &b)[0]', ['a']],
    ['[a, b.c]', ['a', 'b.c']],
    ['{x: a, y: b}', ['a', 'b']],
    ['a[1:2] == b[]', ['a', 'b']],
    ['*.a', []],
    ['`true`', []],
  ])('%s: %j', (expression, fields) => {
    expect(fieldsNamedBy(expression)).toEqual(fields);
  });
});

const names = ['signal_score', 'signal_type', 'company.name'];
const known = { names, has: (path: string) => names.includes(path) || path === 'company' };

describe('a field that is not documented', () => {
  test.each([
    ['signal_scor > `8`', /nearest|valid names/],
    ["Signal_Type == 'x'", /valid names: signal_score, signal_type/],
    ['company.nam', /valid names/],
    ['signal_type == "Company"', /single quotes: 'Company'/],
  ])('%s is a mistake', (expression, hint) => {
    let thrown: unknown;
    try {
      undocumentedFields(expression, known);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(UsageError);
    expect(thrown).toMatchObject({
      message: expect.stringContaining('no field is called'),
      details: { hint: expect.stringMatching(hint) },
    });
  });

  test.each([
    ['signal_score > `8` && company', []],
    ['brand_new == `1`', ['brand_new']],
  ])('%s: %j', (expression, unknown) => {
    expect(undocumentedFields(expression, known)).toEqual(unknown);
  });
});
