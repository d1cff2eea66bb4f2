/** The world as `main` sees it: passed in by `bin/pdi.js`, made up by tests. Nothing else in `src` touches `process`. */
import type { Readable, Writable } from 'node:stream';

export interface TerminalInput {
  readonly isTTY?: boolean;
  setRawMode?(mode: boolean): unknown;
}

export interface TerminalOutput {
  readonly isTTY?: boolean;
  /** Width in cells, on a terminal. */
  readonly columns?: number;
}

/** The terminal's width where nobody tells it. */
export const defaultWidth = 80;

/** Cells in a line of a terminal, or of what is no terminal. One without a size, as some programs make them, says 0. */
export const widthOf = ({ columns }: TerminalOutput): number => columns || defaultWidth;

export type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

export interface Io {
  readonly stdin: Readable & TerminalInput;
  readonly stdout: Writable & TerminalOutput;
  readonly stderr: Writable & TerminalOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  /** Undefined where neither HOME nor the system knows one; looked up when asked for. */
  readonly homeDirectory: string | undefined;
  /** Of the Node that runs, without a `v`. */
  readonly nodeVersion: string;
  /** For lock files: who we are, and whether a process of this machine still runs. */
  readonly processes: { readonly pid: number; isAlive(pid: number): boolean };
  /** Whether one of the three streams is a terminal: asked at the start, since one that was closed is none any more. */
  readonly onTerminal: boolean;
  /** Calls `listener` for each of these signals until the returned function is called. */
  onSignal(listener: (signal: Signal) => void): () => void;
  /** Ends the process at once; for the second Ctrl-C or SIGTERM only. */
  exitNow(code: number): void;
  /** Writes to standard output without opening its stream, as far as that goes at once; gives what is left. Throws the system's error. */
  writeNow?(text: string): string | Uint8Array;
  /** Milliseconds that only grow; `performance` where not given, which takes longer to load than it takes to ask. */
  now?(): number;
  /** Called before the first connection, for what the runtime must be told then. */
  beforeConnecting?(): void;
  /** Called before each connection: a name lookup should take no longer than so many milliseconds. */
  limitLookup?(milliseconds: number): void;
}
