import * as z from "zod";
import { fieldNames } from "../src/simulator/control/command.ts";
import { COMMANDS } from "../src/simulator/control/control.ts";
import { worldPlanSchema } from "../src/simulator/model/world-plan.ts";
import { faultPlan } from "../src/simulator/routes/faults.ts";
import { code, table } from "./describe.ts";

/** The format of scenarios for docs/scenarios.md, derived from what checks them. */

/** The keys of `world`, as a table in Markdown. */
export function describeWorldKeys(): string {
  const rows = Object.entries(worldPlanSchema.shape).map(([key, schema]) => [
    code(key),
    codes(fieldsOf(schema)),
    schema.description ?? "",
  ]);
  return table(["key", "each with", ""], rows);
}

/** The commands of a step. */
export function describeCommands(): string {
  const rows = COMMANDS.map(({ name, fields, means }) => [code(name), codes(fields), means]);
  return table(["`do`", "fields", ""], rows);
}

/** The faults that `set_fault` sets on an endpoint. */
export function describeFaults(): string {
  const rows = faultPlan.options.map(({ shape, description = "" }) => {
    const { kind, ...fields } = shape;
    return [code(kind.value), codes(fieldNames(fields)), description];
  });
  return table(["`kind`", "fields", ""], rows);
}

function codes(names: readonly string[]): string {
  return names.map(code).join(" ");
}

/** The fields of each entry of a list; none of a plain value. */
function fieldsOf(schema: unknown): string[] {
  let inner = schema;
  while (inner instanceof z.ZodExactOptional || inner instanceof z.ZodArray)
    inner = inner instanceof z.ZodArray ? inner.element : inner.unwrap();
  return inner instanceof z.ZodObject ? fieldNames(inner.shape) : [];
}
