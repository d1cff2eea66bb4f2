import { describe, expect, it } from 'vitest';
import { numbered } from '../support/records.ts';
import { arrayOf, expectRefused, linesOf, origin, sandbox } from '../support/service.ts';

describe('network', () => {
  it('--page and --limit, which has no documented maximum', async () => {
    const { pdi } = await sandbox({ people: 300 });
    expect(arrayOf(await pdi('network --limit 120'))).toHaveLength(120);
    const second = arrayOf(await pdi('network --page 1 --limit 40'));
    expect(second).toEqual(arrayOf(await pdi('network --limit 80')).slice(40));
  });

  it('--all reads on where the service holds less on a page than was asked for', async () => {
    const { service, pdi } = await sandbox({ people: 5000 });
    const result = await pdi('network --all --limit 2000 --max-billable 9');
    expect(new Set(arrayOf(result).map(({ person_id }) => person_id)).size).toBe(2500);
    expect(service.requests()).toEqual({ listNetworkPeople: 3 });
  });

  it.each([
    { argv: '--all', sizes: [50, 49], calls: 2 },
    { argv: '--all', sizes: [49], calls: 1 },
    { argv: '--all --limit 20', sizes: [19], calls: 1 },
    { argv: '--all --limit 200', sizes: [49], calls: 1 },
    { argv: '--all --limit 200', sizes: [60], calls: 2 },
    { argv: '--all --limit 200', sizes: [200, 10], calls: 2 },
    { argv: '--all --limit 200', sizes: [80, 80, 79], calls: 3 },
    { argv: '--all --limit 200', sizes: [80, 200, 80], calls: 3 },
    { argv: '--all --limit 60', sizes: [70, 60, 59], calls: 3 },
  ])('$argv: pages of $sizes people cost $calls calls', async ({ argv, sizes, calls }) => {
    const { pdi, service } = await origin((_request, _response, count) => ({
      json: numbered(count * 1000, sizes[count - 1] ?? 0),
    }));
    const result = await pdi(`network ${argv} -o ndjson`);
    expect(linesOf(result.stdout)).toHaveLength(sizes.reduce((sum, size) => sum + size));
    expect(service.requests).toHaveLength(calls);
  });

  it.each([
    ['network --limit 0', '--limit'],
    ['network --page x', '--page'],
  ])('%s is a usage error', (argv, words) => expectRefused(argv, words));
});
