/** `pdi api`: an operation that is made of METHOD and PATH goes on the road of any other command. */
import { text as textIn } from 'node:stream/consumers';
import { askedBy } from '../book/buyer.ts';
import { hashOf } from '../book/calls.ts';
import {
  documentedAt,
  faultOfPart,
  madeOperation,
  namesIn,
  readPath,
  withValues,
} from '../contract/any-path.ts';
import type { ApiMethod, Endpoint } from '../contract/endpoint.ts';
import {
  bareName,
  type Invalid,
  isBlankCell,
  notSent,
  plainIdentifier,
} from '../contract/identifier.ts';
import { type OperationWords, operations } from '../contract/operations.ts';
import type { Billing } from '../contract/price.ts';
import { attempt, listed, pluralize, shellWord, UsageError } from '../errors.ts';
import { interruptedAtInput, openBytes } from '../input/content.ts';
import { jsonText, parseJson } from '../json/exact.ts';
import { cleanLine } from '../output/clean.ts';
import type { InputRow } from '../rows/row.ts';
import { refuseFiles, type Source } from './input-source.ts';
import { type LookupQuestion, lookupJob } from './lookup.ts';
import type { Plan } from './plan.ts';
import { call, runPages, type WantedPages } from './run-calls.ts';
import { runJob } from './run-job.ts';
import type { Tools } from './tools.ts';

interface ApiRequest {
  readonly method: ApiMethod;
  readonly path: string;
  /** For the names in braces. */
  readonly given: readonly string[];
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly body?: string | undefined;
  readonly billing?: Billing | undefined;
  readonly confirmed: boolean;
  readonly wanted: WantedPages;
  readonly source: Omit<Source, 'identifiers'>;
  readonly commands: OperationWords;
}

/** @throws UsageError for what may lead elsewhere, for another price than the documented one, and where nobody confirms a change */
export async function runApi(plan: Plan, tools: Tools, asked: ApiRequest): Promise<void> {
  const { method, given, wanted, source, commands } = asked;
  const { baseUrl } = await tools.service();
  const body = await readBody(asked, tools);
  const typed = anyCall(asked, baseUrl, body);
  const { show, rules } = plan;
  const countedAs = `${show.command} ${typed.endpoint.title}`;
  const isCharged = asked.billing === undefined && (await wasBilled(countedAs, tools));
  const { names, endpoint, documented, ask } = isCharged
    ? anyCall({ ...asked, billing: 'charged' }, baseUrl, body)
    : typed;
  const own: Plan =
    documented === undefined
      ? { ...plan, rules: { ...rules, countedAs } }
      : { ...plan, show: { ...show, command: commands[documented].words } };
  refuseMisfit(names, asked);
  const job = lookupJob({ endpoint, identifierColumns: names.slice(0, 1), ask });
  const rows = {
    identifiers: given,
    ...source,
    ...(names.length > 1 && { named: names }),
  };
  const isJob = source.input !== undefined || (names.length === 1 && given.length > 1);
  const [text = '', ...others] = given;
  const question = isJob ? undefined : ask(text, { others: others.map((one) => ({ text: one })) });
  if (question !== undefined && 'invalid' in question)
    throw notSent(question.invalid, question.hint ?? 'correct it', asked.path);
  const isPaged = wanted.isMany || (wanted.page ?? wanted.limit) !== undefined;
  if (isPaged && (isJob || (documented !== undefined && endpoint.query?.shape.page === undefined)))
    throw notSent(
      '--all, --page and --limit are for one question that has pages',
      'leave them out',
    );
  await confirm(asked, plan.isDry, tools);
  if (question === undefined) return runJob(own, tools, job, rows);
  const { request } = question;
  if (isPaged) {
    const paged = (page: object) => ({ ...request, query: { ...request.query, ...page } });
    return runPages(own, tools, { endpoint, wanted, ask: paged });
  }
  const [id] = Object.values(request.path);
  // As its own command asks: it is compared what the answer is about.
  if (documented !== undefined && endpoint.askedBy !== undefined && id !== undefined)
    return runJob(own, tools, { ...job, ask: () => question }, { identifiers: [id] });
  const isDeletion = documented !== undefined && method === 'DELETE';
  const standIn = isDeletion ? { list_id: id, deleted: true } : undefined;
  await call(own, tools, { endpoint, request, standIn });
}

