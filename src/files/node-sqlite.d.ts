/** Node 20 has no types of it; these are the parts that the book uses. */
declare module 'node:sqlite' {
  export const DatabaseSync: new (
    path: string,
    options?: { readonly timeout?: number },
  ) => import('./sqlite.ts').Database;
}
