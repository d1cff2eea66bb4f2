/** Everything outside that `main` uses: `bin/pdi.js` passes it in, and tests make it up. Nothing else in `src` touches `process`. */
import type { Readable, Writable } from 'node:stream';

interface TerminalOutput {
  readonly isTTY?: boolean;
  readonly columns?: number;
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
  /** The absolute paths of Node and of our script, with which another program starts this one. */
  readonly program: { readonly node: string; readonly script: string };
  /** Relative paths count from here. It is asked where it is needed, because the folder may be gone. */
  currentDirectory(): string;
  /** Whoever is held up by this run is told it. It decides nothing. */
  readonly pid: number;
  /** It is asked at the start whether one of the three streams is a terminal, because a closed stream is none any more. */
  readonly onTerminal: boolean;
  /** Calls `listener` for each of these signals until the returned function is called. */
  onSignal(listener: (signal: Signal) => void): () => void;
  exitNow(code: number): void;
  /** It is called before the first connection, when the runtime can be set up for it. */
  beforeConnecting?(): void;
  /** It is called before each connection. A name lookup should take no longer than this. */
  limitLookup?(milliseconds: number): void;
}
