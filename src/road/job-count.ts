/** Counts a job before it runs: for its plan, for the cap, and because next to nothing of a file may be what can be asked for. */
import { mayCost } from '../contract/price.ts';
import type { Input } from '../rows/row.ts';
import type { Job, Keyed } from './ask.ts';
import { planJob, printPlan } from './dry-run.ts';
import type { InputSource, Source } from './input-source.ts';
import { peekJobJournal } from './job-journal.ts';
import type { Plan } from './plan.ts';
import { type CountedJob, refusalOfUnusable } from './refusal.ts';
import type { Spending } from './spending.ts';
import type { Tools } from './tools.ts';

/** `--dry-run` shows the requests for this many questions, or the first request if it carries more. */
const maxShown = 10;

interface Counting {
  readonly allowed?: number;
  /** Of a beginning of so many rows. */
  readonly most?: number;
  /** Looks up what was bought before, which only a plan and a refusal say. */
  readonly tellsBought?: boolean;
}

export class JobCount<Q extends Keyed> {
  constructor(
    private readonly plan: Plan,
    private readonly tools: Tools,
    private readonly job: Job<Q>,
    private readonly source: InputSource,
    private readonly origin: Source,
    private readonly spending: Spending,
  ) {}

  /** Counts the job. @throws UsageError where next to nothing of it can be asked for */
  async checked(counting?: Counting) {
    const counted = await this.counted(counting);
    const refusal = this.refusalOf(counted);
    if (refusal !== undefined) throw refusal;
    return counted;
  }

  readonly refusalOf = (counted: CountedJob) =>
    refusalOfUnusable(counted, this.origin, this.job.identifierColumns);

  async counted({ allowed, most, tellsBought = false }: Counting = {}) {
    const { plan, tools, job, source, spending } = this;
    const { endpoint, perRequest } = job;
    const journal =
      !mayCost(endpoint) || source.isSingle
        ? undefined
        : await peekJobJournal(plan, tools, endpoint);
    const fate = async (question: Q) => {
      const journaled = journal?.find(question.key)?.status;
      if (journaled !== undefined && journaled !== 'unknown') return 'in_journal';
      const [request] = endpoint.stored === true ? job.requests([question]) : [];
      const inBook = request && (await spending.inBook({ endpoint, request }));
      // Another run may have bought since what this job lost, or the service's log may lack it.
      const isLost =
        journaled !== undefined &&
        !(request && (await spending.buyer.isCleared({ endpoint, request })));
      return inBook ?? (isLost ? 'lost' : undefined);
    };
    const boughtAt = async (question: Q) => {
      const [request] = job.requests([question]);
      return request && spending.boughtAt({ endpoint, request });
    };
    // Of a beginning nothing is asked of the book.
    const ofBook =
      most === undefined
        ? { fate, ...(tellsBought && endpoint.stored === true && { boughtAt }) }
        : {};
    const keep = Math.max(maxShown, perRequest);
    try {
      const planned = async (input: Input['batches'], header?: readonly string[]) => ({
        ...(await planJob(job, { input, ...ofBook, allowed, keep })),
        header,
      });
      return await (most === undefined ? source.readAhead(planned) : source.sample(most, planned));
    } finally {
      journal?.close();
    }
  }

  /** `isResolvedOnly`: each that is found is bought then. @throws as `printPlan` */
  async print(isResolvedOnly: boolean): Promise<void> {
    const { plan, tools, job } = this;
    const { plan: counted, open } = await this.checked({ tellsBought: true });
    const calls = job.requests(open).map((request) => ({ endpoint: job.endpoint, request }));
    const { requests, distinct } = counted;
    const counts = isResolvedOnly
      ? { ...counted, free_requests: requests, requests: requests + distinct, billable: distinct }
      : counted;
    await printPlan(plan, tools, calls, { job: counts, omitted: counts.requests - calls.length });
  }
}
