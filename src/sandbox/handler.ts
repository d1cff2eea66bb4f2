/** What a route is: an operation's answer as a function of its request and the world. Types only. */
import type { RequestOf, ResponseOf } from '../contract/endpoint.ts';
import type { OperationName, Operations } from '../contract/operations.ts';
import type { World } from './world.ts';

export interface RouteReply<T> {
  readonly status: number;
  /** undefined: no body at all. */
  readonly body: T;
}

/**
 * Called with a request that the contract accepts, by a key that may call it; throws a Refusal for anything else than
 * success. Synchronous, so that a call is executed and billed in one step.
 */
export type Handler<N extends OperationName> = (request: RequestOf<Operations[N]>, world: World) => RouteReply<ResponseOf<Operations[N]>>;

/** One handler for each operation: a new operation in the contract does not compile until it has one. */
export type Handlers = { readonly [N in OperationName]: Handler<N> };

/** The handlers of one word of the API. */
export type HandlersOf<N extends OperationName> = Pick<Handlers, N>;

export const ok = <T>(body: T): RouteReply<T> => ({ status: 200, body });
