/** Checks what the types of arguments do not tell. The commands refuse the same. */
import type { RequestParts } from '../../client/request.ts';
import { bare, bareName } from '../../contract/bare.ts';
import { type Invalid, plainIdentifier, requireShape } from '../../contract/identifier.ts';
import type { OperationName } from '../../contract/operations.ts';
import { type Classified, classify, type IdentifierName } from '../../contract/person-identifier.ts';
import { objectionToWebsite } from '../../contract/website.ts';
import { UsageError } from '../../errors.ts';
import { isObject } from '../../json/parse.ts';
import { shown } from './arguments.ts';

/** They give the request with its bare values, as the commands send them. @throws UsageError for contradicting or malformed values */
export const requestRules: Readonly<Partial<Record<OperationName, (request: RequestParts) => RequestParts>>> = {
  readInvestorInterest: (request) => {
    const { search_id: search, list_id: list, signal_date_after: after, signal_date_before: before } = request.query ?? {};
    if (search !== undefined && list !== undefined) {
      throw mistake('search_id and list_id exclude each other', 'the service would ignore the list: make two calls');
    }
    if (after !== undefined && before !== undefined && String(after) > String(before)) {
      throw mistake('signal_date_after is later than signal_date_before', 'both days are inclusive');
    }
    const scope = {
      ...(search !== undefined && { search_id: requireShape('integer', String(search), 'search_id') }),
      ...(list !== undefined && { list_id: requireShape('uuid', String(list), 'list_id') }),
    };
    return { ...request, query: { ...request.query, ...scope } };
  },
  findInvestors: (request) => {
    const { name, website } = request.query ?? {};
    const query = name === undefined ? { website: bare(String(website ?? '')) } : { name: bareName(String(name)) };
    if ((name !== undefined && website !== undefined) || Object.values(query).includes('')) {
      throw mistake('give one of name and website', 'what the service does with both or neither is not documented');
    }
    const objection = query.website === undefined ? undefined : objectionToWebsite(query.website);
    if (objection !== undefined) throw mistake(`website ${shown(query.website)}: ${objection}`, 'give a name as name');
    return { ...request, query };
  },
  modifyPeopleList: (request) => {
    const { add_ids: add, delete_ids: remove } = isObject(request.body) ? request.body : {};
    const [added, removed] = [idsIn(add), idsIn(remove)];
    if (added.length + removed.length === 0) throw mistake('there is nothing to change', 'give person ids in add_ids or delete_ids');
    const both = added.find((id) => removed.includes(id));
    if (both !== undefined) throw mistake(`${shown(both)} is both to be added and to be deleted`, 'name it once');
    return { ...request, body: { ...(added.length > 0 && { add_ids: added }), ...(removed.length > 0 && { delete_ids: removed }) } };
  },
};

const kinds: Readonly<Record<string, IdentifierName>> = {
  profnet_url: 'url',
  profnet_id: 'id',
  profnet_num_id: 'num-id',
  profnet_urn: 'urn',
};

/** The identifier of one item of `resolve`. @throws UsageError unless it has exactly one, well-formed */
export function identifierIn(item: unknown): Classified {
  const given = isObject(item) ? Object.entries(item) : [];
  const [name = '', value] = given[0] ?? [];
  if (given.length !== 1)
    throw mistake(`to_resolve: ${shown(item)} needs exactly one identifier`, `one of ${Object.keys(kinds).join(', ')}`);
  // JSON was read before it came here, so the digits of a larger number are lost.
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw mistake(`to_resolve: ${shown(item)} is not exact`, 'use another form');
  return checked(classify(String(value), kinds[name]), item);
}

function checked(found: Classified | Invalid, item: unknown): Classified {
  if ('invalid' in found) throw mistake(`to_resolve: ${shown(item)}: ${found.invalid}`, found.hint ?? 'correct it, or leave it out');
  return found;
}

function idsIn(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : []).map((id) => {
    const found = plainIdentifier(String(id), 'person');
    if (!('invalid' in found)) return found.text;
    throw mistake(`${shown(id)}: ${found.invalid}`, found.hint ?? 'give person ids');
  });
}

const mistake = (message: string, hint: string): UsageError => new UsageError(message, { hint: `nothing was sent; ${hint}` });
