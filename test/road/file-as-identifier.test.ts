/** A file without `-i`, or a pipe without `-i -`: told before any call, because its name may be billed as an id. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../support/run.ts';
import { errorOf, expectRefused, fileOf, sandbox } from '../support/service.ts';

const commands = ['resolve', 'person', 'revenue', 'searches talent', 'searches funding-rounds'];

const has = (words: string) => expect.stringContaining(words);

describe.each(commands)('pdi %s', (command) => {
  it('a file is read with -i', async () => {
    const file = fileOf('crm.csv', 'linkedin\nada-sample-1\n');
    const told = { message: has('is a file'), item: file, hint: has(`\`pdi ${command} -i ${file}\``) };
    for (const more of ['', ' --dry-run']) await expectRefused(`${command} ada ${file}${more}`, told);
  });

  it.each(['crm.csv', 'people.XLSX', 'urls.txt', 'ids.ndjson.gz'])('%s, which does not exist, is no identifier', (name) =>
    expectRefused(`${command} ${name}`, { message: has(`${name}: there is no such file`), hint: has('-i FILE') }),
  );

  it('a pipe is read with -i -', () =>
    expectRefused(command, { message: has('nothing to ask for'), hint: has('`-i -`') }, { stdin: 'ada-sample-1\n' }));
});

it('a path that needs no extension, and one that a shell would split', async () => {
  const { pdi } = await sandbox();
  const file = join(newFolder(), 'my leads');
  writeFileSync(file, 'ada-sample-1\n');
  expect(errorOf(await pdi(['resolve', file])).hint).toContain(`-i '${file}'`);
});

it('identifiers that look a little like files are asked for', async () => {
  const { pdi } = await sandbox();
  const folder = newFolder();
  // LICENSE is a file here.
  for (const identifier of ['LICENSE', 'ada.sample', 'https://www.profnet.example/in/ada.csv', 'www.profnet.example/in/ada.txt']) {
    expect((await pdi(['resolve', identifier])).code).toBe(0);
  }
  expect((await pdi(['resolve', 'crm.csv', '--as', 'id'])).code).toBe(0);
  expect(errorOf(await pdi(['resolve', folder])).message).not.toContain('is a file');
});

it('on a terminal nobody is told of standard input', async () => {
  const { pdi } = await sandbox();
  const { code, stderr } = await pdi('resolve', { terminal: true });
  expect([code, stderr]).toEqual([2, expect.not.stringContaining('-i -')]);
});
