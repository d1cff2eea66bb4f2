/** Endpoint 15: GET /health. */
import type { StoreFault } from '../faults.ts';
import type { HandlersOf } from '../handler.ts';

export const healthRoutes: HandlersOf<'checkHealth'> = {
  checkHealth(_request, { faults }) {
    const stateOf = (store: StoreFault) => (faults.isDown(store) ? 'ERROR' : 'OK');
    const stores = { relational_store: stateOf('relational-store'), analytics_store: stateOf('analytics-store') };
    const isUp = stores.relational_store === 'OK' && stores.analytics_store === 'OK';
    return { status: isUp ? 200 : 503, body: { status: isUp ? 'OK' : 'ERROR', ...stores } };
  },
};
