/** The streams of a session: each line that comes in is a message or is refused in a line, and the session goes on. */
import type { Readable, Writable } from 'node:stream';
import { isJSONRPCNotification, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/server';
import { type MessageLine, plainly, readLine } from './protocol-words.ts';

/** It is more than any call needs, in bytes. */
const maxLine = 10_000_000;
/** Of a longer line its edges are kept, in bytes, because its id stands at one of them. */
const edge = 4096;

const newline = 0x0a;

/** Cuts bytes into lines, in bounded memory. */
class LineCutter {
  private pieces: Buffer[] = [];
  private length = 0;
  private edges: { readonly head: Buffer; readonly tail: Buffer } | undefined;

  *push(chunk: Buffer): Generator<MessageLine> {
    let from = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      this.add(chunk.subarray(from, end));
      yield this.take();
      from = end + 1;
    }
    this.add(chunk.subarray(from));
  }

  /** The last line may lack its end. */
  *finish(): Generator<MessageLine> {
    if (this.length > 0) yield this.take();
  }

  private add(piece: Buffer): void {
    this.length += piece.length;
    if (this.length <= maxLine) {
      if (piece.length > 0) this.pieces.push(piece);
      return;
    }
    const known = this.edges === undefined ? Buffer.concat([...this.pieces, piece]) : Buffer.concat([this.edges.tail, piece]);
    // They are copied, because a part of a buffer keeps all of it in memory.
    const head = this.edges?.head ?? Buffer.from(known.subarray(0, edge));
    this.edges = { head, tail: Buffer.from(known.subarray(-edge)) };
    this.pieces = [];
  }

  private take(): MessageLine {
    const line = this.edges ?? { whole: Buffer.concat(this.pieces) };
    this.pieces = [];
    this.length = 0;
    this.edges = undefined;
    return line;
  }
}

/** The package's own would end the session at a long line, and leave other bad lines without an answer. */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** It is told which request the client takes back, also after its answer. */
  oncancelled?: (request: unknown) => void;
  private readonly cutter = new LineCutter();
  private isClosed = false;

  constructor(
    private readonly input: Readable,
    private readonly output: Writable,
  ) {}

  async start(): Promise<void> {
    this.input.on('data', this.take);
    this.input.once('end', this.finish);
    this.output.on('error', this.fail);
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.write(plainly(message));
  }

  /** The listener of errors stays, because a write may still fail. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    this.input.off('data', this.take);
    this.input.off('end', this.finish);
    this.onclose?.();
  }

  private readonly take = (chunk: Buffer | string): void => {
    for (const line of this.cutter.push(Buffer.from(chunk))) this.read(line);
  };

  private readonly finish = (): void => {
    for (const line of this.cutter.finish()) this.read(line);
  };

  private read(line: MessageLine): void {
    const { message, refusals = [] } = readLine(line);
    for (const refusal of refusals) {
      this.onerror?.(new Error(`a line was refused: ${refusal.error.message}`));
      void this.write(refusal).catch(this.fail);
    }
    if (message === undefined) return;
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') this.oncancelled?.(message.params?.requestId);
    this.onmessage?.(message);
  }

  private readonly fail = (error: Error): void => {
    if (!this.isClosed) this.onerror?.(error);
    void this.close();
  };

  private write(message: object): Promise<void> {
    if (this.isClosed) return Promise.reject(new Error('the connection is closed'));
    return new Promise((resolve, reject) => {
      this.output.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }
}
