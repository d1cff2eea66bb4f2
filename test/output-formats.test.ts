/** Every command of the contract's table in every format, against an origin that answers as the API document says. */
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { documented, everyCommand, exactDigits } from './commands/every-command.ts';
import { key, linesOf, origin } from './support/service.ts';

describe.each(everyCommand)(
  '$name',
  ({ argv, method, path, body, answer, record = answer, shown, columns, kept, job, name }) => {
    const ask = async (more: readonly string[], terminal = false) => {
      const { service, pdi } = await origin(documented);
      return { service, result: await pdi([...argv, ...more], { terminal, columns: 100 }) };
    };

    it('makes the documented request, and one only', async () => {
      const { service } = await ask([]);
      expect(service.requests.map((request) => [request.method, request.path])).toEqual([
        [method, `/api/v1${path}`],
      ]);
      const [request] = service.requests;
      expect(request?.headers['x-api-key']).toBe(name === 'health' ? undefined : key);
      expect(request?.body === '' ? undefined : JSON.parse(request?.body ?? '')).toEqual(body);
      expect(request?.headers['content-type']).toBe(
        body === undefined ? undefined : 'application/json',
      );
    });

    it('json: the whole body as it was sent, in a pipe by default', async () => {
      for (const flags of [[], ['-o', 'json']]) {
        const { code, stdout, stderr } = (await ask(flags)).result;
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
        expect(JSON.parse(stdout)).toEqual(JSON.parse(record));
        for (const digits of exactDigits) expect(stdout).toContain(digits);
        expect(stdout).toMatch(/[\]}]\n$/);
      }
    });

    it('ndjson: one record a line', async () => {
      const { code, stdout, stderr } = (await ask(['-o', 'ndjson'])).result;
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const sent: unknown = JSON.parse(record);
      expect(linesOf(stdout).map((line) => JSON.parse(line))).toEqual(
        Array.isArray(sent) ? sent : [sent],
      );
      for (const digits of exactDigits) expect(stdout).toContain(digits);
    });

    it('csv: the fixed columns', async () => {
      const { code, stdout, stderr } = (await ask(['-o', 'csv'])).result;
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const rows: string[][] = parse(stdout);
      const all = kept === true ? [...columns, 'pdi_fetched_at'] : columns;
      expect(rows[0]).toEqual(job === true ? ['input', ...all, 'pdi_status', 'pdi_error'] : all);
      expect(rows).toHaveLength(2);
      expect(rows[1]).toContain(shown);
      if (job) expect(rows[1]?.slice(-2)).toEqual(['ok', '']);
    });

    it('table: the default on a terminal, as wide as that, with whole ids', async () => {
      const { code, stdout, stderr } = (await ask([], true)).result;
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain(shown);
      expect(Math.max(...linesOf(stdout).map((line) => line.length))).toBeLessThanOrEqual(100);
      const piped = (await ask(['-o', 'table'])).result;
      expect([piped.code, piped.stdout.includes(shown)]).toEqual([0, true]);
    });
  },
);
