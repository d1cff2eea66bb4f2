/** The only table of failures and exit codes; `pdi help exit-codes` and the README print it. */
export const exitTable = {
  ok: { exit: 0, name: 'ok', when: 'done; also an empty feed or a resolve without matches (--fail-if-empty makes these 4)' },
  internal: { exit: 1, name: 'internal', when: 'a bug, a full disk, an unreadable file, a --deliver program that failed' },
  usage: { exit: 2, name: 'usage', when: 'bad flags or input, 400, 422, a refused or impossible confirmation' },
  auth: { exit: 3, name: 'auth', when: 'no key, 401, 403' },
  not_found: { exit: 4, name: 'not found', when: '404: missing, or not shared with the API' },
  unavailable: {
    exit: 5,
    name: 'unavailable',
    when: "network, timeout, 5xx, a body that is not the API's, health not OK, --wait ran out, a job in which ten calls in a row, or all, got no answer, or the first ten a 404",
  },
  rate_limited: { exit: 6, name: 'rate limited', when: 'still 429 after the allowed waits' },
  credits: { exit: 7, name: 'credits', when: 'OUT_OF_CREDITS, or cap or budget refused or stopped the job' },
  partial: {
    exit: 8,
    name: 'partial',
    when: 'a job ended and some rows are invalid, not found, unknown or failed, or a changed list is not as asked; output is written (see --accept)',
  },
  hung_up: { exit: 129, name: 'hung up', when: 'SIGHUP: the terminal was closed, after flushing; without one it is ignored' },
  interrupted: { exit: 130, name: 'interrupted', when: 'Ctrl-C, after flushing' },
  terminated: { exit: 143, name: 'terminated', when: 'SIGTERM, after flushing' },
} as const;

export type FailureCode = Exclude<keyof typeof exitTable, 'ok'>;

export const exitOf = (code: FailureCode): number => exitTable[code].exit;
