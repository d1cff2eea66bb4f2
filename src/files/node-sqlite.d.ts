/** Node 20 has no types of it; these are the parts that the book uses. */
declare module 'node:sqlite' {
  type Value = string | number | null;

  export class DatabaseSync {
    constructor(path: string, options?: { readonly timeout?: number });
    exec(sql: string): void;
    prepare(sql: string): {
      run(...values: Value[]): unknown;
      get(...values: Value[]): unknown;
      all(...values: Value[]): unknown[];
    };
    close(): void;
  }
}
