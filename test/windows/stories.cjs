/**
 * Stories of Windows, for Node for Windows alone: of wine (`.ci/windows`), or of Windows itself. They start pdi with pipes of their own, and judge
 * money by what the sandbox billed.
 */
const assert = require('node:assert/strict');
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const { join } = require('node:path');
const { setTimeout: wait } = require('node:timers/promises');

const binary = join(__dirname, '..', '..', 'bin', 'pdi.js');
const root = fs.mkdtempSync(join(os.tmpdir(), 'pdi-windows-'));
const home = (name) => {
  const folder = join(root, name);
  fs.mkdirSync(folder, { recursive: true });
  return folder;
};

/** Starts pdi; `ended` gives its exit code and what it wrote. */
function start(argv, { env = {}, cwd = root, stdin } = {}) {
  const child = spawn(process.execPath, [binary, ...argv], {
    cwd,
    env: { ...process.env, ...place(cwd), ...env },
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const text = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (piece) => (text.out += piece));
  child.stderr.setEncoding('utf8').on('data', (piece) => (text.err += piece));
  if (typeof stdin === 'string') child.stdin.end(stdin);
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...text }));
  });
  return { child, ended };
}

const run = (argv, options) => start(argv, options).ended;

/** Configuration and book of a story lie beside its folder. */
const place = (folder) => ({
  USERPROFILE: `${folder}-home`,
  APPDATA: `${folder}-home\\Roaming`,
  LOCALAPPDATA: `${folder}-home\\Local`,
});

async function passes(argv, options) {
  const ended = await run(argv, options);
  assert.equal(ended.code, 0, `${argv.join(' ')}: exit ${ended.code}\n${ended.err}`);
  return ended;
}

async function refused(code, words, argv, options) {
  const ended = await run(argv, options);
  assert.equal(ended.code, code, `${argv.join(' ')}: exit ${ended.code}\n${ended.err}`);
  assert.match(ended.err, words);
  return ended;
}

async function until(find) {
  for (;;) {
    const found = await find();
    if (found) return found;
    await wait(20);
  }
}

/** A service, the variables that lead to it, and its bill. */
async function service(...flags) {
  const { child } = start(['sandbox', '-o', 'json', '--people', '300', ...flags]);
  let text = '';
  child.stdout.on('data', (piece) => (text += piece));
  const { base_url, keys } = await until(() => {
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  });
  const billed = async () => {
    const bill = await (await fetch(new URL('/sandbox/bill', base_url))).json();
    return bill.map(({ item }) => item);
  };
  const env = { PDI_BASE_URL: base_url, PDI_API_KEY: keys.full };
  return { env, billed, baseUrl: base_url, key: keys.full };
}

const ids = (count, from = 1) =>
  Array.from({ length: count }, (_, at) => `per_sample${from + at}`).join('\n');
const put = (folder, name, text) => {
  fs.writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const sandbox = { PDI_SANDBOX: '1' };

/** A script of the shell that notes its arguments, and what it reads. */
function script(folder, name) {
  put(
    folder,
    'note.js',
    `const fs = require('node:fs');
fs.writeFileSync(require('node:path').join(__dirname, 'noted.json'), JSON.stringify(process.argv.slice(2)));
fs.writeFileSync(require('node:path').join(__dirname, 'read'), fs.readFileSync(0));
console.log('sandbox-key-full');`,
  );
  return put(folder, name, `@"${process.execPath}" "%~dp0note.js" %*\r\n`);
}
const noted = (folder) => JSON.parse(fs.readFileSync(join(folder, 'noted.json'), 'utf8'));

const stories = {
  'hints are for PowerShell and cmd': async (cwd) => {
    const env = { ...sandbox, PDI_OUTPUT: 'csv' };
    await refused(
      2,
      /or write the line into a file such as deliver\.cmd/,
      ['feed', '--since-last', 'x', '--deliver', 'sort | more'],
      { cwd, env },
    );
    const odd = put(cwd, 'two lists.csv', 'a,b\n1,2\n');
    await refused(2, /pdi resolve -i "[A-Z]:\\[^"]*two lists\.csv"/, ['resolve', odd], {
      cwd,
      env,
    });
    assert.match((await passes(['help', 'windows'])).out, /%APPDATA%\\pdi /);
  },
  'the same command again does nothing, and without a service it is told': async (cwd) => {
    const { env, billed } = await service();
    const job = ['person', '-i', put(cwd, 'ids.txt', ids(5)), '--out', 'people.csv'];
    await refused(2, /no base URL/, job, { cwd });
    await passes(job, { cwd, env });
    assert.match((await passes(job, { cwd, env })).err, /nothing to do/);
    assert.equal((await billed()).length, 5);
    assert.deepEqual(fs.readdirSync(cwd).sort(), ['ids.txt', 'people.csv']);
    assert.deepEqual(fs.readdirSync(`${cwd}-home\\Local\\pdi`).sort(), ['book.db']);
  },
  'a key-command may be a script of cmd.exe': async (cwd) => {
    const tool = script(cwd, 'key-tool.cmd');
    const words = ['a b', 'c&d', '"e"', '<f>', 'g|h', '^i', 'j(k)', 'l!'];
    const { env, baseUrl } = await service();
    const without = { ...env, PDI_API_KEY: '' };
    await passes(['config', 'set', 'base-url', baseUrl], { cwd });
    await passes(['config', 'set', 'key-command', JSON.stringify([tool, ...words])], { cwd });
    await passes(['lists', 'companies', 'list'], { cwd, env: without });
    assert.deepEqual(noted(cwd), words);
  },
  'a --deliver program may be a script of cmd.exe, by its name alone': async (cwd) => {
    script(cwd, 'take.cmd');
    const env = { ...sandbox, PATH: `${cwd};${process.env.PATH}` };
    await passes(['feed', '--since-last', 'x', '-o', 'ndjson', '--deliver', 'take "a b"'], {
      cwd,
      env,
    });
    assert.deepEqual(noted(cwd), ['a b']);
    assert.match(fs.readFileSync(join(cwd, 'read'), 'utf8'), /^\{.*\}\r?\n/);
  },
};

/** What a story left running would keep its folder. */
const running = new Set();

async function main([wanted = '']) {
  let failed = 0;
  for (const [at, [name, story]] of Object.entries(stories).entries()) {
    if (!name.includes(wanted)) continue;
    const began = performance.now();
    const trouble = await story(home(`${at}`)).then(
      () => undefined,
      (error) => error,
    );
    for (const child of running) await new Promise((gone) => child.once('exit', gone).kill());
    const took = `${((performance.now() - began) / 1000).toFixed(1)} s`;
    const end = trouble === undefined ? 'ok' : 'failed';
    process.stdout.write(`${end}\t${took}\t${name}\n${trouble?.stack ?? ''}`);
    failed += trouble === undefined ? 0 : 1;
  }
  fs.rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  process.exit(failed === 0 ? 0 : 1);
}

main(process.argv.slice(2));
