/** A record of the service keeps its value and its own text on the way to the output. */

import { isNumber, isObject, type ReadJson, readJson } from '../json/parse.ts';
import { jsonText } from '../json/write.ts';

export class ApiRecord {
  /** `sent` is the record's JSON as it was sent, where that is one line. */
  constructor(
    private readonly read: unknown,
    private readonly sent?: string,
  ) {}

  get value(): unknown {
    return this.read;
  }

  get text(): string {
    return this.sent ?? jsonText(this.value);
  }

  /** The same record in less memory, where its text is at hand. */
  get asText(): ApiRecord {
    return this.sent === undefined ? this : new TextRecord(this.sent);
  }
}

/** It reads its value anew each time. */
class TextRecord extends ApiRecord {
  constructor(private readonly json: string) {
    super(undefined, json);
  }

  override get value(): unknown {
    return readJson(this.json).value;
  }
}

export function readRecord(text: string): ApiRecord {
  const { value, whole } = readJson(text);
  return new ApiRecord(value, whole);
}

export const recordsOf = ({ value, parts }: ReadJson): readonly ApiRecord[] =>
  Array.isArray(value) ? value.map((one: unknown, at) => new ApiRecord(one, parts?.[at])) : [];

/** Gives the text of a record's identity, which a service may send as a number; undefined where it has none. */
export function identityIn(record: unknown, field: string): string | undefined {
  const value = isObject(record) ? record[field] : undefined;
  return typeof value === 'string' || isNumber(value) ? String(value) : undefined;
}
