import { describe, expect, it } from 'vitest';
import { run } from '../support/run.ts';

const feed = ['--sandbox', 'feed', '--limit', '3', '--quiet'];

describe('--query', () => {
  it('filters the whole document of json', async () => {
    const { code, stdout } = await run([...feed, '-o', 'json', '--query', "[?signal_type=='Company'].company.name"]);
    expect({ code, names: JSON.parse(stdout) }).toEqual({ code: 0, names: ['Example Payments 1 Ltd'] });
  });

  it('asks of each record of ndjson, and gives no line for null', async () => {
    const { stdout } = await run([...feed, '-o', 'ndjson', '--query', 'company.name']);
    expect(stdout).toBe('"Example Payments 1 Ltd"\n');
  });

  it('means json where no format is named, on a terminal too', async () => {
    const { stdout } = await run([...feed, '--query', 'length(@)'], { terminal: true });
    expect(stdout).toBe('3\n');
  });

  it('asks of the object itself where one id was asked for', async () => {
    const { stdout } = await run(['--sandbox', '--quiet', 'person', 'per_sample1', '--query', 'full_name']);
    expect(stdout).toBe('"Ada Sample-1"\n');
  });

  it('keeps every digit', async () => {
    const { stdout } = await run(['--sandbox', '--quiet', 'person', 'per_sample3', '--query', 'profnet_num_id']);
    expect(stdout).toBe('9007199254740993\n');
  });

  it.each([
    ['a bad expression', ['-o', 'json', '--query', '[[['], 'JMESPath'],
    ['a format without JSON', ['-o', 'csv', '--query', '[]'], '--query goes with -o json or ndjson'],
  ])('refuses %s before any call', async (_name, words, message) => {
    const { code, stdout, stderr } = await run([...feed, '--verbose', ...words]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('GET ');
  });
});
