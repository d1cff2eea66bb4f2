/** A record of the service, as it travels from the answer to the output: its value and its own text, in one. */

import { readJson } from '../json/parse.ts';
import { jsonText } from '../json/write.ts';

export class ApiRecord {
  /** `sent`: the record's JSON as it was sent, where that is on one line. */
  constructor(
    readonly value: unknown,
    private readonly sent?: string,
  ) {}

  /** Its JSON on one line, every digit as it was sent. */
  get text(): string {
    return this.sent ?? jsonText(this.value);
  }
}

/** The record that a JSON text holds. Throws as `readJson`. */
export function readRecord(text: string): ApiRecord {
  const { value, whole } = readJson(text);
  return new ApiRecord(value, whole);
}
