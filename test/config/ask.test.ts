import { PassThrough, Writable } from 'node:stream';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { askHidden, askLine } from '../../src/config/ask.ts';
import { mayAsk } from '../../src/session/tools.ts';

/** No signal comes. */
const never = new AbortController().signal;

/** A terminal that notes its mode, and a stderr whose text can be read. */
function terminal() {
  const modes: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (mode: boolean) => modes.push(mode),
  });
  const pieces: string[] = [];
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      pieces.push(String(chunk));
      done();
    },
  });
  return { stdin, stderr, modes, shown: () => pieces.join('') };
}

const io = (input: boolean, output: boolean, env: Readonly<Record<string, string>> = {}) => ({
  stdin: Object.assign(new PassThrough(), { isTTY: input }),
  stdout: Object.assign(new PassThrough(), { isTTY: output }),
  env,
});
test.each([
  ['both terminals', io(true, true), false, true],
  ['CI set to nothing', io(true, true, { CI: '' }), false, true],
  ['--no-input', io(true, true), true, false],
  ['CI', io(true, true, { CI: 'false' }), false, false],
  ['stdin is a file', io(false, true), false, false],
  ['stdout is a pipe', io(true, false), false, false],
  [
    'streams that do not say',
    { stdin: new PassThrough(), stdout: new PassThrough(), env: {} },
    false,
    false,
  ],
])('mayAsk: %s', (_, world, noInput, expected) => expect(mayAsk(world, noInput)).toBe(expected));

describe('askHidden', () => {
  test.each<readonly [string, readonly string[], string]>([
    ['typed key by key', ['a', 'b', 'c', '\r'], 'abc'],
    ['pasted with its line end', ['invented-key\n'], 'invented-key'],
    ['what follows the line end is dropped', ['one\ntwo\n'], 'one'],
    ['backspace, also of nothing', ['\u007f', 'ab\u007fc\b', 'd\r'], 'ad'],
    ['backspace takes a whole character', ['a😀\u007f\r'], 'a'],
    ['Ctrl-U starts again', ['wrong\u0015right\r'], 'right'],
    [
      'arrow keys and paste marks are no text',
      ['\u001b[200~key\u001b[201~\u001b[D\u001bOA\u001b[3~\r'],
      'key',
    ],
    ['other control characters are no text', ['a\tb\u0001\r'], 'ab'],
    ['Ctrl-D after text ends the line', ['abc\u0004'], 'abc'],
    ['nothing', ['\r'], ''],
  ])('%s', async (_, pieces, answer) => {
    const { stdin, stderr, modes, shown } = terminal();
    const asked = askHidden({ stdin, stderr }, 'API key: ', never);
    for (const piece of pieces) stdin.write(piece);
    expect(await asked).toBe(answer);
    expect(shown()).toBe('API key: \n');
    expect(modes).toEqual([true, false]);
    expect([stdin.isPaused(), stdin.listenerCount('keypress')]).toEqual([true, 0]);
  });

  test('a character that arrives in two pieces', async () => {
    const { stdin, stderr } = terminal();
    const asked = askHidden({ stdin, stderr }, '', never);
    const [first, second] = [Buffer.from('ü').subarray(0, 1), Buffer.from('ü').subarray(1)];
    for (const piece of [first, second, '\r']) stdin.write(piece);
    expect(await asked).toBe('ü');
  });

  test.each<readonly [string, (stdin: PassThrough) => void, string]>([
    ['Ctrl-C', (stdin) => stdin.write('ab\u0003'), 'interrupted'],
    ['Ctrl-D at once', (stdin) => stdin.write('\u0004'), 'usage'],
    ['the end of input', (stdin) => stdin.end('ab'), 'usage'],
  ])('%s is no answer, and the terminal is as before', async (_, act, code) => {
    const { stdin, stderr, modes } = terminal();
    const asked = askHidden({ stdin, stderr }, 'API key: ', never);
    act(stdin);
    await expect(asked).rejects.toMatchObject({ code });
    expect(modes).toEqual([true, false]);
  });
});

test.each([
  ['askHidden', askHidden, [true, false]],
  ['askLine', askLine, []],
])(
  '%s: a stop, before or while it waits, ends the question, and the terminal is as before',
  async (_name, ask, changed) => {
    for (const early of [true, false]) {
      const { stdin, stderr, modes, shown } = terminal();
      const stop = new AbortController();
      if (early) stop.abort();
      const asked = ask({ stdin, stderr }, 'Delete? ', stop.signal);
      stop.abort();
      await expect(asked).rejects.toMatchObject({ code: 'interrupted' });
      expect([modes, stdin.isPaused(), stdin.listenerCount('keypress'), shown()]).toEqual([
        changed,
        true,
        0,
        'Delete? \n',
      ]);
    }
  },
);

describe('askLine', () => {
  test('gives the line, asks on stderr', async () => {
    const { stdin, stderr, shown } = terminal();
    const asked = askLine({ stdin, stderr }, 'Delete? ', never);
    stdin.write('yes\n');
    expect(await asked).toBe('yes');
    expect(shown()).toContain('Delete? ');
  });

  test('Ctrl-C on a terminal and the end of input are no answer', async () => {
    const atTerminal = terminal();
    const interrupted = askLine(
      { stdin: atTerminal.stdin, stderr: Object.assign(atTerminal.stderr, { isTTY: true }) },
      'Delete? ',
      never,
    );
    atTerminal.stdin.write('y\u0003');
    await expect(interrupted).rejects.toMatchObject({ code: 'interrupted' });
    const { stdin, stderr, shown } = terminal();
    const ended = askLine({ stdin, stderr }, 'Delete? ', never);
    stdin.end();
    await expect(ended).rejects.toMatchObject({ code: 'usage' });
    expect(shown()).toBe('Delete? \n');
  });

  test('Ctrl-Z stops the program, and the question goes on after it', async () => {
    const { stdin, stderr } = terminal();
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    onTestFinished(() => kill.mockRestore());
    const asked = askLine(
      { stdin, stderr: Object.assign(stderr, { isTTY: true }) },
      'Delete? ',
      never,
    );
    stdin.write('y\u001a');
    expect(kill).toHaveBeenCalledWith(process.pid, 'SIGTSTP');
    process.emit('SIGCONT');
    stdin.write('es\r');
    expect(await asked).toBe('yes');
  });
});
