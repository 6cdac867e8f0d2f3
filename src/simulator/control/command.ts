import * as z from "zod";
import { fail, succeed, type Json, type Result } from "../../domain/result.ts";
import { problemsOf, type ShapeProblem } from "../../domain/values/shape-problems.ts";
import type { Fault } from "../routes/faults.ts";
import type { World } from "../model/world.ts";

/** A control command changes the world or sets a fault. It is the same over HTTP and in scenarios. */

type Target = { readonly world: World; readonly faults: Fault[] };

/** The result of a command, for people and scripts; or why it failed. */
export type Outcome = Result<Json, string>;
export type Ready = (target: Target) => Outcome;

export type Command = {
  readonly name: string;
  readonly means: string;
  /** The names of its fields; an optional one ends with a question mark. */
  readonly fields: readonly string[];
  readonly schema: z.ZodObject;
  readonly prepare: (value: unknown) => Result<Ready, readonly ShapeProblem[]>;
};

export function defineCommand<Shape extends z.ZodRawShape>(
  name: string,
  means: string,
  shape: Shape,
  run: (target: Target, given: z.output<z.ZodObject<Shape>>) => Outcome,
): Command {
  const schema = z.strictObject({ do: z.literal(name), ...shape });
  return {
    name,
    means,
    schema,
    fields: fieldNames(shape),
    prepare: (value) => {
      const read = schema.safeParse(value);
      if (!read.success) {
        return fail(read.error.issues.flatMap(problemsOf));
      }
      const given = read.data as z.output<z.ZodObject<Shape>>;
      return succeed((target) => run(target, given));
    },
  };
}

/** The names of the fields of a shape; an optional one ends with a question mark. */
export function fieldNames(shape: z.ZodRawShape): string[] {
  return Object.entries(shape).map(([name, type]) =>
    z.safeParse(type, undefined).success ? `${name}?` : name,
  );
}

export const done = (value: Json = {}): Outcome => succeed(value);
export const cannot = (reason: string): Outcome => fail(reason);
