/** Reading our own files back: nothing in them is trusted to have the shape we wrote. */
import { PdiError } from '../errors.ts';
import { isNestedTooDeep } from '../json/depth.ts';
import { isObject } from '../json/parse.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** The value of a JSON text; undefined when it is torn, no JSON, or nested deeper than we ever wrote. */
function parse(text: string): unknown {
  if (isNestedTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The object a line holds; undefined when it holds none. */
export function parseObject(text: string): JsonObject | undefined {
  const value = parse(text);
  return isObject(value) ? value : undefined;
}

/** The field if it is a string, otherwise undefined. */
export function stringField(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  return typeof value === 'string' ? value : undefined;
}

interface NewerForm {
  /** What has the version: `the ledger`. */
  readonly of: string;
  readonly version: number;
  readonly known: number;
  readonly hint: string;
}

/** A file or folder of ours that only a later pdi can read. */
export class WrittenByNewer extends PdiError {}

/** The failure of a file or folder of ours whose version only a later pdi knows. */
export function writtenByNewer(path: string, { of, version, known, hint }: NewerForm): WrittenByNewer {
  const message = `${path} was written by a newer pdi: version ${version} of ${of}, and this one knows ${known}`;
  return new WrittenByNewer('internal', message, { item: path, retryable: false, hint });
}
