/** Collects all handlers, and leads from a raw request to one of them. */
import type { RequestOf } from '../contract/endpoint.ts';
import { type OperationName, type Operations, operations } from '../contract/operations.ts';
import type { Handler, Handlers, RouteReply } from './handler.ts';
import { feedRoutes } from './routes/feed.ts';
import { healthRoutes } from './routes/health.ts';
import { investorRoutes } from './routes/investors.ts';
import { listRoutes } from './routes/lists.ts';
import { networkRoutes } from './routes/network.ts';
import { personRoutes } from './routes/person.ts';
import { resolveRoutes } from './routes/resolve.ts';
import { revenueRoutes } from './routes/revenue.ts';
import { searchRoutes } from './routes/searches.ts';
import { type RawRequest, requireValid } from './validation.ts';
import type { World } from './world.ts';

const handlers: Handlers = {
  ...resolveRoutes,
  ...personRoutes,
  ...feedRoutes,
  ...revenueRoutes,
  ...investorRoutes,
  ...listRoutes,
  ...searchRoutes,
  ...networkRoutes,
  ...healthRoutes,
};

/** Validates a request and returns its execution. @throws Refusal if the request breaks the contract */
export function prepare<N extends OperationName>(operation: N, request: RawRequest, world: World): () => RouteReply<unknown> {
  const endpoint: Operations[N] = operations[operation];
  const handle: Handler<N> = handlers[operation];
  requireValid(endpoint, request);
  const valid: RequestOf<Operations[N]> = request;
  return () => handle(valid, world);
}
