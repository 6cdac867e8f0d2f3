import type * as z from "zod";
import { fail, succeed, type Json, type Result } from "../../domain/result.ts";
import { problemLine, problemsOf } from "../../domain/values/shape-problems.ts";
import { refuse, type Answer } from "./answer.ts";

/** A request to the simulator, independent of the transport. */
export type SimulatorRequest = {
  readonly method: string;
  /** Percent-encoded, without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** Reads a JSON body by a shape. One that does not fit is refused, with the paths of its first three problems. */
export function readBody<Shape extends z.ZodType>(
  request: SimulatorRequest,
  shape: Shape,
): Result<z.output<Shape>, Answer> {
  let value: unknown;
  try {
    value = request.body.trim() === "" ? {} : (JSON.parse(request.body) as Json);
  } catch {
    return fail(refuse(400, "malformed", "The body is not JSON."));
  }
  return readShape(value, shape, "body");
}

/** Reads the query by a shape; parameters that it does not name are ignored. */
export function readQuery<Shape extends z.ZodType>(
  request: SimulatorRequest,
  shape: Shape,
): Result<z.output<Shape>, Answer> {
  return readShape({ ...request.query }, shape, "query");
}

function readShape<Shape extends z.ZodType>(
  value: unknown,
  shape: Shape,
  place: string,
): Result<z.output<Shape>, Answer> {
  const read = shape.safeParse(value);
  if (read.success) return succeed(read.data);
  const problems = read.error.issues
    .flatMap(problemsOf)
    .slice(0, 3)
    .map(({ path, message }) => problemLine({ path: [place, ...path], message }, place));
  return fail(refuse(400, "malformed", problems.join("; ")));
}
