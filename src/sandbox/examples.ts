/** Asks a sandbox with the same data for the examples of the document, so that they are what it answers. */
import type { Endpoint } from '../contract/endpoint.ts';
import { type OperationName, operations } from '../contract/operations.ts';
import { basePath, respond, type SandboxAnswer } from './exchange.ts';
import { keys } from './gate.ts';
import { landmarks } from './landmarks.ts';
import { type SandboxOptions, settle } from './options.ts';
import { createWorld, type World } from './world.ts';

type ParameterValues = Readonly<Record<string, string | number>>;

interface Request {
  readonly path?: ParameterValues;
  readonly query?: ParameterValues;
  readonly body?: unknown;
}

interface Sample extends Request {
  /** Parameters that the request does without, because others exclude them or the answer would be long. */
  readonly others?: ParameterValues;
  /** What to change so that the answer has this status. Where nothing does it, the body is made up. */
  readonly refused?: Readonly<Record<number, Request>>;
}

const { person, company, investor, lists, searches, unknownPerson } = landmarks;

const ofList = (kind: keyof typeof lists): Sample => ({
  path: { listId: lists[kind].shared },
  refused: { 400: { path: { listId: 'no-uuid' } }, 404: { path: { listId: lists[kind].unknown } } },
});

const ofSearch = (searchId: string): Sample => ({
  path: { searchId },
  refused: { 400: { path: { searchId: searches.otherProduct } }, 404: { path: { searchId: searches.unknown } } },
});

const samples: Readonly<Record<OperationName, Sample>> = {
  resolvePeople: { body: { to_resolve: [{ profnet_url: person.url }] }, refused: { 422: { body: { to_resolve: [] } } } },
  readInvestorInterest: {
    query: { page: 0, limit: 2 },
    others: {
      search_id: searches.talent,
      list_id: lists.companies.shared,
      sort: 'signal_date_desc',
      signal_date_after: landmarks.signalDates.first,
      signal_date_before: landmarks.signalDates.last,
    },
    refused: {
      404: { query: { search_id: searches.unknown } },
      422: { query: { limit: 0 } },
      500: { query: { search_id: searches.broken } },
    },
  },
  modifyPeopleList: {
    ...ofList('people'),
    body: { add_ids: [person.id], delete_ids: [] },
    refused: { ...ofList('people').refused, 422: { body: { add_ids: person.id } } },
  },
  getPerson: { path: { personId: person.id }, refused: { 404: { path: { personId: unknownPerson } } } },
  listNetworkPeople: { query: { page: 0, limit: 2, connected_on: 'profnet' }, refused: { 422: { query: { limit: 0 } } } },
  getCompanyLatestRevenue: { path: { companyId: company.withRevenue }, refused: { 404: { path: { companyId: company.unknown } } } },
  getFundingRoundsSearch: ofSearch(searches.fundingRounds),
  getTalentSearch: ofSearch(searches.talent),
  listCompanyLists: {},
  findInvestors: { query: { name: investor.name }, others: { website: investor.website }, refused: { 422: { query: {} } } },
  getInvestorList: ofList('investors'),
  deleteInvestorList: ofList('investors'),
  deletePeopleList: ofList('people'),
  deleteCompanyList: ofList('companies'),
  checkHealth: {},
};

/** Of a list that an example changes, so that the document is the same each time. */
const changedAt = Date.parse(`${landmarks.signalDates.last}T12:00:00Z`);

/** null is a request without key. */
const keyRefusedWith: Readonly<Record<string, string | null>> = { 401: null, 403: keys.noPermission, default: keys.noCredits };

export class Examples {
  constructor(
    private readonly options: SandboxOptions,
    private readonly data: Pick<World, 'dataset' | 'order'>,
  ) {}

  success(name: OperationName): unknown {
    return bodyOf(send(this.world(), name, samples[name]));
  }

  /** The report of a service that does not work. */
  report(name: OperationName): unknown {
    return bodyOf(send(this.world({ faults: [{ name: 'relational-store', probability: 1 }] }), name, samples[name]));
  }

  /** `default` stands for the refusal without credits. The body is undefined where no request is refused so. */
  refusal(name: OperationName, status: string): { readonly headers: SandboxAnswer['headers']; readonly body: unknown } {
    const refused = this.refused(name, status);
    const isAsWanted = String(refused.status) === (status === 'default' ? '402' : status);
    return { headers: refused.headers, body: isAsWanted ? bodyOf(refused) : undefined };
  }

  parameter(name: OperationName, parameter: string): string | number | undefined {
    const { path, query, others } = samples[name];
    return { ...others, ...query, ...path }[parameter];
  }

  body(name: OperationName): unknown {
    return samples[name].body;
  }

  private refused(name: OperationName, status: string): SandboxAnswer {
    const sample = samples[name];
    const key = keyRefusedWith[status];
    if (key !== undefined) return send(this.world(), name, sample, key);
    if (status !== '429') return send(this.world(), name, { ...sample, ...sample.refused?.[Number(status)] });
    const world = this.world({ rateLimit: 1, now: () => 0 });
    send(world, name, sample);
    return send(world, name, sample);
  }

  /** Each answer is of a sandbox that was not asked before. */
  private world(options: SandboxOptions = {}): World {
    const untroubled = { rateLimit: undefined, credits: undefined, faults: [], faultRule: undefined, outOfCreditsStatus: undefined };
    return createWorld(settle({ now: () => changedAt, ...this.options, ...untroubled, ...options }), this.data);
  }
}

function send(world: World, name: OperationName, { path = {}, query = {}, body }: Request, key: string | null = keys.full): SandboxAnswer {
  const endpoint: Endpoint = operations[name];
  const place = endpoint.path.replace(/\{(\w+)\}/g, (_whole, parameter: string) => encodeURIComponent(path[parameter] ?? ''));
  const search = new URLSearchParams(Object.entries(query).map(([parameter, value]): [string, string] => [parameter, String(value)]));
  const url = `${basePath}${place}${search.size === 0 ? '' : `?${search}`}`;
  return respond(world, { method: endpoint.method, url, key: key ?? undefined, body: body === undefined ? '' : JSON.stringify(body) });
}

const bodyOf = ({ text }: SandboxAnswer): unknown => (text === '' ? undefined : JSON.parse(text));
