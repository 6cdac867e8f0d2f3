import type { Hook } from "@hono/zod-openapi";
import type { Env } from "hono";

/** Answers a request that does not fit its schema with every problem, by the path of the key. */
// The library types what a hook may give as `any`.
export const sayProblems: Hook<unknown, Env, string, Response | undefined> = (result, context) => {
  if (result.success) return undefined;
  const problems = result.error.issues.flatMap((issue) => {
    const path = issue.path.map(String).join(".");
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => `${path === "" ? "" : `${path}.`}${key}: unknown key`);
    }
    return [`${path === "" ? "the body" : path}: ${issue.message}`];
  });
  const error = result.target === "json" ? "the body is wrong" : `the ${result.target} is wrong`;
  return context.json({ error, problems }, 400);
};
