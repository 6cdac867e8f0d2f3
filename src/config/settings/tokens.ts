import { warnIfWritable, type Resolving } from "./resolving.ts";
import { z } from "zod";
import { fail, succeed, type Result } from "../../domain/result.ts";
import { checkShape, placeShapeProblems } from "../yaml/check-shape.ts";
import { isStandIn } from "../yaml/known-problems.ts";
import { field, text } from "../../schema/fields.ts";
import type { Problem } from "../problem.ts";
import { problemAtPath, readYamlSource } from "../yaml/yaml-source.ts";

/**
 * What a token allows: `read` reads, `hold` holds and silences for a while, `operate` does that, reloads, and stops and
 * releases actions, `approve` decides proposals.
 */
export const SCOPES = ["read", "hold", "operate", "approve"] as const;
export type Scope = (typeof SCOPES)[number];

/** Whether scopes allow what needs this one. */
export function allows(scopes: readonly Scope[], needed: Scope): boolean {
  return scopes.includes(needed) || (needed === "hold" && scopes.includes("operate"));
}

/** Whose tokens are gone in the second list, or allow less there. */
export function revokedHolders(
  before: readonly Token[],
  after: readonly Token[],
): readonly string[] {
  const scopesOf = new Map(after.map(({ sha256, scopes }) => [sha256, scopes]));
  return before.flatMap(({ name, sha256, scopes }) => {
    const left = scopesOf.get(sha256) ?? [];
    return scopes.every((scope) => allows(left, scope)) ? [] : [name];
  });
}

/** Who may call. The token itself is nowhere, only what it hashes to. */
export type Token = {
  /** Of its holder; it is in logs and in what an operator did. */
  readonly name: string;
  /** SHA-256 of the token's bytes, in lower-case hex. */
  readonly sha256: string;
  readonly scopes: readonly Scope[];
};

/** The shape of a tokens file: a list of holders. */
const tokensSchema = z.array(
  z.strictObject({
    name: text("Whose token it is; it stands in logs."),
    token_sha256: field(
      z.string().regex(/^[0-9a-fA-F]{64}$/, {
        error: "is not a SHA-256 in hex: 64 digits, like those that `sha256sum` prints",
      }),
      "text",
      "SHA-256 of the token, in hex.",
    ),
    scopes: field(
      z.array(z.enum(SCOPES)).min(1, "must name at least one scope"),
      "list",
      "What it allows: `read`, `hold`, `operate`, `approve`.",
    ),
  }),
);

/** Reads a tokens file. No problem ever shows a line of it. */
export function readTokens(file: string, content: string): Result<readonly Token[], Problem[]> {
  const read = readYamlSource(file, content);
  if (!read.ok) return fail(read.problem.map(withoutExcerpt));
  const checked = checkShape(tokensSchema, read.value.value);
  const problems = placeShapeProblems(read.value, [], "tokens", checked.problems);
  const tokens = (checked.value ?? []).map(({ name, token_sha256: sha256, scopes }): Token => ({
    name,
    sha256: sha256.toLowerCase(),
    scopes,
  }));
  for (const key of ["name", "sha256"] as const) {
    const values = tokens.map((token) => token[key]);
    for (const [index, value] of values.entries()) {
      const path = [index, key === "name" ? key : "token_sha256"];
      if (values.indexOf(value) === index || isStandIn({ known: checked.problems }, path)) continue;
      const what = key === "name" ? `the name "${value}"` : "the token";
      const details = { id: "tokens/duplicate", message: `${what} occurs twice` };
      problems.push(problemAtPath(read.value, path, details));
    }
  }
  return problems.length === 0 ? succeed(tokens) : fail(problems.map(withoutExcerpt));
}

function withoutExcerpt({ excerpt: _excerpt, ...problem }: Problem): Problem {
  return problem;
}

/** Reads the tokens file. What is wrong in it has a place of its own, so it goes to `problems`. */
export function resolveTokens(
  work: Resolving,
  file: string | undefined,
  problems: Problem[],
): readonly Token[] | undefined {
  if (file === undefined) return undefined;
  const path = ["server", "tokens_file"];
  const read = work.readText(file);
  if (!read.ok) {
    const message = `the tokens file ${file} cannot be read: ${read.problem}`;
    work.report({ id: "config/secret", path, message });
    return undefined;
  }
  warnIfWritable(work, path, "tokens file", file);
  const tokens = readTokens(file, read.value);
  if (!tokens.ok) problems.push(...tokens.problem);
  return tokens.ok ? tokens.value : undefined;
}
