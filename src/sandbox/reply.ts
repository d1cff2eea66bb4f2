/** How a route answers: with a reply, or with a refusal in the shape of section "Errors", which any step may throw. */
import type { DocumentedOf, RequestOf } from '../contract/endpoint.ts';
import type { OperationName, Operations } from '../contract/operations.ts';
import { errorCodes } from '../contract/service.ts';
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

export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** It is absent if the document names no code: 404 and 500. */
    readonly errorCode?: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = 'Refusal';
  }
}

export const notFound = (what: string): Refusal => new Refusal(404, `${what} does not exist or is not shared with the API`);

export const invalid = (message: string): Refusal => new Refusal(422, message, errorCodes.validationError);
