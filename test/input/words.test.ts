/** Hints that fit the mistake. */
import { expect, it } from 'vitest';
import { openFile, rowsOf } from './reading.ts';

const hintOf = async (opening: Promise<unknown>): Promise<unknown> => {
  const failure: unknown = await opening.catch((error: unknown) => error);
  return failure instanceof Error && 'details' in failure ? failure.details : failure;
};

async function failureOf(opening: Promise<unknown>): Promise<Error> {
  const failure: unknown = await opening.catch((error: unknown) => error);
  return failure instanceof Error ? failure : new Error('opened');
}

it('a quote that a backslash escapes is told as such, where it breaks the file', async () => {
  const content = 'person_id,n\nper_1,"say \\""\nper_2,c\n';
  expect(await hintOf(openFile('a.csv', content))).toMatchObject({
    hint: expect.stringMatching(/^It has \\" for a quote, which CSV writes twice: sed /),
  });
});

it('and where it breaks a row', async () => {
  const [row] = await rowsOf(await openFile('a.csv', 'person_id,n\nper_1,"a \\"b, c\\" d"\n'));
  expect(row?.invalid).toMatch(/cells where the header has 2; it has \\" for a quote, which CSV writes twice$/);
});

it('a row over 1 MiB is told what to leave out', async () => {
  const hint = expect.stringMatching(/of a table, leave the long column out/);
  expect(await hintOf(openFile('a.csv', `person_id,n\nper_1,${'x'.repeat(1024 * 1024 + 1)}\n`))).toMatchObject({ hint });
});

it('a ZIP archive is told how to give one file of it', async () => {
  const { strToU8, zipSync } = await import('fflate');
  const zip = Buffer.from(zipSync({ 'a b.csv': strToU8('person_id\nper_1\n') }));
  expect(await hintOf(openFile('a.zip', zip))).toMatchObject({
    hint: "Unpack it, and give one file of it: unzip -p FILE 'a b.csv' | pdi … -i -",
  });
});

it('names that no line can hold are cut, and so is their number', async () => {
  const wide = await failureOf(openFile('a.csv', `${'x'.repeat(50_000)},${'y,'.repeat(500).slice(0, -1)}\nper_1\n`));
  expect(wide.message).toMatch(/it has: x{60}…, y, .*, y and 201 more$/);
  const key = await failureOf(openFile('a.ndjson', JSON.stringify({ [`${'x'.repeat(59)}😀${'x'.repeat(50_000)}`]: 1 })));
  expect(key.message).toMatch(/the record has: x{59}…$/);
});
