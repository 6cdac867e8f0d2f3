import * as z from "zod";
import { fieldNames } from "./command.ts";
import { COMMANDS } from "./control.ts";
import { faultPlan } from "../routes/faults.ts";
import { worldPlanSchema } from "../model/world-plan.ts";

/** The format of scenarios, derived from what checks them: for docs/scenarios.md and editors. */

/** The keys of `world`, as a table in Markdown. */
export function describeWorldKeys(): string {
  const rows = Object.entries(worldPlanSchema.shape).map(([key, schema]) => [
    `\`${key}\``,
    codes(fieldsOf(schema)),
    schema.description ?? "",
  ]);
  return table(["key", "each with", ""], rows);
}

/** The commands of a step. */
export function describeCommands(): string {
  const rows = COMMANDS.map(({ name, fields, means }) => [`\`${name}\``, codes(fields), means]);
  return table(["`do`", "beside it", ""], rows);
}

/** The faults that `set_fault` sets on an endpoint. */
export function describeFaults(): string {
  const rows = faultPlan.options.map(({ shape, description = "" }) => {
    const { kind, ...fields } = shape;
    return [`\`${kind.value}\``, codes(fieldNames(fields)), description];
  });
  return table(["`kind`", "beside it", ""], rows);
}

function codes(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(" ");
}

/** The JSON Schema of a scenario, for editors. */
export function scenarioJsonSchema(): Readonly<Record<string, unknown>> {
  const timed = {
    at: { type: ["string", "integer"], description: "When, since the start: 90s, 1m30s, or 0." },
    say: { type: "string", maxLength: 1_000, description: "What it tells people." },
  };
  const sayOnly = {
    type: "object",
    properties: timed,
    required: ["at", "say"],
    additionalProperties: false,
  };
  const steps = COMMANDS.map(({ means, schema }) => {
    const own = jsonOf(schema) as { readonly properties: object; readonly required: string[] };
    return {
      ...own,
      description: means,
      properties: { ...timed, ...own.properties },
      required: ["at", ...own.required],
    };
  });
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "A scenario of the simulated aggregator",
    type: "object",
    properties: {
      name: { type: "string", minLength: 1, maxLength: 200 },
      seed: { type: "integer", minimum: 0 },
      world: jsonOf(worldPlanSchema),
      steps: { type: "array", maxItems: 10_000, items: { anyOf: [...steps, sayOnly] } },
    },
    required: ["name"],
    additionalProperties: false,
  };
}

function jsonOf(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    target: "draft-7",
    unrepresentable: "any",
  });
  return rest;
}

/** The fields of each entry of a list; none of a plain value. */
function fieldsOf(schema: unknown): string[] {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodArray)
    inner = inner instanceof z.ZodOptional ? inner.unwrap() : inner.element;
  return inner instanceof z.ZodObject ? fieldNames(inner.shape) : [];
}

function table(heads: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const all = [heads, heads.map(() => "---"), ...rows];
  return all.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
