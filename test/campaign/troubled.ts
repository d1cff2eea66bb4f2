/** A sandbox that runs into trouble after so many answers, until that is mended; it bills what it answered, heard or not. */
import type { SandboxOptions } from '../../src/sandbox/server.ts';
import type { BillEntry } from '../../src/sandbox/world.ts';
import { type Answer, startOrigin } from '../support/origin.ts';
import { stillSandbox } from '../support/service.ts';
import { forwarded } from './pause.ts';

/** What may become of calls; `the connection breaks` before the service does anything, `answers are lost` after. */
export const troubles = [
  'credits run out',
  'the key is refused',
  'the limit stays',
  'the service goes away',
  'the connection breaks',
  'answers are lost',
] as const;
type Trouble = (typeof troubles)[number];

export interface TroubledSandbox {
  readonly baseUrl: string;
  bill(): readonly BillEntry[];
  /** How many answers were lost. */
  lost(): number;
  mend(): void;
  stop(): Promise<void>;
}

export interface TroubleAt {
  /** So many answers are good. */
  readonly good: number;
  /** What meets the calls after them; unset, nothing does. */
  readonly trouble?: Trouble | undefined;
  /** Done when the last good answer is ready, and before it is sent. */
  readonly meanwhile?: (() => void) | undefined;
}

const refusals: Readonly<Partial<Record<Trouble, Answer>>> = {
  'credits run out': { status: 402, json: { errorCode: 'OUT_OF_CREDITS' } },
  'the key is refused': { status: 401, json: {} },
  'the limit stays': { status: 429, headers: { 'x-ratelimit-reset': '0' }, json: {} },
  'the service goes away': { status: 503, json: {} },
};

export async function troubledSandbox(
  options: SandboxOptions,
  { good, trouble, meanwhile }: TroubleAt,
): Promise<TroubledSandbox> {
  const sandbox = await stillSandbox(options);
  let [left, lost, isMended] = [good, 0, false];
  const origin = await startOrigin(async (request, response) => {
    left -= 1;
    const isLast = left === 0;
    const struck = left < 0 && !isMended ? trouble : undefined;
    if (struck !== undefined && refusals[struck] !== undefined) return refusals[struck];
    if (struck !== 'the connection breaks') {
      const answer = await forwarded(sandbox, request);
      if (isLast) meanwhile?.();
      if (struck === undefined) return answer;
      lost += 1;
    }
    response.destroy();
    return undefined;
  });
  return {
    baseUrl: origin.baseUrl,
    bill: () => sandbox.bill(),
    lost: () => lost,
    mend: () => {
      isMended = true;
    },
    async stop() {
      await origin.close();
      await sandbox.stop();
    },
  };
}
