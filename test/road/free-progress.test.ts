/** A job that costs nothing keeps no answers, only how far FILE is: what the service is asked is the judge. */
import { copyFileSync, existsSync, linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSink } from '../../src/output/sinks/sink.ts';
import { expectMistake, fileOf, linesFile, newFile, origin, type Pdi, rowsIn, summaryOf } from '../support/service.ts';

const slugs = (count: number, from = 1) => Array.from({ length: count }, (_, at) => `person-${at + from}`);

/** A service that finds everybody, and the program that asks it. */
async function directory() {
  let left = Number.POSITIVE_INFINITY;
  const { service, pdi } = await origin(({ body }) => {
    if (left <= 0) return { status: 403, json: {} };
    left -= 1;
    const asked: readonly { profnet_id: string }[] = JSON.parse(body).to_resolve;
    return { json: asked.map((query) => ({ query, matches: [{ person_id: `per_${query.profnet_id}`, full_name: 'Zoë "Z"' }] })) };
  });
  return {
    pdi,
    /** Runs a job that is refused after so many requests. */
    cut: async (requests: number, ...run: Parameters<typeof pdi>) => {
      left = requests;
      const result = await pdi(...run);
      left = Number.POSITIVE_INFINITY;
      return result;
    },
    asked: () => service.requests.flatMap(({ body }) => JSON.parse(body).to_resolve.map((one: { profnet_id: string }) => one.profnet_id)),
  };
}

/** FILE is as a run of its own writes it. */
async function expectAsWhole(out: string, pdi: Pdi, job: (file: string) => readonly string[]): Promise<void> {
  const whole = newFile(`whole${extname(out)}`);
  await pdi(job(whole));
  expect(readFileSync(out, 'utf8')).toBe(readFileSync(whole, 'utf8'));
}

const table = (ids: readonly string[]) => fileOf('ids.csv', `note,slug\n${ids.map((id, at) => `"n, ${at}",${id}`).join('\n')}\n`);

const jobOf = (input: string, out: string, ...more: readonly string[]) => {
  const read = ['resolve', '-i', input, '--column', 'slug'];
  return [...read, '--out', out, '--concurrency', '1', ...more];
};

/** The end of its journal says how far FILE is: after a kill it is not there. */
function forgetFile(out: string): void {
  const noted = readFileSync(`${out}.journal`, 'utf8');
  writeFileSync(`${out}.journal`, noted.slice(0, noted.lastIndexOf('{"file"')));
}

