/** Endpoint 6: GET /companies/{companyId}/latest-revenue. */
import { type HandlersOf, ok } from '../handler.ts';
import { notFound } from '../refusal.ts';

export const revenueRoutes: HandlersOf<'getCompanyLatestRevenue'> = {
  getCompanyLatestRevenue({ path: { companyId } }, { dataset: { companies } }) {
    const revenue = companies.revenue(companyId);
    if (revenue === undefined) throw notFound(`Company ${companyId}`);
    return ok(revenue);
  },
};
