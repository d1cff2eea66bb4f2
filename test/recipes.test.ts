/**
 * The README's recipes, run as those who run them would: cron's line by /bin/sh with nothing else in its environment, a
 * workflow's steps by `bash -e`, a container's check by sh, the script by sh. `pdi` is the real binary.
 */
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { version } from '../package.json';
import type { Topic } from '../src/front/help/topic.ts';
import { topics } from '../src/front/help/topics.ts';
import { addDays } from '../src/rows/days.ts';
import { nameOf } from '../src/sandbox/dataset/people.ts';
import { type SandboxOptions, startSandbox } from '../src/sandbox/server.ts';
import { createWorld } from '../src/sandbox/world.ts';
import { startIn } from './campaign/process.ts';
import { landmarks } from './sandbox/landmarks.ts';
import type { Answer } from './support/origin.ts';
import { feedPage, idsIn, numbered } from './support/records.ts';
import { newFolder } from './support/run.ts';
import { answering, asRecord, rowsIn, sandboxed } from './support/service.ts';

const project = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(join(project, 'README.md'), 'utf8');
const { ci, team, 'exit-codes': exitCodes } = topics;

/** A folder that holds `pdi` and `node`, as an installation leaves them. */
const programs = newFolder();
symlinkSync(join(project, 'bin', 'pdi.js'), join(programs, 'pdi'));
symlinkSync(process.execPath, join(programs, 'node'));
const path = `${programs}:/usr/bin:/bin`;

/** The first block of a language below a heading of the README. */
function block(heading: string, language: string): string {
  const below = readme.slice(readme.indexOf(`\n## ${heading}\n`));
  const found = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'ms').exec(below)?.[1];
  if (found === undefined) throw new Error(`the README has no ${language} below ${heading}`);
  return found;
}

/** The commands of a topic. */
const examplesOf = ({ parts }: Topic): readonly string[] =>
  parts
    .flatMap((part) => (typeof part === 'object' && 'examples' in part ? part.examples : []))
    .map(([lines]) => lines);

/** The lines that stand below a heading of a topic. */
function listing({ parts }: Topic, heading: string): string {
  const below = parts.slice(
    parts.findIndex(
      (part) => typeof part === 'object' && 'heading' in part && part.heading === heading,
    ),
  );
  const [found] = below.flatMap((part) =>
    typeof part === 'object' && 'listing' in part ? [part.listing] : [],
  );
  if (found === undefined) throw new Error(`the topic has no lines below ${heading}`);
  return `${found}\n`;
}

/** Runs a program with this environment and no other. */
async function end(
  program: string,
  argv: readonly string[],
  env: Record<string, string>,
  folder: string,
) {
  const { code, stdout, stderr } = await startIn(program, argv, { env, folder }).ended;
  return { code, stdout, stderr };
}

const silent = { code: 0, stdout: '', stderr: '' };

/** A sandbox for one test; where it is down, its health check says so. */
async function service(
  options: SandboxOptions = {},
): Promise<{ readonly baseUrl: string; readonly key: string }> {
  const { baseUrl, keys } = await sandboxed(options);
  return { baseUrl, key: keys.full };
}
const down: SandboxOptions = { fault: [{ name: 'analytics-store', probability: 1 }] };

/** The base URL of a service that is not there any more. */
async function nobody(): Promise<string> {
  const sandbox = await startSandbox();
  await sandbox.stop();
  return sandbox.baseUrl;
}

describe('cron', () => {
  const lines = listing(ci, 'A crontab').trim().split('\n');
  const assigned = lines.flatMap((line) => /^(\w+)=./.exec(line)?.[1] ?? []);
  const [, command = ''] = /^(?:\S+ ){5}(.*)$/.exec(lines.at(-1) ?? '') ?? [];

  /** As cron does: HOME, LOGNAME, SHELL, and what the table assigns; here with this test's folder and service. */
  const fromCron = (baseUrl: string, line = command): ReturnType<typeof end> => {
    const home = newFolder();
    const env = {
      HOME: home,
      LOGNAME: 'analyst',
      SHELL: '/bin/sh',
      PATH: path,
      PDI_BASE_URL: baseUrl,
    };
    return end('/bin/sh', ['-c', line], env, home);
  };

  it('assigns what the line needs, and holds nothing that cron reads otherwise', () => {
    expect(assigned).toEqual(['PATH', 'PDI_BASE_URL', 'PDI_API_KEY_FILE']);
    expect(command).toMatch(/^pdi health --quiet /);
    // cron takes a percent sign for a line end.
    expect(command).not.toContain('%');
  });

  it('prints nothing while the service is up: no mail; and one line in words while it is down', async () => {
    expect(await fromCron((await service()).baseUrl)).toEqual(silent);
    const { baseUrl } = await service(down);
    const { code, stdout, stderr } = await fromCron(
      baseUrl,
      command.replace('--wait 30', '--wait 1'),
    );
    expect([code, stdout]).toEqual([5, '']);
    expect(stderr).toMatch(
      /^pdi: the service reports ERROR after 1 s: analytics_store ERROR; .*\n$/,
    );
  });
});

