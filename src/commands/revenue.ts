/** `pdi revenue` reads a company's latest revenue figures; each id is one charged call. */
import { lookupCommand } from './lookup.ts';

export const revenue = lookupCommand({
  words: 'revenue',
  summary: 'latest revenue figures by company id (charged, 1 a call)',
  brief: 'company revenue (charged)',
  description: "Read companies' latest revenue figures. Charged: one call a distinct id.",
  argument: ['companyId', 'company ids of the service'],
  identifierColumns: ['company_id', 'id'],
  endpoint: async () => (await import('../contract/revenue.ts')).getCompanyLatestRevenue,
  request: (companyId) => ({ path: { companyId } }),
  examples: [
    ['pdi revenue company-1', 'one company'],
    ['pdi revenue -i accounts.csv --column company_id -o csv --out revenue.csv', 'a CSV round trip'],
    ["pdi revenue company-1 -o json | jq '.est_revenue_usd'", 'one figure'],
  ],
});
