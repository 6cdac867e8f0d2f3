import * as z from "zod";
import { worldPlanSchema } from "../model/world-plan.ts";
import { COMMANDS } from "./control.ts";

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
