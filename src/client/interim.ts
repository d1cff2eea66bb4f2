/** undici takes an unrequested `100 Continue` for a broken answer, but skips other interim answers (RFC 9110, 15.2). So 100 becomes 102. */
import type { Socket } from 'node:net';

const [lineFeed, carriageReturn, zero, one, two] = [0x0a, 0x0d, 0x30, 0x31, 0x32];
const statusAt = 9;

/** Changes how the socket is read, and gives the same socket back. */
export function passInterim(socket: Socket): Socket {
  const read = socket.read.bind(socket);
  const start = new AnswerStart();
  let written: number | undefined;
  return Object.assign(socket, {
    read(size?: number): unknown {
      const chunk: unknown = read(size);
      if (!Buffer.isBuffer(chunk)) return chunk;
      // Nothing is written while an answer comes, so bytes that were written since then belong to the next request.
      const sent = socket.bytesWritten;
      if (sent !== written) start.begin();
      written = sent;
      start.look(chunk);
      return chunk;
    },
  });
}

class AnswerStart {
  private state: 'status line' | 'interim' | 'past' = 'past';
  private column = 0;
  private tens = 0;

  begin(): void {
    this.state = 'status line';
    this.column = 0;
  }

  look(chunk: Buffer): void {
    for (let at = 0; at < chunk.length && this.state !== 'past'; at += 1) {
      if (this.state === 'interim') this.header(chunk[at]);
      else chunk[at] = this.statusLine(chunk[at] ?? 0);
    }
  }

  private statusLine(byte: number): number {
    const place = this.column - statusAt;
    this.column += 1;
    if (place === 0 && byte !== one) this.state = 'past';
    if (place === 1) this.tens = byte;
    if (place !== 2) return byte;
    this.state = 'interim';
    return this.tens === zero && byte === zero ? two : byte;
  }

  /** An empty line ends an interim answer. */
  private header(byte: number | undefined): void {
    if (byte === lineFeed && this.column === 0) this.begin();
    else if (byte === lineFeed) this.column = 0;
    else if (byte !== carriageReturn) this.column += 1;
  }
}