/** One method and path, with names in braces that each row fills. */
function anyCall(
  { method, path: written, fields: given, billing, wanted }: ApiRequest,
  baseUrl: string,
  body: string | undefined,
) {
  const { parts, query } = readPath(written, new URL(baseUrl).pathname);
  const fields = [...query, ...given].sort(([one], [other]) => one.localeCompare(other));
  const names = namesIn([...parts, ...fields.map(([, value]) => value), body ?? '']);
  const documented = documentedAt(method, parts);
  const endpoint: Endpoint =
    documented === undefined
      ? madeOperation(
          method,
          parts,
          billing,
          wanted.isMany,
          hashOf(jsonText([parts, fields, body ?? ''])),
        )
      : operations[documented];
  if (billing !== undefined && billing !== endpoint.billing)
    throw notSent(
      `${endpoint.title} has a documented price: ${endpoint.billing}`,
      'leave --billing out',
      '--billing',
    );

  const ask = (
    text: string,
    { others = [] }: Pick<InputRow, 'others'>,
  ): LookupQuestion | Invalid => {
    const cells = [{ text, invalid: undefined }, ...others];
    const values = new Map<string, string>();
    for (const [at, name] of names.entries()) {
      const { text: cell = '', invalid } = cells[at] ?? {};
      const value = bareName(cell);
      if (invalid !== undefined) return { invalid };
      if (isBlankCell(value, name)) return { invalid: `nothing stands for {${name}}` };
      if (/^[+-]?\d+(?:[.,]\d+)?E\+\d+$/i.test(value))
        return { invalid: 'a rounded number: export the column as text' };
      values.set(name, value);
    }
    const filled = parts.map((part) => withValues(part, values));
    const fault = filled.flatMap((part) => faultOfPart(part) ?? [])[0];
    if (fault !== undefined) return { invalid: fault };
    if ((documentedAt(method, filled) ?? documented) !== documented)
      return {
        invalid: `/${filled.join('/')} has a price of its own`,
        hint: 'write that into PATH',
      };
    const path: Record<string, string> = {};
    for (const [at, word] of endpoint.path.slice(1).split('/').entries()) {
      const [, name] = /^\{(\w+)\}$/.exec(word) ?? [];
      if (name === undefined) continue;
      const shape = endpoint.pathParameters?.[name]?.shape;
      const part = filled[at] ?? '';
      const found = shape === undefined ? { text: part } : plainIdentifier(part, shape);
      if ('invalid' in found) return found;
      path[name] = found.text;
    }
    const query: Record<string, readonly string[]> = {};
    for (const [name, value] of fields)
      query[name] = [...(query[name] ?? []), withValues(value, values)];
    const json =
      body === undefined
        ? undefined
        : withValues(body, values, (value) => jsonText(value).slice(1, -1));
    const sent = json === undefined ? undefined : attempt(() => parseJson(json));
    if (json !== undefined && sent === undefined)
      return {
        invalid: `--body is no JSON: ${json}`,
        hint: 'a text stands in quotes: {"email": "{email}"}',
      };
    const { page: _, limit: __, ...about } = query;
    const subjects = [
      ...Object.values(path).reverse(),
      ...Object.values(about).flat(),
      ...values.values(),
    ];
    const request = {
      path,
      ...(fields.length > 0 && { query }),
      ...(sent !== undefined && { body: sent }),
      about: subjects.find((id) => id.startsWith('per_')) ?? subjects[0],
    };
    try {
      const checked = endpoint.check?.(request, (name) => `-f ${name}`) ?? request;
      const { item } = askedBy({ endpoint, request: checked });
      const ofRow =
        documented === undefined && names.length === 1 ? [...values.values()][0] : undefined;
      return { key: ofRow ?? item + (json ?? ''), endpoint, request: checked };
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      return { invalid: error.message };
    }
  };
  return { names, documented, endpoint, ask };
}

/** One path has one price: what an earlier run said of it holds until another is said. */
async function wasBilled(countedAs: string, { book, isSandbox }: Tools): Promise<boolean> {
  const reports = (await book.ifThere())?.reports;
  const sums = await reports?.spend({ by: ['command'], sandbox: isSandbox });
  return sums?.some(({ command, billed }) => command === countedAs && billed > 0) === true;
}

/** A text that begins as JSON does is the body itself; else it names a file. */
async function readBody(
  { body, source: { input } }: ApiRequest,
  { io, stop }: Tools,
): Promise<string | undefined> {
  if (body === undefined || /^\s*[[{"]/.test(body)) return body;
  if (body === '-' && input === '-') throw new UsageError('--body and -i cannot both read stdin');
  const source = await openBytes(body, io, stop);
  const text = await textIn(source.chunks);
  if (source.stopped()) throw interruptedAtInput();
  return text.replace(/^\ufeff/, '');
}

/** @throws UsageError where values and names do not fit each other */
function refuseMisfit(
  names: readonly string[],
  { method, path, given, source: { input } }: ApiRequest,
): void {
  const count = given.length;
  if (names.length === 0 && (count > 0 || input !== undefined))
    throw notSent('no {NAME} is there to be filled in', "write PATH as '/companies/{id}'");
  refuseFiles(given, { command: `api ${method} ${shellWord(path)}`, flag: '-i' });
  if (input !== undefined || count === names.length || (names.length === 1 && count > 0)) return;
  const braces = names.map((name) => `{${name}}`).join(', ');
  throw notSent(
    `${pluralize(count, 'value')} for ${braces}`,
    'give one for each behind PATH, or a file with -i',
  );
}

/** @throws UsageError where nobody says yes to what may change something */
async function confirm(
  { method, path, confirmed, given, source: { input } }: ApiRequest,
  isDry: boolean,
  { io, stop, mayAsk, service }: Tools,
): Promise<void> {
  if (method === 'GET' || confirmed || isDry) return;
  if (!mayAsk) throw notSent(`${method} ${path} was not confirmed`, 'pass --yes to send it', path);
  const { askLine } = await import('../config/ask.ts');
  await (await service()).key();
  const rows = listed(input === undefined ? given : [`each row of ${input}`]);
  const question = cleanLine(`${method} ${path} (values: ${rows}) may change what is there.`);
  if ((await askLine(io, `${question} Type yes to go on: `, stop)).trim() !== 'yes')
    throw new UsageError('nothing was sent: the answer was not yes');
}
