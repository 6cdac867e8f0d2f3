import * as z from "zod";
import { COMMANDS } from "./control.ts";
import { scenarioSchema } from "./scenario-schema.ts";

type JsonSchema = {
  readonly $schema?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
};

/** The JSON Schema of a scenario, for editors: a step has the fields of one command, or only `say`. */
export function scenarioJsonSchema(): Readonly<Record<string, unknown>> {
  const scenario = jsonOf(scenarioSchema);
  const { steps = {} } = scenario.properties ?? {};
  const step = { ...steps.items, additionalProperties: false };
  const commands = COMMANDS.map(({ means, schema }) => {
    const { $schema: _, ...own } = jsonOf(schema);
    return {
      ...own,
      description: means,
      properties: { ...step.properties, ...own.properties },
      required: ["at", ...(own.required ?? [])],
    };
  });
  const items = { anyOf: [...commands, { ...step, required: ["at", "say"] }] };
  return { ...scenario, properties: { ...scenario.properties, steps: { ...steps, items } } };
}

function jsonOf(schema: z.ZodType): JsonSchema {
  const form = { io: "input", target: "draft-7", unrepresentable: "any" } as const;
  return z.toJSONSchema(schema, form) as JsonSchema;
}
