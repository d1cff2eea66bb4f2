/** Describes one operation of the API as data, for the client, the sandbox, the commands and the checks. */
import type * as z from 'zod/mini';
import type { JsonObject } from '../json/exact.ts';
import { type Column, id, numericId, personId, uuid } from './columns.ts';

/** Section "What the service does" names an operation free, charged, or neither. This decides retries and possible cost. */
export type Billing = 'free' | 'charged' | 'unstated';

/** A path parameter's shape, and the answer of the service to a value without that shape. */
export interface PathParameter {
  readonly shape: 'company' | 'person' | 'uuid' | 'integer';
  /** There is no `errorCode` if the document names none. */
  readonly malformed: { readonly status: number; readonly errorCode?: string };
}

/** Only the beginning of a person id is documented, and nothing of a company's. */
export const shapeSchemas: Readonly<Record<PathParameter['shape'], z.ZodMiniType>> = {
  company: id(),
  person: personId(),
  uuid: uuid(),
  integer: numericId(),
};

/** The values of a request of any operation. */
export interface RequestParts {
  readonly path: Readonly<Record<string, string>>;
  readonly query?: JsonObject;
  readonly body?: unknown;
}

/** One documented operation. A list operation answers with a bare array of records. */
export interface Endpoint {
  readonly title: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly billing: Billing;
  /** Only one operation needs no key, and then none is sent. */
  readonly key?: 'none';
  readonly pathParameters?: Readonly<Record<string, PathParameter>>;
  /** Query and body are strict. Query values are strings and numbers. */
  readonly query?: z.ZodMiniObject;
  /** For query parameters that the service reads in several spellings: the one spelling of a value, to compare it. */
  readonly spelling?: Readonly<Record<string, (value: string) => string>>;
  readonly body?: z.ZodMiniObject;
  /**
   * What the types of its values do not tell. It gives the request with bare values. `named` says how the caller calls a parameter: the
   * command line `--after`, an agent `signal_date_after`. @throws UsageError for values that contradict
   */
  readonly check?: (request: RequestParts, named: (parameter: string) => string) => RequestParts;
  /** The body of a success. Answers are asked for complaints alone, and an undocumented field is none. */
  readonly response: z.ZodMiniType;
  /** An answer with a field of another type is no answer. Without it such a field is told, and the answer is used. */
  readonly mustFit?: true;
  /** With these statuses outside 2xx, the body is `response` too. */
  readonly alsoReports?: readonly number[];
  /** The success body is not documented, so it may be any JSON, any text, or empty. */
  readonly successBody?: 'open';
  /** The status of a success is not documented. Without this field it is 200. */
  readonly successStatus?: 'open';
  /** Error codes by status, in addition to those that follow from the other fields and from the status. */
  readonly refusals?: Readonly<Record<number, readonly string[]>>;
  readonly result: 'one' | 'list';
  /** Its answers are kept in the book, and taken from there instead of being bought again. */
  readonly stored?: true;
  /** The service bills by page and does not bill an empty page. */
  readonly emptyPage?: 'not_billed';
  /** The documented maximum of records on a page. Without it, the service may return fewer than the `limit`. */
  readonly maxLimit?: number;
  /** This field identifies a record in lists that shift between pages. */
  readonly identity?: string;
  readonly columns: readonly Column[];
  /** Lists of objects whose fields the document does not all name. */
  readonly openLists?: readonly string[];
  /** Set if a record holds a list that tables and files show instead: a row a member. */
  readonly members?: Members;
  /** Set if a record may answer a row of a job: the fields that repeat what was asked, of which the first filled one counts. */
  readonly askedBy?: readonly string[];
  readonly card?: readonly CardSection[];
  readonly picture?: Picture;
}

export interface Members {
  readonly field: string;
  readonly columns: readonly Column[];
}

/** A part of the card of one record: columns in lines, with labels (`fields`), or lines for each element of `list`. */
export interface CardSection {
  readonly title: string;
  readonly list?: string;
  readonly lines?: readonly (readonly string[])[];
  readonly fields?: readonly string[];
}

/** A terminal shows how the records of a list are spread, in columns that are named here, and a column's total. */
export interface Picture {
  readonly noun: string;
  readonly by: readonly string[];
  readonly total?: string;
}

/** What is asked of the service. */
export interface Question {
  readonly endpoint: Endpoint;
  readonly request: RequestParts;
}

/** Returns the names between braces in a path: `/people/{personId}` gives `personId`. */
type PathNames<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | PathNames<Rest> : never;

export type RequestOf<E extends Endpoint> = {
  readonly path: Readonly<Record<PathNames<E['path']>, string>>;
} & (E extends { readonly query: infer Q extends z.ZodMiniType } ? { readonly query: z.input<Q> } : unknown) &
  (E extends { readonly body: infer B extends z.ZodMiniType } ? { readonly body: z.input<B> } : unknown);

/** What the document says of an answer. The sandbox answers so; of an answer of the service, nothing is known before it is looked at. */
export type DocumentedOf<E extends Pick<Endpoint, 'response'>> = z.infer<E['response']>;
