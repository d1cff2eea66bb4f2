/** `pdi api`: an operation that is made of METHOD and PATH goes on the road of any other command. */
import { askedBy } from '../book/buyer.ts';
import { hashOf } from '../book/calls.ts';
import {
  documentedAt,
  faultOfPart,
  madeOperation,
  namesIn,
  pathOf,
  readPath,
  withValues,
} from '../contract/any-path.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import {
  bareName,
  type Invalid,
  isBlankCell,
  isFlag,
  notSent,
  plainIdentifier,
} from '../contract/identifier.ts';
import { type OperationName, type OperationWords, operations } from '../contract/operations.ts';
import type { Billing } from '../contract/price.ts';
import { attempt, listed, shellWord } from '../errors.ts';
import { wholeText } from '../input/content.ts';
import { jsonText, parseJson } from '../json/exact.ts';
import { cleanLine } from '../output/clean.ts';
import type { InputRow } from '../rows/row.ts';
import { refuseFiles, type Source } from './input-source.ts';
import { type LookupQuestion, lookupJob } from './lookup.ts';
import type { Plan } from './plan.ts';
import { call, runPages, type WantedPages } from './run-calls.ts';
import { runJob } from './run-job.ts';
import { requireYes } from './store.ts';
import type { Tools } from './tools.ts';

interface ApiRequest extends Omit<Source, 'identifiers'> {
  readonly method: Endpoint['method'];
  readonly address: string;
  /** For the names in braces. */
  readonly texts: readonly string[];
  readonly parameter?: readonly (readonly [name: string, value: string])[];
  readonly body?: string | undefined;
  readonly billing?: Billing | undefined;
  readonly yes?: true | undefined;
  readonly pages: WantedPages;
}

/** @throws UsageError for what may lead elsewhere, for another price than the documented one, and where nobody confirms a change */
export async function runApi(
  plan: Plan,
  tools: Tools,
  commands: OperationWords,
  apiRequest: ApiRequest,
): Promise<void> {
  const { texts, pages } = apiRequest;
  const operation = await anyOperation(apiRequest, tools);
  const { names, endpoint, documented } = operation;
  const { show, rules } = plan;
  const own: Plan =
    documented === undefined
      ? { ...plan, rules: { ...rules, countedAs: `api ${endpoint.title}` } }
      : { ...plan, show: { ...show, command: commands[documented].words } };
  const isJob = apiRequest.input !== undefined || (names.length === 1 && texts.length > 1);
  refuseUnfilled(apiRequest, names, isJob);
  const ask = askOf(operation);
  const [text = '', ...others] = texts;
  const question = isJob ? undefined : ask(text, { others: others.map((one) => ({ text: one })) });
  if (question !== undefined && 'invalid' in question)
    throw notSent(question.invalid, question.hint ?? 'correct it', apiRequest.address);
  const isPaged = pages.isMany || (pages.page ?? pages.limit) !== undefined;
  if (isPaged && isJob)
    throw notSent('pages are of one question', 'leave --all, --page and --limit out');
  if (!plan.isDry) await requireYesOf(apiRequest, tools);
  const job = lookupJob({ endpoint, identifierColumns: names.slice(0, 1), ask });
  const named = names.length > 1 ? names : undefined;
  if (question === undefined)
    return runJob(own, tools, job, { identifiers: texts, ...apiRequest, named });
  const request = endpoint.check?.(question.request, (name) => `-f ${name}`) ?? question.request;
  if (isPaged) {
    const paged = (page: object) => ({ ...request, query: { ...request.query, ...page } });
    return runPages(own, tools, { endpoint, pages, ask: paged });
  }
  const [id] = Object.values(request.path);
  // As its own command asks: it is compared what the answer is about.
  if (documented !== undefined && endpoint.askedBy !== undefined && id !== undefined)
    return runJob(own, tools, { ...job, ask: () => question }, { identifiers: [id] });
  const isDeletion = documented !== undefined && apiRequest.method === 'DELETE';
  const standIn = isDeletion ? { list_id: id, deleted: true } : undefined;
  await call(own, tools, { endpoint, request, standIn });
}

/** @throws UsageError where not each name has a value, or a file stands for one */
function refuseUnfilled(
  { method, address, texts, input }: ApiRequest,
  names: readonly string[],
  isJob: boolean,
): void {
  const isUnfilled =
    input === undefined
      ? !isJob && texts.length !== names.length
      : names.length === 0 || texts.length > 0;
  if (isUnfilled)
    throw notSent(
      `to be filled in: ${listed(names)}; given: ${listed(input === undefined ? texts : [...texts, input])}`,
      'give a value for each {NAME} behind PATH, or a file with -i',
    );
  refuseFiles(texts, { command: `api ${method} ${shellWord(address)}`, flag: '-i' });
}

async function requireYesOf({ method, address, yes }: ApiRequest, tools: Tools): Promise<void> {
  if (method === 'GET' || yes === true) return;
  const what = `${method} ${address}`;
  const unasked = notSent(`${what} was not confirmed`, 'pass --yes to send it', what);
  const question = `${cleanLine(what)} may change what is there.`;
  await requireYes(question, unasked, 'nothing was sent', tools);
}

/** One method and path, with names in braces that each row fills. */
interface AnyOperation {
  readonly names: readonly string[];
  readonly parts: readonly string[];
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly body: string | undefined;
  readonly documented: OperationName | undefined;
  readonly endpoint: Endpoint;
}

