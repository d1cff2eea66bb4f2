/** What the published types of jmespath leave out. */
import 'jmespath';

declare module 'jmespath' {
  /** Gives the tree of an expression. */
  export function compile(expression: string): unknown;
}
