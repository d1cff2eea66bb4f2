/** Defines a route: an operation's answer as a function of its request and the world. */
import type { DocumentedOf, RequestOf } from '../contract/endpoint.ts';
import type { OperationName, Operations } from '../contract/operations.ts';
import type { World } from './world.ts';

export interface RouteReply<T> {
  readonly status: number;
  readonly body: T;
}

/** A handler is synchronous, so that a call is executed and billed in one step. @throws Refusal for everything except success */
export type Handler<N extends OperationName> = (request: RequestOf<Operations[N]>, world: World) => RouteReply<DocumentedOf<Operations[N]>>;

/** A new operation in the contract does not compile until it has a handler. */
export type Handlers = { readonly [N in OperationName]: Handler<N> };

export const ok = <T>(body: T): RouteReply<T> => ({ status: 200, body });
