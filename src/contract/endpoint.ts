/** What one operation of the API is, as data. The client, the sandbox, the commands and the checks all read this. */
import type * as z from 'zod/mini';
import type { Column } from './columns.ts';
import { errorCodes } from './service.ts';

/** Section "What the service does": named free, named charged, or neither. Decides retries and what may be billed. */
export type Billing = 'free' | 'charged' | 'unstated';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** A path parameter's shape, and what the service answers when a value does not have it. */
export interface PathParameter {
  readonly shape: 'opaque' | 'person' | 'uuid' | 'integer';
  /** No `errorCode` where the document names none. */
  readonly malformed: { readonly status: number; readonly errorCode?: string };
}

/** One documented operation. A list operation's answer is a bare array of records. */
export interface Endpoint {
  /** In the words of the API document, section "Endpoints". */
  readonly title: string;
  readonly method: Method;
  /** Below the base URL, parameters in braces. */
  readonly path: string;
  readonly billing: Billing;
  /** `none` for the one operation that needs no key: none is sent. */
  readonly key?: 'none';
  readonly pathParameters?: Readonly<Record<string, PathParameter>>;
  /** Strict: what may be sent. Values are strings and numbers. */
  readonly query?: z.ZodMiniObject;
  /** Strict: what may be sent as JSON. */
  readonly body?: z.ZodMiniObject;
  /** The body of a success. Loose: unknown fields survive. */
  readonly response: z.ZodMiniType;
  /** Statuses outside 2xx whose body is `response` too. */
  readonly alsoReports?: readonly number[];
  /** `open` where the success body is not documented: any JSON, any words, or none. */
  readonly successBody?: 'open';
  /** Where the status of a success is not documented either; it is 200 elsewhere. */
  readonly successStatus?: 'open';
  /** Error codes by status, beside those that follow from key, parameters and body (`refusals.ts`); none where not documented. */
  readonly refusals?: Readonly<Record<number, readonly string[]>>;
  readonly result: 'one' | 'list';
  /** Where a page is the billing unit and an empty one is not billed. */
  readonly emptyPage?: 'not_billed';
  /** Records that a page holds at most, where that is documented; elsewhere the service may cut a page below the `limit` asked. */
  readonly maxLimit?: number;
  /** The field that tells two records apart, for lists that shift between pages. */
  readonly identity?: string;
  readonly columns: readonly Column[];
  /** A card of its own for a single record on a terminal; others are a list of fields. */
  readonly card?: CardName;
  /** What a list of its records ends with on a terminal. */
  readonly picture?: PictureName;
}

/** The resources whose card is more than a list of fields. */
export type CardName = 'person' | 'revenue';

/** The summaries that are drawn: counts as small bars. */
export type PictureName = 'signals' | 'network' | 'company lists';

/** The names between braces in a path: `/people/{personId}` gives `personId`. */
export type PathNames<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | PathNames<Rest> : never;

/** What a caller gives for one call of an operation. */
export type RequestOf<E extends Endpoint> = {
  readonly path: Readonly<Record<PathNames<E['path']>, string>>;
} & (E extends { readonly query: infer Q extends z.ZodMiniType } ? { readonly query: z.input<Q> } : unknown) &
  (E extends { readonly body: infer B extends z.ZodMiniType } ? { readonly body: z.input<B> } : unknown);

/** The body an operation answers with. */
export type ResponseOf<E extends Endpoint> = z.infer<E['response']>;

/** An identifier without a documented shape: one that the service does not hold is not found. */
export const opaqueId = { shape: 'opaque', malformed: { status: 404 } } as const satisfies PathParameter;

/** A person id, of which only the beginning is documented. */
export const personParameter = { shape: 'person', malformed: { status: 404 } } as const satisfies PathParameter;

/** Section "Errors": 400 `INVALID_LIST_UUID`. */
export const listUuid = {
  shape: 'uuid',
  malformed: { status: 400, errorCode: errorCodes.invalidListUuid },
} as const satisfies PathParameter;
