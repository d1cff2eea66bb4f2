/**
 * An OpenAPI document as a judge of requests and answers: nothing of the program is used here, only the document and ajv.
 * Each judgement is a list of problems, empty where all is as documented.
 */
import { Ajv2020, type AnySchema, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import * as z from 'zod/mini';

const schema = z.record(z.string(), z.unknown());
const parameter = z.looseObject({
  name: z.string(),
  in: z.enum(['path', 'query']),
  required: z.optional(z.boolean()),
  schema,
  example: z.optional(z.union([z.string(), z.number()])),
});
const content = z.strictObject({
  'application/json': z.strictObject({
    schema,
    example: z.custom<unknown>((value) => value !== undefined),
  }),
});
const header = z.looseObject({ required: z.boolean(), schema, example: z.number() });
const response = z.strictObject({
  description: z.string(),
  content: z.optional(content),
  headers: z.optional(z.record(z.string(), header)),
});
const operation = z.strictObject({
  operationId: z.string(),
  summary: z.string(),
  description: z.string().check(z.minLength(1)),
  tags: z.array(z.string()).check(z.length(1)),
  'x-billing': z.string(),
  'x-empty-page': z.optional(z.string()),
  security: z.optional(z.array(schema)),
  parameters: z.optional(z.array(parameter)),
  requestBody: z.optional(z.strictObject({ required: z.literal(true), content })),
  responses: z.record(z.string(), response),
});
const description = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: schema,
});

export type Operation = z.infer<typeof operation> & {
  readonly method: string;
  readonly path: string;
};

/** A request as it was on the wire; `path` is below the base URL and has the query. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly hasKey: boolean;
  readonly body: string;
}

interface Answered {
  readonly status: number;
  readonly headers?: Headers;
  /** undefined for an empty body. */
  readonly json: unknown;
}

export interface Description {
  readonly operations: readonly Operation[];
  operation(name: string): Operation;
  /** The key of the answer's status in the document: itself, its range or `default`; undefined where none is documented. */
  statusOf(operation: Operation, status: number): string | undefined;
  requestProblems(sent: Sent): {
    readonly operation: Operation | undefined;
    readonly problems: readonly string[];
  };
  answerProblems(operation: Operation, answered: Answered): readonly string[];
  /** Of every example: of parameters, bodies, headers and answers. */
  exampleProblems(): readonly string[];
}

/** Throws for a document that is not laid out as this reader expects. */
export function readDescription(document: unknown): Description {
  const { paths, components } = z.parse(description, document);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, found]): Operation => ({ ...found, method: method.toUpperCase(), path }),
    ),
  );
  const judge = new Judge(components);
  return {
    operations,
    operation(name) {
      const found = operations.find(({ operationId }) => operationId === name);
      if (found === undefined) throw new Error(`no operation ${name} in the document`);
      return found;
    },
    statusOf,
    requestProblems: (sent) => requestProblems(judge, operations, sent),
    answerProblems: (called, answered) => answerProblems(judge, called, answered),
    exampleProblems: () => operations.flatMap((called) => operationExampleProblems(judge, called)),
  };
}

/** Values against schemas of the document. */
class Judge {
  readonly #strict = judging({});
  /** Texts of a URL or a header count as the numbers that they spell. */
  readonly #coercing = judging({ coerceTypes: true });
  readonly #compiled = new Map<AnySchema, ValidateFunction>();

  constructor(readonly components: unknown) {}

  body(of: AnySchema, value: unknown): readonly string[] {
    // References start at the root of the document, of which only the components are ever meant.
    const validate = this.#once(of, () =>
      this.#strict.compile({ allOf: [of], components: this.components }),
    );
    return validate(value)
      ? []
      : (validate.errors ?? []).map(
          ({ instancePath, message }) => `body${instancePath} ${message}`,
        );
  }

  text(name: string, of: AnySchema, value: string): readonly string[] {
    const validate = this.#once(of, () =>
      this.#coercing.compile({ type: 'object', properties: { value: of } }),
    );
    return validate({ value })
      ? []
      : (validate.errors ?? []).map(({ message }) => `${name} ${message}`);
  }

  #once(of: AnySchema, compile: () => ValidateFunction): ValidateFunction {
    const validate = this.#compiled.get(of) ?? compile();
    this.#compiled.set(of, validate);
    return validate;
  }
}

