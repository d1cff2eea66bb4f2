/** Selects the signals of a scope and sorts them. A place is an index in the default order, newest first. */
import { daysSince } from './dataset/calendar.ts';
import { companyIds, investorIds } from './dataset/identifiers.ts';
import type { StoredList } from './dataset/lists.ts';
import { isMatch, readFilters, type StoredSearch } from './dataset/searches.ts';
import type { Dataset } from './dataset.ts';

/** The document does not give the values of `sort`; these are the sandbox's own. */
export const sorts = ['signal_date_desc', 'signal_date_asc', 'signal_score_desc'] as const;
type Sort = (typeof sorts)[number];

/** Places are ascending and never change, so that derived orders can be cached by the array. */
type Scope = Uint32Array;

/** Cached orders make each further page of the same query cheap. */
const keptOrders = 32;

export class SignalOrder {
  private readonly scopes = new WeakMap<StoredList | StoredSearch, Scope>();
  private readonly orders = new WeakMap<Scope, Map<string, Scope>>();
  private whole: Scope | undefined;

  constructor(private readonly dataset: Dataset) {}

  everything(): Scope {
    this.whole ??= Uint32Array.from({ length: this.dataset.signals.total }, (_, place) => place);
    return this.whole;
  }

  /** Returns undefined if the stored filters cannot be parsed. */
  ofSearch(search: StoredSearch): Scope | undefined {
    const wanted = readFilters(search.filters);
    if (wanted === undefined) return undefined;
    const { signals } = this.dataset;
    return this.scopeOf(search, () => this.everything().filter((place) => isMatch(wanted, signals.facts(place))));
  }

  /** Returns the signals about or by the members of a list, even without `entity_id`: a web site or profile URL then names the subject. */
  ofList(list: StoredList): Scope {
    const places = () => [...list.members.keys()].flatMap((id) => [...this.ofMember(list, id)]);
    return this.scopeOf(list, () => Uint32Array.from(new Set(places())).sort());
  }

  private scopeOf(owner: StoredList | StoredSearch, make: () => Scope): Scope {
    const scope = this.scopes.get(owner) ?? make();
    this.scopes.set(owner, scope);
    return scope;
  }

  private ofMember({ kind }: StoredList, id: string): Scope {
    const { signals, names } = this.dataset;
    if (kind === 'people') return signals.ofPerson(names.withId(id) ?? 0);
    if (kind === 'companies') return signals.ofCompany(companyIds.read(id) ?? 0);
    return signals.ofInvestor(investorIds.read(id) ?? 0);
  }

  /** Returns the places between both dates in the wanted order. Equal dates or scores are sorted by `signal_id`. */
  select(scope: Scope, sort: Sort, { after, before }: { readonly after: string | undefined; readonly before: string | undefined }): Scope {
    const from = before === undefined ? 0 : this.firstFrom(scope, daysSince(before));
    const to = after === undefined ? scope.length : this.firstFrom(scope, daysSince(after) + 1);
    if (sort === 'signal_date_desc') return scope.subarray(from, Math.max(from, to));
    return this.kept(scope, `${sort} ${from} ${to}`, () => this.sorted(scope.slice(from, Math.max(from, to)), sort));
  }

  private firstFrom(scope: Scope, days: number): number {
    let low = 0;
    let high = scope.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.dataset.signals.daysAgo(scope[middle] ?? 0) < days) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private sorted(places: Scope, sort: Sort): Scope {
    const { signals } = this.dataset;
    if (sort === 'signal_date_asc') return places.sort((one, other) => signals.daysAgo(other) - signals.daysAgo(one) || one - other);
    const scores = new Map(Array.from(places, (place) => [place, signals.facts(place).score]));
    return places.sort((one, other) => (scores.get(other) ?? 0) - (scores.get(one) ?? 0) || one - other);
  }

  private kept(scope: Scope, name: string, make: () => Scope): Scope {
    const orders = this.orders.get(scope) ?? new Map<string, Scope>();
    const order = orders.get(name) ?? make();
    if (orders.size >= keptOrders) orders.clear();
    this.orders.set(scope, orders.set(name, order));
    return order;
  }
}
