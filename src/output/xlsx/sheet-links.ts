/** Gathers the links of a sheet, which a workbook keeps by place, apart from the cells. */
import { parseUrl } from '../../rows/url.ts';

const maxLength = 2079;

/** Such an address can stand as it is; others are escaped. */
const isPlain = /^https?:\/\/[\w.:-]+(?:\/(?:[\w.~!$&'()*+,;=:@/?#-]|%[\da-f]{2})*)?$/i;

function addressOf(text: string): string | undefined {
  const url = /^https?:\/\/[^\s/]/i.test(text) ? parseUrl(text) : undefined;
  if (url === undefined) return undefined;
  const href = isPlain.test(text) ? text : url.href;
  return href.length <= maxLength ? href : undefined;
}

const linkType = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink';
const relationsStart =
  '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">';

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

/** `A` for 0, `AA` for 26. */
export function columnLetters(index: number): string {
  const rest = Math.floor(index / 26) - 1;
  return (rest < 0 ? '' : columnLetters(rest)) + String.fromCharCode(65 + (index % 26));
}

const encoder = new TextEncoder();
export const utf8 = (text: string): Uint8Array => encoder.encode(text);

const chunkSize = 65_536;

class Chunks {
  private gathered = '';

  constructor(private readonly pass: (chunk: Uint8Array) => void) {}

  add(text: string): void {
    this.gathered += text;
    if (this.gathered.length >= chunkSize) this.flush();
  }

  flush(): void {
    this.pass(utf8(this.gathered));
    this.gathered = '';
  }
}

type WriteChunk = (chunk: Uint8Array, isLast: boolean) => void;

/** Gathers the links of one sheet. They are many, so only their places are kept, as bytes; the addresses are written as they come. */
export class SheetLinks {
  isFull = false;
  private count = 0;
  private readonly written: Uint8Array[] = [];
  private readonly places = new Chunks((chunk) => this.written.push(chunk));
  private writeRelations: WriteChunk | undefined;
  private readonly waiting: Uint8Array[] = [];
  private readonly relations = new Chunks((chunk) => {
    if (this.writeRelations === undefined) this.waiting.push(chunk);
    else this.writeRelations(chunk, false);
  });

  constructor(private readonly most: number) {}

  add(text: string, column: number, row: number): boolean {
    const address = addressOf(text);
    if (address === undefined) return false;
    if (this.count >= this.most) {
      this.isFull = true;
      return false;
    }
    this.count += 1;
    const target = address.replace(/[&<>"']/g, (character) => escapes[character] ?? '');
    this.places.add(`<hyperlink ref="${columnLetters(column)}${row}" r:id="l${this.count}"/>`);
    this.relations.add(`<Relationship Id="l${this.count}" Type="${linkType}" Target="${target}" TargetMode="External"/>`);
    return true;
  }

  open(write: WriteChunk): void {
    write(utf8(relationsStart), false);
    for (const chunk of this.waiting.splice(0)) write(chunk, false);
    this.writeRelations = write;
  }

  end(): readonly Uint8Array[] {
    this.relations.flush();
    this.places.flush();
    this.writeRelations?.(utf8('</Relationships>'), true);
    return this.count === 0 ? [] : [utf8('<hyperlinks>'), ...this.written, utf8('</hyperlinks>')];
  }
}