function judging(options: Options): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, ...options });
  addFormats.default(ajv);
  return ajv.addVocabulary(['components', 'example']);
}

function statusOf({ responses }: Operation, status: number): string | undefined {
  return [String(status), `${String(status).charAt(0)}XX`, 'default'].find((key) =>
    Object.hasOwn(responses, key),
  );
}

function answerProblems(
  judge: Judge,
  called: Operation,
  { status, headers, json }: Answered,
): readonly string[] {
  const documented = called.responses[statusOf(called, status) ?? ''];
  if (documented === undefined) return [`status ${status} is not documented`];
  const missing = Object.entries(documented.headers ?? {}).flatMap(
    ([name, { required, schema: of }]) => {
      const value = headers?.get(name) ?? undefined;
      return value === undefined
        ? required
          ? [`header ${name} is missing`]
          : []
        : judge.text(`header ${name}`, of, value);
    },
  );
  // No content in the document: the body is open.
  const of = documented.content?.['application/json'].schema;
  return [...missing, ...(of === undefined ? [] : judge.body(of, json))];
}

function operationExampleProblems(
  judge: Judge,
  { operationId, parameters = [], requestBody, responses }: Operation,
): readonly string[] {
  const media = [
    ['request', requestBody?.content] as const,
    ...Object.entries(responses).map(([status, { content: of }]) => [status, of] as const),
  ];
  return within(operationId, [
    ...parameters.flatMap(({ name, schema: of, example }) =>
      example === undefined ? [] : within(name, judge.body(of, example)),
    ),
    ...Object.values(responses).flatMap(({ headers = {} }) =>
      Object.entries(headers).flatMap(([name, { schema: of, example }]) =>
        judge.text(name, of, String(example)),
      ),
    ),
    ...media.flatMap(([name, of]) => {
      const found = of?.['application/json'];
      return found === undefined ? [] : within(name, judge.body(found.schema, found.example));
    }),
  ]);
}

const within = (place: string, problems: readonly string[]): readonly string[] =>
  problems.map((problem) => `${place}: ${problem}`);

/** The values of a path's parameters by name; undefined where it is another path. */
function pathValues(template: string, path: string): Readonly<Record<string, string>> | undefined {
  const pattern = template.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  const match = new RegExp(`^${pattern}$`).exec(path);
  return match === null
    ? undefined
    : Object.fromEntries(
        Object.entries(match.groups ?? {}).map(([name, value]) => [
          name,
          decodeURIComponent(value),
        ]),
      );
}

function requestProblems(
  judge: Judge,
  operations: readonly Operation[],
  sent: Sent,
): ReturnType<Description['requestProblems']> {
  const { pathname, searchParams } = new URL(`http://origin.example${sent.path}`);
  for (const called of operations) {
    const values = called.method === sent.method ? pathValues(called.path, pathname) : undefined;
    if (values === undefined) continue;
    const keyProblem =
      (called.security?.length === 0) === sent.hasKey
        ? [`the key is ${sent.hasKey ? 'sent' : 'missing'}`]
        : [];
    const problems = [
      ...keyProblem,
      ...parameterProblems(judge, called, values, searchParams),
      ...bodyProblems(judge, called, sent.body),
    ];
    return { operation: called, problems };
  }
  return { operation: undefined, problems: [`${sent.method} ${pathname} is not documented`] };
}

function parameterProblems(
  judge: Judge,
  { parameters = [] }: Operation,
  path: Readonly<Record<string, string>>,
  query: URLSearchParams,
) {
  const unknown = [...query.keys()].filter(
    (name) => !parameters.some((known) => known.in === 'query' && known.name === name),
  );
  const wrong = parameters.flatMap(({ name, in: place, required, schema: of }) => {
    const given = place === 'path' ? [path[name] ?? ''] : query.getAll(name);
    if (given.length === 0) return required === true ? [`${name} is missing`] : [];
    return [
      ...(given.length > 1 ? [`${name} is repeated`] : []),
      ...given.flatMap((value) => judge.text(name, of, value)),
    ];
  });
  return [...unknown.map((name) => `${name} is not documented`), ...wrong];
}

function bodyProblems(judge: Judge, { requestBody }: Operation, text: string): readonly string[] {
  if (requestBody === undefined) return text === '' ? [] : ['a body is sent'];
  if (text === '') return ['the body is missing'];
  const value: unknown = JSON.parse(text);
  return judge.body(requestBody.content['application/json'].schema, value);
}