describe('a free job with --out', () => {
  it.each(['csv', 'ndjson'])('that ended early goes on where FILE ends: %s', async (format) => {
    const out = newFile(`out.${format}`);
    const { pdi, cut, asked } = await directory();
    const input = table(slugs(400));
    const job = (file: string) => jobOf(input, file, '--errors', 'json');
    const first = await cut(3, job(out));
    expect([first.code, readFileSync(`${out}.journal`, 'utf8')]).toEqual([3, expect.not.stringContaining('per_person')]);
    expect(asked().slice(0, 150)).toEqual(slugs(150));
    const before = asked().length;
    const { code, stderr } = await pdi(job(out));
    expect([code, existsSync(`${out}.journal`), asked().slice(before)]).toEqual([0, false, slugs(250, 151)]);
    expect(summaryOf({ stderr })).toMatchObject({ rows: 400, ok: 400 });
    await expectAsWhole(out, pdi, job);
  });

  it('tells of all rows of FILE why they are not ok, and what was read out of texts', async () => {
    const out = newFile('out.csv');
    const { pdi, cut } = await directory();
    const input = table(
      slugs(400).map((slug, at) => (at % 100 === 0 ? '' : at % 50 === 0 ? `of him: https://profnet.example/in/${slug}` : slug)),
    );
    const job = (file: string) => jobOf(input, file, '--errors', 'json');
    await cut(3, job(out));
    const resumed = summaryOf(await pdi(job(out)));
    expect(resumed).toEqual({ ...summaryOf(await pdi(job(newFile('whole.csv')))), file: out });
    expect(resumed).toMatchObject({ invalid: 4, reasons: { blank: 4 }, links_in_texts: 4 });
  });

  it.each([
    ['another input', (input: string) => copyFileSync(table(slugs(400, 2)), input), []],
    ['other fields', () => {}, ['--fields', 'person_id']],
    ['another delimiter', () => {}, ['--delimiter', ';']],
    ['a format of more than lines', () => {}, ['-o', 'json']],
  ])('begins anew with %s: no row is joined to a wrong one', async (_what, change, more) => {
    const { pdi, cut, asked } = await directory();
    const input = table(slugs(400));
    const out = newFile('out');
    const job = (...flags: readonly string[]) => jobOf(input, out, '-o', 'csv', ...flags);
    expect((await cut(3, job())).stderr).toContain('; run the same command again: it asks only for the rest\n');
    change(input);
    const before = asked().length;
    expect((await pdi(job(...more))).code).toBe(0);
    expect(asked().length - before).toBe(400);
    if (more.length === 0) for (const { slug, person_id } of rowsIn(out)) expect(person_id).toBe(`per_${slug}`);
  });

  it('begins anew under a name that asks for another delimiter', async () => {
    const { pdi, cut } = await directory();
    const [input, out] = [table(slugs(400)), newFile('out.csv')];
    const renamed = join(dirname(out), 'out.tsv');
    await cut(3, jobOf(input, out));
    for (const end of ['', '.journal']) renameSync(`${out}${end}`, `${renamed}${end}`);
    await pdi(jobOf(input, renamed));
    await expectAsWhole(renamed, pdi, (file) => jobOf(input, file));
  });

  it.each([
    ['a workbook', ['-o', 'xlsx', '-i', linesFile(slugs(400))]],
    ['an input that is a pipe', ['-o', 'csv', '-i', '-']],
  ])('says that it begins anew with %s', async (_what, argv) => {
    const { cut } = await directory();
    const { stderr } = await cut(3, ['resolve', ...argv, '--out', newFile(), '--concurrency', '1'], { stdin: slugs(400).join('\n') });
    expect(stderr).toContain(
      '; run the same command again: it asks for all rows (from a file to csv or ndjson it goes on where it ended)\n',
    );
  });

  const records = (ids: readonly string[], note: string, other: string) =>
    ids.map((id, at) => `${JSON.stringify({ slug: at % 2 === 0 ? id : 'Dr X', other: `${other}-${at}`, note })}\n`).join('');

  it.each([
    ['the header of a table', 'in.csv', (text: string) => text.replace('note', 'remark'), []],
    ['another field that is passed on', 'in.ndjson', (text: string) => text.replaceAll('old', 'new'), ['--with-input']],
    ['the next column', 'in.ndjson', (text: string) => text.replaceAll('next', 'after'), ['--column', 'slug,other']],
    ['the column of an identifier', 'in.ndjson', (text: string) => text.replaceAll('"slug"', '"id"'), ['--column', 'slug,id']],
  ])('begins anew where the input has changed in %s: FILE is as a run of its own writes it', async (_what, name, change, more) => {
    const { pdi, cut } = await directory();
    const out = newFile('out');
    const text = name === 'in.csv' ? readFileSync(table(slugs(400)), 'utf8') : records(slugs(400), 'old', 'next');
    const input = fileOf(name, text);
    const job = (file: string) => jobOf(input, file, '-o', name.slice(3), ...more);
    await cut(3, job(out));
    writeFileSync(input, change(text));
    await pdi(job(out));
    await expectAsWhole(out, pdi, job);
  });

  it.each([
    ['in a format of more than lines', 'json', false],
    ['in another format of lines', 'ndjson', false],
    ['of other people, from a pipe', 'csv', true],
  ])('begins anew where a run between wrote FILE: %s', async (_what, format, isPiped) => {
    const { pdi, cut } = await directory();
    const out = newFile('out');
    const input = table(slugs(400));
    const stdin = readFileSync(table(slugs(400, 1001)));
    const job = (file: string, output = 'csv', from = input) => jobOf(from, file, '-o', output, '--input-format', 'csv');
    await cut(3, job(out));
    await cut(5, job(out, format, isPiped ? '-' : input), { stdin });
    expect((await pdi(job(out))).code).toBe(0);
    await expectAsWhole(out, pdi, job);
  });

  it('goes on where FILE ends where a killed run came further in a temporary file that is gone', async () => {
    const { pdi, cut, asked } = await directory();
    const [out, kept] = [newFile('out.csv'), newFile('kept.csv')];
    const input = table(slugs(400));
    await cut(3, jobOf(input, out));
    linkSync(out, kept);
    await cut(3, jobOf(input, out));
    renameSync(kept, out);
    forgetFile(out);
    const before = asked().length;
    expect((await pdi(jobOf(input, out))).code).toBe(0);
    expect(asked().slice(before)).toEqual(slugs(250, 151));
    await expectAsWhole(out, pdi, (file) => jobOf(input, file));
  });

  it('takes nothing for its own that a killed run without a journal left beside FILE', async () => {
    const { pdi, cut, asked } = await directory();
    const [out, kept] = [newFile('out.csv'), newFile('kept.csv')];
    const input = table(slugs(400));
    await cut(3, jobOf(input, out));
    // The job was killed before it left FILE, and so was another command while it wrote there.
    forgetFile(out);
    rmSync(out);
    const sink = await openSink({ stdout: process.stdout, file: out, force: false });
    await sink.write('of somebody else\n'.repeat(10_000));
    const left = readdirSync(dirname(out)).filter((name) => name.startsWith('.'));
    for (const name of left) copyFileSync(join(dirname(out), name), `${kept}${name}`);
    await sink.discard();
    for (const name of left) copyFileSync(`${kept}${name}`, join(dirname(out), name));
    const before = asked().length;
    expect((await pdi(jobOf(input, out))).code).toBe(0);
    expect([left.length > 0, asked().length - before, readdirSync(dirname(out))]).toEqual([true, 400, ['out.csv']]);
    await expectAsWhole(out, pdi, (file) => jobOf(input, file));
  });

  it.each([
    ['another command', ['person'], {}],
    ['another key', ['resolve'], { PDI_API_KEY: 'another-key' }],
    ['another base URL', ['resolve'], { PDI_BASE_URL: 'http://127.0.0.1:9/api/v1' }],
  ])('keeps FILE, and how far it is, from %s', async (_what, command, env) => {
    const { pdi, cut, asked } = await directory();
    const [input, out] = [table(slugs(120)), newFile('out.csv')];
    const job = jobOf(input, out);
    await cut(1, job);
    const left = [out, `${out}.journal`].map((file) => readFileSync(file, 'utf8'));
    const other = await pdi([...command, ...job.slice(1), '-o', 'csv', '--errors', 'json'], { env });
    expectMistake(other, 2, 'the file exists');
    expect([out, `${out}.journal`].map((file) => readFileSync(file, 'utf8'))).toEqual(left);
    const before = asked().length;
    expect([(await pdi(job)).code, asked().slice(before)]).toEqual([0, slugs(70, 51)]);
  });

  it('begins anew where FILE was edited and is replaced', async () => {
    const { pdi, cut, asked } = await directory();
    const out = newFile('out.csv');
    const job = jobOf(table(slugs(120)), out);
    await cut(1, job);
    writeFileSync(out, 'my own notes\n');
    expect((await pdi(job)).code).toBe(2);
    const before = asked().length;
    expect((await pdi([...job, '--force'])).code).toBe(0);
    expect([asked().length - before, rowsIn(out).length]).toEqual([120, 120]);
  });
});
