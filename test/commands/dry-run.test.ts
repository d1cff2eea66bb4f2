/** `--dry-run` for every command: what would be sent, without a key, and nobody asked. */
import { describe, expect, it } from 'vitest';
import { documented, everyCommand } from './every-command.ts';
import { asRecord, linesOf, objectOf, origin, pdi as program } from './service.ts';

describe.each(everyCommand)('$name --dry-run', ({ argv, method, path, billing, body, job }) => {
  it('prints the request, works without a key, and makes no call', async () => {
    const { service } = await origin(documented);
    const result = await program(['--base-url', service.baseUrl, '--dry-run', ...argv.filter((word) => word !== '--yes')]);
    expect({ code: result.code, stderr: result.stderr }).toEqual({ code: 0, stderr: '' });
    const { dry_run, requests, job: plan } = objectOf(result);
    expect([dry_run, requests]).toEqual([
      true,
      [{ method, url: `${service.baseUrl}${path}`, ...(body !== undefined && { body }), billing }],
    ]);
    if (job) expect(plan).toEqual({ rows: 1, distinct: 1, invalid: 0, in_journal: 0, requests: 1, billable: billing === 'free' ? 0 : 1 });
    expect(service.requests).toEqual([]);
  });

  it('in lines on a terminal', async () => {
    const { service } = await origin(documented);
    const { code, stdout, stderr } = await program(['--base-url', service.baseUrl, '--dry-run', ...argv], { terminal: true });
    expect([code, stderr]).toEqual([0, '']);
    expect(linesOf(stdout).slice(0, 2)).toEqual(['dry run: nothing is sent', `${method} ${service.baseUrl}${path} (${billing})`]);
    expect(service.requests).toEqual([]);
  });
});

describe('--dry-run of a job', () => {
  it('counts rows, distinct and malformed ones, requests, and calls that may be billed', async () => {
    const { service } = await origin(documented);
    const stdin = 'per_1\nper_2\nper_1\n..\nper_3\n';
    const result = await program(['--base-url', service.baseUrl, 'person', '-i', '-', '--dry-run'], { stdin });
    const { requests, job } = objectOf(result);
    expect(job).toEqual({ rows: 5, distinct: 3, invalid: 1, in_journal: 0, requests: 3, billable: 3 });
    expect(requests).toHaveLength(3);
  });

  it('resolve: 50 a request, none that may be billed', async () => {
    const { service } = await origin(documented);
    const stdin = Array.from({ length: 130 }, (_, index) => `id-${index}`).join('\n');
    const { job } = objectOf(await program(['--base-url', service.baseUrl, 'resolve', '-i', '-', '--dry-run'], { stdin }));
    expect(asRecord(job)).toMatchObject({ rows: 130, distinct: 130, requests: 3, billable: 0 });
  });

  it('needs a base URL, or --sandbox', async () => {
    expect((await program('person per_1 --dry-run')).code).toBe(2);
    expect((await program('--sandbox person per_1 --dry-run')).code).toBe(0);
  });
});
