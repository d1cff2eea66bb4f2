import { describe, expect, it } from 'vitest';
import { landmarks } from '../sandbox/landmarks.ts';
import { objectOf, sandbox } from '../support/service.ts';

const { withRevenue, withoutRevenue } = landmarks.company;

describe('revenue', () => {
  it('one id gives one object', async () => {
    const { service, pdi } = await sandbox();
    const result = await pdi(['revenue', withRevenue]);
    expect({ code: result.code, stderr: result.stderr }).toEqual({ code: 0, stderr: '' });
    expect(objectOf(result)).toMatchObject({ id: withRevenue, est_revenue_usd: expect.any(Number) });
    expect(service.bill()).toHaveLength(1);
  });

  it('a company without revenue data is a good answer, with null in every figure', async () => {
    const { pdi } = await sandbox();
    const result = await pdi(['revenue', withoutRevenue]);
    expect(result.code).toBe(0);
    expect(objectOf(result)).toMatchObject({ id: withoutRevenue, est_revenue_usd: null, revenue_type: null });
    const csv = await pdi(['revenue', withoutRevenue, '-o', 'csv', '--fields', 'id,est_revenue_usd']);
    expect(csv.stdout).toBe(`input,id,est_revenue_usd,pdi_status,pdi_error\r\n${withoutRevenue},${withoutRevenue},,ok,\r\n`);
  });

  it('reads the column company_id, then id, of a CSV', async () => {
    const { service, pdi } = await sandbox();
    const result = await pdi('revenue -i - -o csv --fields company_name', { stdin: `name,company_id\nZoe,${withRevenue}\n` });
    expect(result.code).toBe(0);
    expect(result.stdout).toMatch(/^name,company_id,company_name,pdi_status,pdi_error\nZoe,company-1,Example.*,ok,\n$/);
    expect(service.bill()).toMatchObject([{ item: withRevenue }]);
  });
});
