import type { Result } from "../../domain/result.ts";
import type { ConfigLint } from "../config-lints.ts";
import type { ShapeProblem } from "../yaml/shape-problem.ts";
import type { YamlPath } from "../yaml/yaml-source.ts";
import type { Environment } from "./environment.ts";
import type { Secret } from "./secret.ts";

/** What resolving works with: where it reads from, and where it reports problems. */
export type Resolving = {
  /** Problems that are known already, so that no other follows from them. */
  readonly known: readonly ShapeProblem[];
  readonly report: (problem: ShapeProblem) => void;
  /** Says what is valid and unwise; nothing is refused for it. */
  readonly warn: (problem: ShapeProblem & { readonly id: ConfigLint }) => void;
  readonly env: Environment;
  readonly readText: (path: string) => Result<string, string>;
  /** Whether every user of the machine can write to a file. */
  readonly isWorldWritable: (path: string) => boolean;
  /** Says that a file was read for a key, so that a reload notices when it changes. It is not a secret. */
  readonly noteFile: (path: YamlPath, content: string) => void;
  /** Says that a secret was read for a key, so that a reload notices when it changes. */
  readonly noteSecret: (path: YamlPath, secret: Secret, fixed?: "needs restart") => void;
};

/** Warns of a file that every user of the machine can write to, although what it holds decides who may do what. */
export function warnIfWritable(
  { isWorldWritable, warn }: Resolving,
  path: YamlPath,
  what: "secret file" | "tokens file",
  file: string,
): void {
  if (!isWorldWritable(file)) return;
  const message = `every user of the machine can write to the ${what} ${file}`;
  warn({ id: "lint/writable-secret", path, message, hint: `chmod o-w ${file}` });
}
