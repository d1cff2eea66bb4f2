interface Ending {
  readonly exit: number;
  readonly name: string;
  readonly when: string;
  /** The rest of a job would meet it too, so nothing more is sent. */
  readonly endsJob: boolean;
  /** client/failure.ts judges only the answer, so any command that calls may get it: a wrong base URL is 404, OUT_OF_CREDITS ends free calls too. */
  readonly ofCalls: boolean;
  /** The exit code of a signal replaces it; the user must always see the others. */
  readonly yieldsToSignal: boolean;
}

/** The only table of failures and exit codes; `pdi help exit-codes` and the README print it. */
export const exitTable = {
  ok: {
    exit: 0,
    name: 'ok',
    when: 'done; also an empty feed or a resolve without matches (--fail-if-empty makes these 4)',
    ...{ endsJob: false, ofCalls: false, yieldsToSignal: false },
  },
  internal: {
    exit: 1,
    name: 'internal',
    when: 'a bug, a full disk, an unreadable file, a --deliver program that failed',
    ...{ endsJob: true, ofCalls: false, yieldsToSignal: false },
  },
  usage: {
    exit: 2,
    name: 'usage',
    when: 'bad flags or input, 400, 422, a refused or impossible confirmation',
    ...{ endsJob: false, ofCalls: false, yieldsToSignal: false },
  },
  auth: {
    exit: 3,
    name: 'auth',
    when: 'no key, 401, 403',
    ...{ endsJob: true, ofCalls: true, yieldsToSignal: false },
  },
  not_found: {
    exit: 4,
    name: 'not found',
    when: '404: missing, or not shared with the API',
    ...{ endsJob: false, ofCalls: true, yieldsToSignal: true },
  },
  unavailable: {
    exit: 5,
    name: 'unavailable',
    when: "network, timeout, 5xx, a body that is not the API's, health not OK, --wait ran out, a job in which ten calls in a row, or all, got no answer, or the first ten a 404",
    ...{ endsJob: false, ofCalls: true, yieldsToSignal: true },
  },
  rate_limited: {
    exit: 6,
    name: 'rate limited',
    when: 'still 429 after the allowed waits',
    ...{ endsJob: true, ofCalls: true, yieldsToSignal: false },
  },
  credits: {
    exit: 7,
    name: 'credits',
    when: 'OUT_OF_CREDITS, or cap or budget refused or stopped the job',
    ...{ endsJob: true, ofCalls: true, yieldsToSignal: false },
  },
  partial: {
    exit: 8,
    name: 'partial',
    when: 'a job ended and some rows are invalid, not found, unknown or failed, or a changed list is not as asked; output is written (see --accept)',
    ...{ endsJob: false, ofCalls: false, yieldsToSignal: true },
  },
  hung_up: {
    exit: 129,
    name: 'hung up',
    when: 'SIGHUP: the terminal was closed, after flushing; without one it is ignored',
    ...{ endsJob: false, ofCalls: true, yieldsToSignal: false },
  },
  interrupted: {
    exit: 130,
    name: 'interrupted',
    when: 'Ctrl-C, after flushing',
    ...{ endsJob: true, ofCalls: true, yieldsToSignal: true },
  },
  terminated: {
    exit: 143,
    name: 'terminated',
    when: 'SIGTERM, after flushing',
    ...{ endsJob: false, ofCalls: true, yieldsToSignal: false },
  },
} as const satisfies Readonly<Record<string, Ending>>;

export type FailureCode = Exclude<keyof typeof exitTable, 'ok'>;

export const exitOf = (code: FailureCode): number => exitTable[code].exit;
