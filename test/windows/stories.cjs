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
const twice = (items) => items.filter((id, at, all) => all.indexOf(id) !== at);

/** All files below a folder, but for what Node compiled. */
const filesIn = (folder) =>
  (fs.existsSync(folder) ? fs.readdirSync(folder, { recursive: true }) : [])
    .filter((name) => !/(^|\\)pdi-cache\\/.test(name) && fs.statSync(join(folder, name)).isFile())
    .sort();

/** libuv's flag for a file that nobody else may open, as a spreadsheet program has it. Gives what closes it. */
function heldOpen(path) {
  const file = fs.openSync(path, fs.constants.O_RDWR | 0x10000000);
  return () => fs.closeSync(file);
}

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
  'the program, its help and its version start': async (cwd) => {
    for (const argv of [
      ['--version'],
      ['--help'],
      ['help', 'windows'],
      ['completion', 'powershell'],
    ])
      assert.ok((await passes(argv, { cwd })).out.length > 4);
    assert.deepEqual(filesIn(`${cwd}-home`), []);
  },
  'configuration lies in Roaming, whole and alone': async (cwd) => {
    await passes(['config', 'set', 'base-url', 'https://api.example.test/api/v1'], { cwd });
    await passes(['config', 'set', 'api-key', '-'], { cwd, stdin: 'invented-key-0001\r\n' });
    await passes(['config', 'set', 'timeout', '5', '--profile', 'work'], { cwd });
    assert.match((await passes(['config', 'list', '-o', 'csv'], { cwd })).out, /0001/);
    assert.match(
      (await passes(['config', 'path'], { cwd })).out,
      /^[A-Z]:\\.*\\Roaming\\pdi\\config\.json\r?\n$/,
    );
    await passes(['config', 'unset', 'timeout', '--profile', 'work'], { cwd });
    assert.deepEqual(filesIn(`${cwd}-home`), ['Roaming\\pdi\\config.json']);
  },
  'the check is content': async (cwd) => {
    const { env } = await service();
    const { out } = await passes(['config', 'check', '-o', 'csv'], { cwd, env });
    assert.doesNotMatch(out, /,(?:warn|fail),/);
  },
  'a csv is resolved beside its own columns, also one that PowerShell wrote in UTF-16': async (
    cwd,
  ) => {
    const text = 'Kürzel;link\r\nÄ-1;https://www.profnet.example/in/ada-sample-1\r\n';
    put(cwd, 'meine leute.csv', Buffer.from(`\ufeff${text}`, 'utf16le'));
    await passes(['resolve', '-i', 'meine leute.csv', '--column', 'link', '--out', 'größer.csv'], {
      cwd,
      env: sandbox,
    });
    assert.match(
      fs.readFileSync(join(cwd, 'größer.csv'), 'utf8'),
      /^Kürzel;link;[^\n]*\nÄ-1;[^\n]*per_sample1/,
    );
    assert.deepEqual(filesIn(cwd), ['größer.csv', 'meine leute.csv']);
  },
  'people go into workbooks and parquet, and out of a workbook': async (cwd) => {
    const { env, billed } = await service();
    put(cwd, 'ids.csv', `person_id\r\n${ids(6)}`);
    for (const [from, to] of [
      ['ids.csv', 'a.xlsx'],
      ['a.xlsx', 'b.parquet'],
      ['a.xlsx', 'c.ndjson'],
    ])
      await passes(['person', '-i', from, '--out', to], { cwd, env });
    await passes(['convert', 'c.ndjson', '--out', 'd.xlsx'], { cwd });
    assert.equal((await billed()).length, 6);
    assert.equal(fs.readFileSync(join(cwd, 'b.parquet')).toString('latin1', 0, 4), 'PAR1');
    assert.deepEqual(filesIn(cwd), ['a.xlsx', 'b.parquet', 'c.ndjson', 'd.xlsx', 'ids.csv']);
  },
  'rows come through stdin, and go out through stdout': async (cwd) => {
    const { out } = await passes(['person', '-i', '-', '-o', 'csv'], {
      cwd,
      env: sandbox,
      stdin: ids(3),
    });
    assert.equal(out.trim().split('\n').length, 4);
  },
  'a job that was killed goes on, and nothing is bought twice': async (cwd) => {
    const { env, billed } = await service('--latency', '30');
    const job = [
      'person',
      '-i',
      put(cwd, 'ids.txt', ids(60)),
      '--out',
      'people.csv',
      '--concurrency',
      '4',
    ];
    const { child, ended } = start(job, { cwd, env });
    await until(async () => (await billed()).length > 10);
    child.kill();
    await ended;
    const again = await run(job, { cwd, env });
    assert.ok([0, 8].includes(again.code), again.err);
    assert.deepEqual(twice(await billed()), []);
    await passes([...job, '--retry-unknown'], { cwd, env });
    assert.deepEqual(filesIn(cwd), ['ids.txt', 'people.csv']);
    assert.deepEqual(filesIn(`${cwd}-home\\Local`), ['pdi\\book.db']);
  },
  'a feed goes on from its bookmark, and adds to its FILE': async (cwd) => {
    const { env, baseUrl } = await service();
    const feed = ['feed', '--since-last', 'daily', '--out', 'signals.csv'];
    await passes(feed, { cwd, env });
    const before = fs.readFileSync(join(cwd, 'signals.csv'), 'utf8');
    await fetch(new URL('/sandbox/signal', baseUrl), { method: 'POST' });
    await passes(feed, { cwd, env });
    const after = fs.readFileSync(join(cwd, 'signals.csv'), 'utf8');
    assert.ok(after.startsWith(before) && after.length > before.length);
    assert.deepEqual(filesIn(cwd), ['signals.csv']);
    assert.deepEqual(filesIn(`${cwd}-home\\Local`), ['pdi\\book.db']);
  },
  'what a program refused is delivered once more, without a call': async (cwd) => {
    const { env, billed } = await service();
    put(cwd, 'no.cmd', '@exit /b 3\r\n');
    script(cwd, 'yes.cmd');
    const feed = (program) => [
      'feed',
      '--since-last',
      'x',
      '-o',
      'ndjson',
      '--deliver',
      join(cwd, program),
    ];
    await refused(1, /ended with exit code 3/, feed('no.cmd'), { cwd, env });
    const { length } = await billed();
    await passes(feed('yes.cmd'), { cwd, env });
    assert.ok((await billed()).length <= length + 1);
    assert.match(fs.readFileSync(join(cwd, 'read'), 'utf8'), /^\{.*\}\r?\n/);
  },
  'an agent asks by MCP over pipes': async (cwd) => {
    const { env, billed } = await service();
    const { child, ended } = start(['mcp', '--confirm', 'never'], { cwd, env, stdin: true });
    let text = '';
    child.stdout.on('data', (piece) => (text += piece));
    const ask = async (id, method, params) => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      const isAnswer = (line) => line.includes(`"id":${id}`);
      return JSON.parse(await until(() => text.split('\n').slice(0, -1).find(isAnswer)));
    };
    const clientInfo = { name: 'story', version: '1' };
    await ask(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    assert.ok((await ask(2, 'tools/list', {})).result.tools.length > 10);
    const call = { name: 'person', arguments: { ids: ['per_sample1', 'per_sample2'] } };
    assert.notEqual((await ask(3, 'tools/call', call)).result.isError, true);
    child.stdin.end();
    assert.equal((await ended).code, 0);
    assert.deepEqual((await billed()).sort(), ['per_sample1', 'per_sample2']);
  },
  'two runs on one FILE, whatever it is called: one is refused': async (cwd) => {
    const { env, billed } = await service('--latency', '20');
    put(cwd, 'ids.txt', ids(20));
    for (const [one, other] of [
      ['a.csv', 'a.csv'],
      ['B.csv', 'b.csv'],
      ['É.csv', 'é.csv'],
    ]) {
      const jobs = [one, other].map((out) =>
        run(['person', '-i', 'ids.txt', '--out', out, '--max-age', '0'], { cwd, env }),
      );
      assert.deepEqual((await Promise.all(jobs)).map(({ code }) => code).sort(), [0, 2]);
    }
    assert.equal((await billed()).length, 60);
    assert.equal(filesIn(cwd).length, 4);
  },
  'three runs at once buy each answer once': async (cwd) => {
    const { env, billed } = await service('--latency', '10');
    put(cwd, 'ids.txt', ids(40));
    const jobs = ['a.csv', 'b.csv', 'c.csv'].map((out) =>
      passes(['person', '-i', 'ids.txt', '--out', out], { cwd, env }),
    );
    await Promise.all(jobs);
    assert.deepEqual([(await billed()).length, twice(await billed())], [40, []]);
    assert.deepEqual(filesIn(cwd), ['a.csv', 'b.csv', 'c.csv', 'ids.txt']);
    assert.deepEqual(filesIn(`${cwd}-home\\Local`), ['pdi\\book.db']);
  },
  'a budget holds over two runs at once': async (cwd) => {
    const { env, billed } = await service('--latency', '10');
    const jobs = [1, 31].map((from, at) =>
      run(
        [
          'person',
          '-i',
          put(cwd, `${at}.txt`, ids(30, from)),
          '--out',
          `${at}.csv`,
          '--budget',
          '40/day',
        ],
        { cwd, env },
      ),
    );
    await Promise.all(jobs);
    assert.equal((await billed()).length, 40);
  },
  'paths with blanks, umlauts, slashes of either kind, and long ones': async (cwd) => {
    const folder = join(cwd, 'Ordner mit Ümläuten', 'x'.repeat(100), 'y'.repeat(100));
    fs.mkdirSync(folder, { recursive: true });
    for (const out of [
      join(folder, `${'z'.repeat(60)}.csv`),
      `${folder.replaceAll('\\', '/')}/ä b.csv`,
    ])
      await passes(['person', 'per_sample1', '--out', out], { cwd, env: sandbox });
    assert.equal(filesIn(folder).length, 2);
  },
  'names that Windows keeps for itself are refused before a call': async (cwd) => {
    const { env, billed } = await service();
    for (const out of [
      'aux.csv',
      'NUL.csv',
      'com1.xlsx',
      'a:b.csv',
      'a?.csv',
      'a|b.csv',
      'a.csv.',
      'folder\\con.csv',
    ])
      await refused(2, /Windows/, ['person', 'per_sample1', '--out', out], { cwd, env });
    assert.deepEqual([await billed(), filesIn(cwd)], [[], []]);
  },
  'FILE that another program has open is told before a call': async (cwd) => {
    const { env, billed } = await service();
    const held = heldOpen(put(cwd, 'people.xlsx', 'of a spreadsheet program'));
    await refused(
      2,
      /it is open in another program; nothing was sent: close it/,
      ['person', 'per_sample1', '--out', 'people.xlsx', '--force'],
      { cwd, env },
    );
    held();
    assert.deepEqual(await billed(), []);
  },
  'FILE that is opened in the meantime is waited for, and lost is nothing': async (cwd) => {
    const { env, billed } = await service('--latency', '20');
    put(cwd, 'ids.txt', ids(20));
    const job = ['person', '-i', 'ids.txt', '--out', 'people.csv', '--force', '--max-age', '0'];
    for (const [at, end] of [
      [0, 0],
      [1, 1],
    ]) {
      const file = put(cwd, 'people.csv', 'of a spreadsheet program');
      const { ended } = start(job, { cwd, env });
      await until(async () => (await billed()).length > 20 * at);
      const held = heldOpen(file);
      if (end === 0)
        await until(async () => (await billed()).length === 20)
          .then(() => wait(500))
          .then(held);
      const { code, err } = await ended;
      assert.deepEqual(
        [code, /it is open in another program; close it/.test(err)],
        [end, end === 1],
      );
      if (end === 1) held();
    }
    await passes(job, { cwd, env });
    assert.equal((await billed()).length, 40);
    assert.deepEqual(filesIn(cwd), ['ids.txt', 'people.csv']);
  },
  'a key is read as programs of Windows write it to a file, and not in UTF-16': async (cwd) => {
    const { env, key } = await service();
    const lists = (bytes) => [
      ['lists', 'companies', 'list'],
      { cwd, env: { ...env, PDI_API_KEY: '', PDI_API_KEY_FILE: put(cwd, 'key.txt', bytes) } },
    ];
    await passes(...lists(`\ufeff${key}\r\n`));
    await refused(2, /perhaps UTF-16/, ...lists(Buffer.from(`\ufeff${key}\r\n`, 'utf16le')));
  },
  'five writers of one configuration wait for each other': async (cwd) => {
    const values = ['timeout 5', 'output csv', 'max-age 1d', 'concurrency 3', 'max-billable 7'];
    for (const words of [values, values, values])
      await Promise.all(
        words.map((word) => passes(['config', 'set', ...word.split(' ')], { cwd })),
      );
    const { out } = await passes(['config', 'list', '-o', 'csv'], { cwd });
    for (const words of values) assert.ok(out.includes(words.replace(' ', ',')), words);
    assert.deepEqual(filesIn(`${cwd}-home`), ['Roaming\\pdi\\config.json']);
  },
  'a bookmark runs once at a time': async (cwd) => {
    const { env } = await service('--latency', '100');
    const feeds = ['a.csv', 'b.csv'].map((out) =>
      run(['feed', '--since-last', 'x', '--out', out], { cwd, env }),
    );
    assert.deepEqual((await Promise.all(feeds)).map(({ code }) => code).sort(), [0, 2]);
    assert.deepEqual(filesIn(`${cwd}-home\\Local`), ['pdi\\book.db']);
  },
  'a reader that goes away is no failure': async (cwd) => {
    const { child, ended } = start(['network', '--all', '-o', 'ndjson'], { cwd, env: sandbox });
    child.stdout.once('data', () => child.stdout.destroy());
    const { code, err } = await ended;
    assert.equal(code, 0, err);
  },
  'a book is named by a whole path alone': async (cwd) => {
    const { env } = await service();
    await refused(2, /PDI_BOOK/, ['person', 'per_sample1'], {
      cwd,
      env: { ...env, PDI_BOOK: 'book.db' },
    });
    await passes(['person', 'per_sample1'], {
      cwd,
      env: { ...env, PDI_BOOK: join(cwd, 'own book.db') },
    });
    assert.deepEqual(filesIn(cwd), ['own book.db']);
  },
  'a book is told, copied, looked into, and forgets': async (cwd) => {
    const { env } = await service();
    await passes(['person', 'per_sample1', 'per_sample2'], { cwd, env });
    await passes(['book', 'backup', 'copy of the book.db'], { cwd, env });
    for (const argv of [
      ['book'],
      ['store'],
      ['spend', '--by', 'day'],
      ['store', 'forget', 'per_sample1'],
    ])
      await passes(argv, { cwd, env });
    await passes(['spend'], { cwd, env: { ...env, PDI_BOOK: join(cwd, 'copy of the book.db') } });
    assert.deepEqual(filesIn(cwd), ['copy of the book.db']);
    assert.deepEqual(filesIn(`${cwd}-home\\Local`), ['pdi\\book.db']);
  },
  'the sandbox leaves nothing': async (cwd) => {
    await passes(['person', 'per_sample1'], { cwd, env: sandbox });
    await passes(['feed', '--limit', '5'], { cwd, env: sandbox });
    assert.deepEqual(
      filesIn(`${cwd}-home\\Local`).filter((name) => name !== 'pdi\\book.db'),
      [],
    );
  },
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
