/** Reads our own files back. Nothing in them is trusted to have the shape that we wrote. */
import { PdiError } from '../errors.ts';
import { isNestedTooDeep } from '../json/depth.ts';
import { isObject } from '../json/parse.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** Gives undefined for a text that is torn, is no JSON, or is nested deeper than we ever wrote. */
function parse(text: string): unknown {
  if (isNestedTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function parseObject(text: string): JsonObject | undefined {
  const value = parse(text);
  return isObject(value) ? value : undefined;
}

export function stringField(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  return typeof value === 'string' ? value : undefined;
}

interface NewerForm {
  /** It names what has the version, such as `the ledger`. */
  readonly of: string;
  readonly version: number;
  readonly known: number;
  readonly hint: string;
}

/** Only a later pdi can read the file or folder. */
export class WrittenByNewer extends PdiError {}

export function writtenByNewer(path: string, { of, version, known, hint }: NewerForm): WrittenByNewer {
  const message = `${path} was written by a newer pdi: version ${version} of ${of}, and this one knows ${known}`;
  return new WrittenByNewer('internal', message, { item: path, retryable: false, hint });
}