describe('GitHub Actions', () => {
  const action = readFileSync(join(project, 'action.yml'), 'utf8');
  const steps = action.split(/^ {4}- run: /m).slice(1);
  const [install = '', up = '', good = '', ...rest] = steps.map((step) => step.split('\n')[0]);
  const usage = block('In CI, and every day', 'yaml');
  const warning = listing(ci, 'A step of GitHub Actions that warns, and does not fail');

  /** As the runner does: the step as a file, `bash -e`, CI set. */
  async function step(
    script: string,
    { baseUrl, key = '' }: { baseUrl: string; key?: string },
    env: Record<string, string> = {},
  ) {
    const home = newFolder();
    writeFileSync(join(home, 'step.sh'), script);
    const given = {
      HOME: home,
      PATH: path,
      CI: 'true',
      PDI_BASE_URL: baseUrl,
      PDI_API_KEY: key,
      ...env,
    };
    return end('bash', ['-e', join(home, 'step.sh')], given, home);
  }

  it('has three steps, and sets what they need: the key for the last alone', () => {
    expect([install, up, good].map((run) => run.split(' ')[0])).toEqual(['npm', 'pdi', 'pdi']);
    expect(rest).toEqual([]);
    // That such a package installs and runs is tested with the package.
    expect(install).toBe(`npm install --global pdi-cli@${version}`);
    const given = steps.map((step) =>
      Array.from(step.matchAll(/(\w+): \$\{\{ inputs\.([\w-]+) \}\}/g), ([, to, from]) => [
        to,
        from,
      ]),
    );
    const url = ['PDI_BASE_URL', 'base-url'];
    expect(given).toEqual([[], [url, ['HEALTH_WAIT', 'wait']], [url, ['PDI_API_KEY', 'api-key']]]);
    expect(usage).toContain(`@v${version}\n`);
    const named = [...usage.matchAll(/([\w-]+): '/g)].map(([, name]) => name);
    expect(action.match(/^ {2}[\w-]+(?=:\n {4}desc.*\n {4}required)/gm)).toEqual(
      named.map((name) => `  ${name}`),
    );
  });

  it('passes where the service is up and the key is good', async () => {
    const target = await service();
    expect(await step(up, target, { HEALTH_WAIT: '60' })).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/status +OK/),
    });
    const { code, stdout } = await step(good, target);
    expect([code, stdout]).toEqual([0, expect.stringContaining('permissions,ok,')]);
    expect(await step(warning, target)).toEqual(silent);
  });

  it('fails where the service is down, or the key is not good', async () => {
    const { baseUrl } = await service(down);
    const stdout = expect.stringMatching(/analytics_store +ERROR/);
    expect(await step(up, { baseUrl }, { HEALTH_WAIT: '1' })).toMatchObject({
      code: 5,
      stdout,
    });
    const target = await service();
    expect(await step(good, { ...target, key: 'key-of-nobody' })).toMatchObject({
      code: 3,
      stdout: expect.stringContaining(',fail,'),
    });
  });

  it('tells a service that is down from other failures', async () => {
    const { baseUrl } = await service(down);
    expect(await step(warning, { baseUrl })).toMatchObject({
      code: 0,
      stdout: '::warning::the service is down\n',
    });
    expect(await step(warning, { baseUrl: 'no-url' })).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('a machine that is new each time', () => {
  const workflow = listing(ci, 'A machine that is new each time');
  const [, run = ''] = /^ {2}- run: (.*)$/m.exec(workflow) ?? [];
  const [, settings = ''] = /^env: \{ (.*) \}$/m.exec(workflow) ?? [];
  const env = Object.fromEntries(settings.split(', ').map((one) => one.split(': ')));

  /** Each day a fresh folder, into which a cache brings what it kept of the day before. */
  async function threeDays(hasCache: boolean) {
    const sandbox = await sandboxed();
    let state: string | undefined;
    const told: boolean[] = [];
    for (const day of [0, 1, 2]) {
      const [folder, before] = [newFolder(), state];
      state = join(folder, 'state');
      if (hasCache && before !== undefined) cpSync(before, state, { recursive: true });
      const ids = Array.from({ length: 10 }, (_, at) => `per_sample${10 * day + at + 1}`);
      writeFileSync(join(folder, 'leads-ids.csv'), `person_id\n${ids.join('\n')}\n`);
      const here = { XDG_STATE_HOME: state, PDI_BUDGET: '10/month', HOME: folder, PATH: path };
      const of = { PDI_BASE_URL: sandbox.baseUrl, PDI_API_KEY: sandbox.keys.full, CI: 'true' };
      const { stderr } = await end('bash', ['-e', '-c', run], { ...env, ...here, ...of }, folder);
      told.push(stderr.includes('the book was just made'));
    }
    return { billed: sandbox.bill().length, told };
  }

  it('keeps its budget with the cache of the recipe, and else is told that it does not', async () => {
    expect(Object.keys(env)).toEqual(['PDI_BUDGET', 'PDI_ACCOUNT', 'XDG_STATE_HOME']);
    expect(workflow.split(`path: ${env.XDG_STATE_HOME},`)).toHaveLength(3);
    expect(workflow).toMatch(/cache\/save@v4\n {4}if: always\(\)\n/);
    expect(await threeDays(true)).toEqual({ billed: 10, told: [true, false, false] });
    expect(await threeDays(false)).toEqual({ billed: 30, told: [true, true, true] });
  });
});

describe('a container', () => {
  const dockerfile = listing(ci, 'A container').replace('\\\n ', '');
  const [, interval = '', timeout = '', check = ''] =
    /^HEALTHCHECK --interval=(\d+)s --timeout=(\d+)s --retries=\d+ CMD (.*)$/m.exec(dockerfile) ??
    [];
  const inContainer = (baseUrl: string): ReturnType<typeof end> =>
    end(
      '/bin/sh',
      ['-c', check],
      { PATH: path, HOME: newFolder(), HOSTNAME: 'container', PDI_BASE_URL: baseUrl },
      newFolder(),
    );

  it('gives each check time to end by itself', () => {
    const own = Number(/--timeout (\d+)/.exec(check)?.[1]);
    expect(own).toBeLessThan(Number(timeout));
    expect(Number(timeout)).toBeLessThan(Number(interval));
    expect(check).toContain('--retries 0');
  });

  it('is healthy: 0; or unhealthy: 1, whatever is wrong, with a line for `docker inspect`', async () => {
    expect(await inContainer((await service()).baseUrl)).toEqual(silent);
    const { baseUrl } = await service(down);
    for (const wrong of [baseUrl, await nobody(), 'no-url']) {
      const { code, stdout, stderr } = await inContainer(wrong);
      expect([code, stdout], wrong).toEqual([1, '']);
      expect(stderr).toMatch(/^pdi: .*\n$/);
    }
  });
});

describe('pdi help ci', () => {
  const recipes = examplesOf(ci);
  const [health = '', daily = '', alert = '', watch = ''] = recipes;

  /** By a shell, in a folder of its own; the key from the environment. */
  const inShell = (
    script: string,
    target: { baseUrl: string; key?: string },
    folder = newFolder(),
  ): ReturnType<typeof end> =>
    end(
      '/bin/sh',
      ['-c', script],
      {
        PATH: path,
        HOME: folder,
        PDI_BASE_URL: target.baseUrl,
        PDI_API_KEY: target.key ?? 'a-key',
      },
      folder,
    );

  it('has these recipes: the health check prints nothing while the service is up', async () => {
    expect(recipes).toHaveLength(4);
    expect(await inShell(health, await service())).toEqual(silent);
  });

  it('each day a file of what is new', async () => {
    const [{ service: target }, folder] = [await signals(), newFolder()];
    const files = () => readdirSync(folder).filter((name) => name.endsWith('.csv'));
    expect((await inShell(daily, target, folder)).code).toBe(0);
    const [file = ''] = files();
    expect(file).toMatch(/^signals-\d{4}-\d{2}-\d{2}\.csv$/);
    expect(readFileSync(join(folder, file), 'utf8').split('\r\n').length).toBeGreaterThan(100);
    // The same day again has nothing new, and leaves the file as it is.
    const before = readFileSync(join(folder, file), 'utf8');
    expect((await inShell(daily, target, folder)).code).toBe(0);
    expect(readFileSync(join(folder, file), 'utf8')).toBe(before);
    expect((await inShell(daily.replace('signals', 'tomorrow'), target, folder)).stderr).toContain(
      '0 new signals; 1 page billed',
    );
  });

  it('of cron: a file a day, and nothing to mail', async () => {
    const [{ service: target }, folder] = [await signals(), newFolder()];
    const [, line = ''] = /^0 6 \* \* \* (.*)$/m.exec(listing(ci, 'A crontab')) ?? [];
    // cron takes the backslash before a percent sign away, and one without it for a line end.
    expect(line.replaceAll('\\%', '')).not.toContain('%');
    const script = line.replaceAll('\\%', '%');
    expect(await inShell(script, target, folder)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    });
    expect(readdirSync(folder).filter((name) => /^signals-[\d-]+\.csv$/.test(name))).toHaveLength(
      1,
    );
  });

  it.each([
    ['Slack', alert, slack, '\n'],
    ['Teams', alert.replace('"\\n"', '"\\n\\n"'), teams, '\n\n'],
  ])(
    'an alert in %s is one text of lines, and comes once it is up: what it did not take waits',
    async (_name, recipe, answers, lineEnd) => {
      const [{ service: target, summaries }, folder] = [await signals(), newFolder()];
      const hook = await answering(({ headers, body }, _response, count) =>
        count === 1
          ? { status: 503, text: 'no_service' }
          : answers(String(headers['content-type']), body),
      );
      const script = recipe.replace('https://hooks.example', hook.baseUrl);
      expect((await inShell(script, target, folder)).code).toBe(1);
      const { length } = target.requests;
      expect((await inShell(script, target, folder)).code).toBe(0);
      // The second run pays for a page of what is known.
      expect(target.requests.length - length).toBeLessThan(length);
      expect((await inShell(script, target, folder)).code).toBe(0);
      const texts = hook.requests.map(({ body }) =>
        String(asRecord(JSON.parse(body)).text).split(lineEnd),
      );
      expect(texts).toEqual([summaries, summaries]);
    },
  );

  it('a watch on one list goes on in its file', async () => {
    const [{ service: target }, folder] = [await signals(), newFolder()];
    const script = watch.replace('LIST_ID', landmarks.lists.companies.shared);
    expect((await inShell(script, target, folder)).code).toBe(0);
    const first = readFileSync(join(folder, 'watch.ndjson'), 'utf8');
    expect(idsIn(first)).toHaveLength(160);
    expect(
      target.requests.every(({ path }) =>
        path.includes(`list_id=${landmarks.lists.companies.shared}`),
      ),
    ).toBe(true);
    expect((await inShell(script, target, folder)).code).toBe(0);
    expect(readFileSync(join(folder, 'watch.ndjson'), 'utf8')).toBe(first);
  });
});

/** A service with 20 signals a day of the last days, whose words are not easy to put into JSON. */
async function signals() {
  const today = new Date().toISOString().slice(0, 10);
  const feed = numbered(0, 300).map((signal, at) => ({
    ...signal,
    signal_date: addDays(today, -Math.floor(at / 20)),
    ...(at !== 3 && { signal_summary: `"${at}" raised 5 M\u20ac & it's \\ done` }),
  }));
  const service = await answering(({ path }) => ({ json: feedPage(path, feed) }));
  const ofWeek = feed.slice(0, 160);
  return {
    service,
    summaries: ofWeek.map(({ signal_id, ...rest }) =>
      'signal_summary' in rest ? rest.signal_summary : signal_id,
    ),
  };
}

/** What incoming webhooks answer. */
const textIn = (body: string): unknown => {
  try {
    return asRecord(JSON.parse(body)).text;
  } catch {
    return undefined;
  }
};
const isText = (text: unknown): boolean => typeof text === 'string' && text !== '';
const slack = (type: string, body: string): Answer => {
  if (!type.startsWith('application/json')) return { status: 400, text: 'invalid_payload' };
  return isText(textIn(body)) ? { status: 200, text: 'ok' } : { status: 400, text: 'no_text' };
};
const teams = (type: string, body: string): Answer =>
  type.startsWith('application/json') && isText(textIn(body))
    ? { status: 202, text: '' }
    : { status: 400, text: 'Summary or Text is required.' };

describe('a daily job', () => {
  const script = block('In CI, and every day', 'sh');
  const crm =
    'account,link\nA-1,https://www.profnet.example/in/ada-sample-1\nA-2,https://www.profnet.example/in/nobody\n';

  it('writes the files of its day, and says what was spent', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'crm.csv'), crm);
    const { baseUrl, key } = await service();
    const env = { PATH: path, HOME: folder, PDI_BASE_URL: baseUrl, PDI_API_KEY: key };
    const { code, stdout, stderr } = await end('/bin/sh', ['-c', script], env, folder);
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject([{ billed: 1 }]);
    const today = new Date().toISOString().slice(0, 10);
    expect(rowsIn(join(folder, `people-${today}.csv`)).map(({ account }) => account)).toEqual([
      'A-1',
      'A-2',
    ]);
  });

  const people = 120;
  const data = createWorld({ people, seed: 1 }).dataset;
  /** In each twenty rows one of each of these, and else the link of a person. */
  const withoutPerson = ['', 'n/a', 'jo@sample.example', 'https://www.profnet.example/in/gone'];
  const links = Array.from(
    { length: people },
    (_, at) => withoutPerson[at % 20] ?? `${nameOf(data, at + 1).profnet_url}?trk=people`,
  );
  const contacts = `account,link\n${links.map((link, at) => `C-${at},${link}\n`).join('')}`;
  const airflow = listing(team, 'What is shared');
  const task =
    airflow
      .match(/bash_command="(.*)"\n\s*"(.*)"\)/)
      ?.slice(1)
      .join('') ?? '';

  it.each([
    ['the README', script.replace('--max-billable 500', '--max-billable 5000')],
    [
      'Airflow',
      `pdi resolve -i crm.csv --column link --out share.csv --force --accept invalid -q && ${task} --max-billable 5000 -q`,
    ],
  ])(
    'of %s ends well on a CRM as it is, twice a day, with a failure in between',
    { timeout: 300_000 },
    async (_of, lines) => {
      const folder = newFolder();
      writeFileSync(join(folder, 'crm.csv'), contacts);
      let sandbox = await startSandbox({ people, seed: 1, credits: 30 });
      onTestFinished(() => sandbox.stop());
      const port = Number(new URL(sandbox.baseUrl).port);
      const env = {
        PATH: path,
        HOME: folder,
        PDI_BASE_URL: sandbox.baseUrl,
        PDI_API_KEY: sandbox.keys.full,
      };
      const tried = () => end('/bin/sh', ['-c', lines.replace('--rate 2', '')], env, folder);
      expect((await tried()).code).toBe(7);
      const bought = sandbox.bill();
      // The credits are back, at the same address.
      await sandbox.stop();
      sandbox = await startSandbox({ people, seed: 1, port });
      expect((await tried()).code).toBe(0);
      const all = [...bought, ...sandbox.bill()].map(({ item }) => item);
      expect([bought.length, new Set(all).size]).toEqual([30, all.length]);
      expect(all.length).toBeGreaterThan(90);
      expect((await tried()).code).toBe(0);
      expect(sandbox.bill()).toHaveLength(all.length - bought.length);
      expect(readdirSync(folder).filter((name) => name.endsWith('.journal'))).toEqual([]);
    },
  );
});

