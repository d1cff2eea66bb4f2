/** What a hostile answer is, and the ways to send one. */
import { answerOf, type RawRequest } from '../support/raw-origin.ts';

export interface Hostile {
  readonly name: string;
  answer(request: RawRequest): void;
  /** Exit codes: a single charged call, a single free call, a job of charged calls. */
  readonly codes: readonly [charged: number, free: number, job: number];
  /** In the message of a failure. */
  readonly says: RegExp;
  /** Keeps a client waiting until its patience ends: it need not be long. */
  readonly hangs?: boolean;
  /** Only ever asked by a process of its own, whose memory is measured. */
  readonly large?: boolean;
}

export const megabyte = 1024 * 1024;
/** No usable answer: exit 5, also of a job, where no row was answered. */
export const unavailable = [5, 5, 5] as const;
export const fine = [0, 0, 0] as const;
export const never = /^$/;

type Sends = Hostile['answer'];

export const hostile = (
  name: string,
  codes: Hostile['codes'],
  says: RegExp,
  answer: Sends,
): Hostile => ({ name, codes, says, answer });
/** The same, without an end. */
export const endless = (name: string, says: RegExp, answer: Sends) => ({
  ...hostile(name, unavailable, says, answer),
  hangs: true,
});
export const large = (name: string, says: RegExp, answer: Sends) => ({
  ...hostile(name, unavailable, says, answer),
  large: true,
});

/** Sends text as it is. */
export const raw =
  (text: string) =>
  ({ socket }: RawRequest) =>
    void socket.write(text);
export const rawAndEnd =
  (text: string) =>
  ({ socket }: RawRequest) =>
    void socket.end(text);
/** A whole 200 with this body. */
export const body =
  (make: (sound: string) => string | Uint8Array, ...headers: string[]) =>
  ({ socket, sound }: RawRequest) =>
    void socket.write(answerOf(make(sound), { headers }));
/** One that is read, and one that is not: a whole 200 whose body is made of the sound one. */
export const accepted = (
  name: string,
  make: (sound: string) => string | Uint8Array,
  ...headers: string[]
): Hostile => hostile(name, fine, never, body(make, ...headers));
export const unreadable = (
  name: string,
  says: RegExp,
  make: (sound: string) => string | Uint8Array,
  ...headers: string[]
): Hostile => hostile(name, unavailable, says, body(make, ...headers));
/** A whole answer with this status, and the error body that the document describes. */
export const refusal =
  (status: string, message: string, ...headers: string[]) =>
  ({ socket }: RawRequest) =>
    void socket.write(
      answerOf(JSON.stringify({ errorCode: 'SOME_CODE', message }), { status, headers }),
    );

export const late = /no complete answer within/;
export const lost = /closed|reset|cut short|no complete answer/;
export const notJson = /is not JSON/;
export const head = 'HTTP/1.1 200 OK\r\n';
