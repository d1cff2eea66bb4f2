/** Everything outside that `main` uses: `bin/pdi.js` passes it in, and tests make it up. Nothing else in `src` touches `process`. */
import type { Readable, Writable } from 'node:stream';

interface TerminalOutput {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

export const defaultWidth = 80;

/** Some programs make a terminal without a size, which says 0. */
export const widthOf = ({ columns }: TerminalOutput): number => columns || defaultWidth;

export type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?(mode: boolean): unknown };
  readonly stdout: Writable & TerminalOutput;
  readonly stderr: Writable & TerminalOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly homeDirectory: string | undefined;
  readonly nodeVersion: string;
  /** What stands before the words of a command: Node and its script, or one file that is both. */
  readonly program: readonly [string, ...string[]];
  /** Asked where it is needed, because the folder may be gone. */
  currentDirectory(): string;
  /** Told to whoever this run holds up; it decides nothing. */
  readonly pid: number;
  /** One of the three streams was a terminal at the start: a closed stream is none any more. */
  readonly onTerminal: boolean;
  onSignal(listener: (signal: Signal) => void): () => void;
  exitNow(code: number): void;
  /** Called before the first connection, when the runtime can be set up for it. */
  beforeConnecting?(): void;
  limitLookup?(milliseconds: number): void;
}