describe('a script', () => {
  const [script = ''] = examplesOf(exitCodes);
  /** With `-e`, as careful scripts have it. */
  const inScript = (options: {
    baseUrl: string;
    key?: string;
    rows?: string;
    env?: Record<string, string>;
  }): ReturnType<typeof end> => {
    const folder = newFolder();
    writeFileSync(
      join(folder, 'leads-ids.csv'),
      `person_id\n${options.rows ?? 'per_sample1\nper_sample2\n'}`,
    );
    const env = {
      PATH: path,
      HOME: folder,
      PDI_BASE_URL: options.baseUrl,
      PDI_API_KEY: options.key ?? '',
      ...options.env,
    };
    return end('/bin/sh', ['-e', '-c', script], env, folder);
  };

  it.each<[what: string, code: number, told: string, options?: SandboxOptions, more?: object]>([
    ['all rows: complete', 0, 'complete\n'],
    [
      'a row that is not found: done, but not every row',
      0,
      'which rows are not ok',
      {},
      { rows: 'per_sample1\nper_nobody\n' },
    ],
    ['no credits: what was bought is there', 0, 'holds what was bought', { credits: 1 }],
    [
      'the cap: what was bought is there',
      0,
      'holds what was bought',
      {},
      { env: { PDI_MAX_BILLABLE: '1' } },
    ],
    [
      'a key that is not good: a person is needed, and the code is kept',
      3,
      'a person must look',
      {},
      { key: 'key-of-nobody' },
    ],
  ])('%s', async (_what, code, told, options = {}, more = {}) => {
    const result = await inScript({ ...(await service(options)), ...more });
    expect([result.code, result.stdout]).toEqual([code, expect.stringContaining(told)]);
    if (told === 'complete\n') expect(result).toEqual({ ...silent, stdout: told });
  });
});