async function anyOperation(apiRequest: ApiRequest, tools: Tools): Promise<AnyOperation> {
  const { method, parameter = [], body: given, billing, pages } = apiRequest;
  if (given === '-' && apiRequest.input === '-')
    throw notSent('--body and -i both read stdin', 'name a file');
  // A text that begins as JSON does is the body itself; else it names a file.
  const isText = given === undefined || /^\s*[[{"]/.test(given);
  const body = isText ? given : await wholeText(given, tools.io, tools.stop);
  const { pathname } = new URL((await tools.service()).baseUrl);
  const { parts, query } = readPath(apiRequest.address, pathname);
  const fields = [...query, ...parameter].sort(([one], [other]) => one.localeCompare(other));
  const all = [...parts, ...fields.flat(), body].join('\n');
  const documented = documentedAt(method, parts);
  const path = pathOf(parts);
  const endpoint: Endpoint =
    documented === undefined
      ? madeOperation({
          method,
          path,
          billing: billing ?? (await earlierPrice(`api ${method} ${path}`, tools)),
          result: pages.isMany ? 'list' : 'one',
          asks: ` ${hashOf(all)}`,
        })
      : operations[documented];
  if (billing !== undefined && billing !== endpoint.billing)
    throw notSent(
      `${endpoint.title} has a documented price: ${endpoint.billing}`,
      'leave --billing out',
    );
  return { names: namesIn(all), parts, fields, body, documented, endpoint };
}

const askOf =
  (operation: AnyOperation) =>
  (text: string, { others = [] }: Pick<InputRow, 'others'>): LookupQuestion | Invalid => {
    const { names, fields, body, documented, endpoint } = operation;
    const values = valuesOf(names, [{ text }, ...others]);
    if ('invalid' in values) return values;
    const path = pathIn(operation, values);
    if ('invalid' in path) return path;
    const query: Record<string, readonly string[]> = {};
    for (const [name, value] of fields)
      query[name] = [...(query[name] ?? []), withValues(value, values)];
    const json = withValues(body ?? 'null', values, (value) => jsonText(value).slice(1, -1));
    const sent = attempt(() => parseJson(json));
    if (sent === undefined)
      return {
        invalid: `--body is no JSON: ${json}`,
        hint: 'a text stands in quotes: {"email": "{email}"}',
      };
    const inPath = Object.values(path.filled);
    const subjects = [...inPath.reverse(), ...values.values(), ...Object.values(query).flat()];
    const request = {
      path: path.filled,
      ...(fields.length > 0 && { query }),
      ...(body !== undefined && { body: sent }),
      about: subjects.find((id) => id.startsWith('per_')) ?? subjects[0],
    };
    const { item } = askedBy({ endpoint, request });
    const isOfOne = documented === undefined && names.length === 1;
    const ofBody = body === undefined ? item : `${item} ${json}`;
    return { key: isOfOne ? [...values.values()].join() : ofBody, endpoint, request };
  };

/** The parameters of the path, filled, or why they cannot be. */
function pathIn(
  { parts, documented, endpoint }: AnyOperation,
  values: ReadonlyMap<string, string>,
): { readonly filled: Readonly<Record<string, string>> } | Invalid {
  const texts = parts.map((part) => withValues(part, values));
  const [fault] = texts.flatMap((part) => faultOfPart(part) ?? []);
  if (fault !== undefined) return { invalid: fault };
  if ((documentedAt(endpoint.method, texts) ?? documented) !== documented)
    return { invalid: `${texts.join('/')} has a price of its own`, hint: 'write that into PATH' };
  const filled: Record<string, string> = {};
  for (const [at, word] of endpoint.path.slice(1).split('/').entries()) {
    if (!word.startsWith('{')) continue;
    const [name, part = ''] = [word.slice(1, -1), texts[at]];
    const shape = endpoint.pathParameters?.[name]?.shape;
    const found = shape === undefined ? { text: part } : plainIdentifier(part, shape);
    if ('invalid' in found) return found;
    filled[name] = found.text;
  }
  return { filled };
}

/** What stands for each name, or why the row cannot be asked about. */
function valuesOf(
  names: readonly string[],
  cells: NonNullable<InputRow['others']>,
): ReadonlyMap<string, string> | Invalid {
  const values = new Map<string, string>();
  for (const [at, name] of names.entries()) {
    const { text = '', invalid } = { ...cells[at] };
    const value = bareName(text);
    if (invalid !== undefined) return { invalid };
    if (/^\d[\d.,]*E\+\d+$/i.test(value)) return { invalid: 'a rounded number: export it as text' };
    if (isFlag(value)) return { invalid: 'a flag of a command, not a value' };
    if (isBlankCell(value, name)) return { invalid: `nothing stands for {${name}}` };
    values.set(name, value);
  }
  return values;
}

/** One path has one price: what was billed under its name before is charged until something else is said. */
async function earlierPrice(countedAs: string, { book, isSandbox }: Tools): Promise<Billing> {
  const reports = (await book.ifThere())?.reports;
  const sums = (await reports?.spend({ by: ['command'], sandbox: isSandbox })) ?? [];
  const isCharged = sums.some(({ command, billed }) => command === countedAs && billed > 0);
  return isCharged ? 'charged' : 'unstated';
}
