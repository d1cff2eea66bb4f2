/** Asks a sandbox with the same data for the examples of the document, so that they are what it answers. */
import type { Endpoint } from '../contract/endpoint.ts';
import { type OperationName, operations } from '../contract/operations.ts';
import { momentAgo } from './dataset/calendar.ts';
import type { Dataset } from './dataset.ts';
import { basePath, respond, type SandboxAnswer } from './exchange.ts';
import { keys } from './gate.ts';
import { type SandboxOptions, settle } from './options.ts';
import { type Example, type ExampleRequest, routes } from './routes.ts';
import { createWorld, type World } from './world.ts';

/** Of a list that an example changes, so that the document is the same each time. */
const changedAt = Date.parse(momentAgo(0, 12));

/** null is a request without key. */
const keyRefusedWith: Readonly<Record<string, string | null>> = { 401: null, 403: keys.noPermission, default: keys.noCredits };

export class Examples {
  constructor(
    private readonly options: SandboxOptions,
    private readonly dataset: Dataset,
  ) {}

  success(name: OperationName): unknown {
    return bodyOf(send(this.world(), name, routes[name].example));
  }

  /** The report of a service that does not work. */
  report(name: OperationName): unknown {
    return bodyOf(send(this.world({ faults: [{ name: 'relational-store', probability: 1 }] }), name, routes[name].example));
  }

  /** `default` stands for the refusal without credits. The body is undefined where no request is refused so. */
  refusal(name: OperationName, status: string): { readonly headers: SandboxAnswer['headers']; readonly body: unknown } {
    const refused = this.refused(name, status);
    const isAsWanted = String(refused.status) === (status === 'default' ? '402' : status);
    return { headers: refused.headers, body: isAsWanted ? bodyOf(refused) : undefined };
  }

  private refused(name: OperationName, status: string): SandboxAnswer {
    const { example: sample }: { readonly example: Example } = routes[name];
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
    return createWorld(settle({ now: () => changedAt, ...this.options, ...untroubled, ...options }), this.dataset);
  }
}

function send(
  world: World,
  name: OperationName,
  { path = {}, query = {}, body }: ExampleRequest,
  key: string | null = keys.full,
): SandboxAnswer {
  const endpoint: Endpoint = operations[name];
  const place = endpoint.path.replace(/\{(\w+)\}/g, (_whole, parameter: string) => encodeURIComponent(path[parameter] ?? ''));
  const search = new URLSearchParams(Object.entries(query).map(([parameter, value]): [string, string] => [parameter, String(value)]));
  const url = `${basePath}${place}${search.size === 0 ? '' : `?${search}`}`;
  return respond(world, { method: endpoint.method, url, key: key ?? undefined, body: body === undefined ? '' : JSON.stringify(body) });
}

const bodyOf = ({ text }: SandboxAnswer): unknown => (text === '' ? undefined : JSON.parse(text));
