/** A refusal is every answer except success, in the shape of section "Errors". Any step may throw it. */
import { errorCodes } from '../contract/service.ts';

export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** It is absent if the document names no code: 404 and 500. */
    readonly errorCode?: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = 'Refusal';
  }
}

export const notFound = (what: string): Refusal => new Refusal(404, `${what} does not exist or is not shared with the API`);

export const invalid = (message: string): Refusal => new Refusal(422, message, errorCodes.validationError);
