import type { YamlPath } from "./yaml-source.ts";

/** What is wrong at a path of plain values, before it is known where in a file that is. */
export type ShapeProblem = {
  readonly id: string;
  readonly path: YamlPath;
  /** If the mark goes to the key rather than to the value. */
  readonly at?: "key" | undefined;
  readonly message: string;
  readonly hint?: string | undefined;
  /** The offset within the value, for an expression that is text of its own. */
  readonly offset?: number;
};
