/** A transcript whose words are not true fails, and says where, of which command, and what that printed. */
import { expect, it } from 'vitest';
import { fileOf } from './service.ts';
import { play, played } from './transcript.ts';

const health = '$ pdi health -o ndjson';
const report = 'out {"status":"OK","relational_store":"OK","analytics_store":"OK"}';
const missing = '$ pdi person per_nobody';
const session = (text: string) =>
  played(text.split('\n'), {}, (at) => `some.txt:${at + 1}: a session`);

it('passes where all is so', () =>
  session(
    `file ./ids per_sample1\\n\n$ cat ./ids\nout per_sample1\n$ pdi person -i ./ids -o ndjson --fields person_id | pdi convert - -o ndjson
out {"person_id":"per_sample1"}\nsent getPerson\nbilled per_sample1\n: prose\n\n${health}\n${report}\n${missing}
exit 4 …not found (404)…; …\nerror {"status":404,"item":"per_…", …}\nno is found\nbilled\n$ ls\nout ids\n${health} | diff ./ids\n${report}\n< per_sample1\n$ pdi person -i - -o csv --fields person_id -q | diff ./ids\nout …`,
  ));

it.each([
  ['exit code', `${health}\nexit 4`],
  ['exit code', `${missing}\nout`],
  ['a message', `${missing}\nexit 4 …found; check the id`],
  ['stdout', `${health}\nout {"status":"OK"}`],
  ['no stdout', `${health}\nout`],
  ['stderr', `${health}\nerr said`],
  ['a number', `${health}\nsent 2`],
  ['what is sent', `${health}\nsent listCompanyLists`],
  ['how much is billed', `${missing}\nexit 4\nbilled 1`],
  ['what is billed', `$ pdi person per_sample1\nbilled per_sample2`],
  ['a key more than there is', `${health}\njson {"status":"OK","a":1, …}`],
  ['a key less', `${health}\njson {"status":"OK"}`],
  ['nothing that is piped', `file ./a x\n$ pdi convert ./none | diff ./a\nout`],
  ['an error', `${missing}\nexit 4\nerror {"status":403, …}`],
  ['no summary', `${missing}\nexit 4\nsummary {…}`],
  ['words that are there', `${health}\nno analytics`],
  ['a request in spite of exit code 2', `service 400 {}\n$ pdi person per_1\nexit 2`],
])('fails at %s, naming place, command and what it printed', async (_what, text) => {
  await expect(session(text)).rejects.toThrow(
    /some\.txt:\d: a session\n\$ pdi .*\n--- exit \d, stdout:\n.*--- stderr:\n/s,
  );
});

it.each([
  ['an unknown word', `${health}\nexits 0`],
  ['an unknown value', `${health}\nout {unknown}`],
  ['a session that expects nothing', `${health}\nexit 0\n${health}`],
  ['a word in the wrong place', `exit 0\n${health}\nout`],
  ['something given to no command', `${health}\nexit 0\nfile ./a`],
])('refuses %s, naming the place', async (_what, text) => {
  await expect(session(text)).rejects.toThrow(/^some\.txt:\d: a session: /);
});

it.each([
  ['a value', `# a\n${health}\n${report}`],
  ['a name of a row', `# a\nfor x: 1 | {y}\n${health}\n${report}`],
  ['a cell', `# a {x} {z}\nfor x, z: 1 | {y}\n${health}\n${report}`],
])('refuses %s that is not used', (_what, text) => {
  expect(() => play(fileOf('some.txt', text), { y: '2' })).toThrow(/is used nowhere|does not fit/);
});
