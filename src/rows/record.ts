/** A record of the service keeps its value and its own text on the way to the output. */

import { readJson } from '../json/parse.ts';
import { jsonText } from '../json/write.ts';

export class ApiRecord {
  /** `sent` is the record's JSON as it was sent, where that is one line. */
  constructor(
    readonly value: unknown,
    private readonly sent?: string,
  ) {}

  get text(): string {
    return this.sent ?? jsonText(this.value);
  }
}

/** @throws as `readJson` */
export function readRecord(text: string): ApiRecord {
  const { value, whole } = readJson(text);
  return new ApiRecord(value, whole);
}
