import type * as z from 'zod/mini';
import type { JsonObject } from '../json/exact.ts';
import { type Column, id, numericId, personId, uuid } from './columns.ts';
import type { Priced } from './price.ts';

export interface PathParameter {
  readonly shape: 'company' | 'person' | 'uuid' | 'integer';
  readonly malformed: { readonly status: number; readonly errorCode?: string };
  /** What shows such ids, where that is not the service alone. */
  readonly shownBy?: string;
}

/** Only the beginning of a person id is documented, and nothing of a company's. */
export const shapeSchemas: Readonly<Record<PathParameter['shape'], z.ZodMiniType>> = {
  company: id(),
  person: personId(),
  uuid: uuid(),
  integer: numericId(),
};

export interface RequestParts {
  readonly path: Readonly<Record<string, string>>;
  readonly query?: JsonObject;
  readonly body?: unknown;
  /** What it is about, where no operation says where that stands. */
  readonly about?: string | undefined;
}

export interface Endpoint extends Priced {
  readonly title: string;
  /** What its records are, as a sheet of them is called. */
  readonly records: string;
  /** What an id gives, in the words of a person. */
  readonly noun?: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly key?: 'none';
  readonly pathParameters?: Readonly<Record<string, PathParameter>>;
  readonly query?: z.ZodMiniObject;
  /** For query parameters that the service reads in several spellings: the one by which values are compared. */
  readonly spelling?: Readonly<Record<string, (value: string) => string>>;
  readonly body?: z.ZodMiniObject;
  /** Gives the request with bare values; `named` is how the caller calls a parameter (`--after`). @throws UsageError */
  readonly check?: (request: RequestParts, named: (parameter: string) => string) => RequestParts;
  readonly response: z.ZodMiniType;
  /** An answer with a field of another type is no answer; elsewhere such a field is told, and the answer used. */
  readonly mustFit?: true;
  /** With these statuses outside 2xx, the body is `response` too. */
  readonly alsoReports?: readonly number[];
  /** Not documented: `open` is any JSON, any text, or empty, `any` is any JSON, and null where it is empty. */
  readonly successBody?: 'open' | 'any';
  /** No document has it: its columns are the fields of the first answer. */
  readonly isMade?: true;
  /** Where one path has several operations: the name of this one, for jobs. */
  readonly asks?: string;
  /** Not documented; elsewhere it is 200. */
  readonly successStatus?: 'open';
  readonly refusals?: Readonly<Record<number, readonly string[]>>;
  readonly result: 'one' | 'list';
  readonly stored?: true;
  /** The most records on a page; where none is documented, the service may return fewer than the `limit`. */
  readonly maxLimit?: number;
  /** This field identifies a record in lists that shift between pages. */
  readonly identity?: string;
  readonly columns: readonly Column[];
  /** They move without meaning: what changed in a record does not count them. */
  readonly fleeting?: readonly string[];
  /** Lists of objects whose fields the document does not all name. */
  readonly openLists?: readonly string[];
  readonly members?: Members;
  /** Of a record that answers a row of a job: the fields that repeat what was asked, of which the first filled one counts. */
  readonly askedBy?: readonly string[];
  readonly card?: readonly CardSection[];
  /** Columns whose values are counted in a picture below a table: none of them a flag or a count. */
  readonly picture?: readonly string[];
}

export interface Members {
  readonly field: string;
  readonly columns: readonly Column[];
}

/** Of the card of one record: columns in lines, with labels (`fields`), or a line for each element of `list`. */
export interface CardSection {
  readonly title: string;
  readonly list?: string;
  readonly lines?: readonly (readonly string[])[];
  readonly fields?: readonly string[];
}

export interface Question {
  readonly endpoint: Endpoint;
  readonly request: RequestParts;
}

type PathNames<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never;

export type RequestOf<E extends Endpoint> = {
  readonly path: Readonly<Record<PathNames<E['path']>, string>>;
} & (E extends { readonly query: infer Q extends z.ZodMiniType }
  ? { readonly query: z.input<Q> }
  : unknown) &
  (E extends { readonly body: infer B extends z.ZodMiniType }
    ? { readonly body: z.input<B> }
    : unknown);

/** The sandbox answers so; of an answer of the service nothing is known before it is looked at. */
export type DocumentedOf<E extends Pick<Endpoint, 'response'>> = z.infer<E['response']>;

/** As jobs and their files are told apart. */
export const jobName = ({ method, path, asks = '' }: Endpoint): string =>
  `${method} ${path}${asks}`;
