import { z } from "zod";
import { kinds } from "../pollers/kinds.ts";
import { takesPlainText, type FieldForm, type FieldMeta } from "../schema/walk.ts";
import { groupSchema, ruleFileSchema, ruleSchema } from "../config/rules/rule-schema.ts";
import { ruleTestsSchema } from "../rule-tests/file/schema.ts";
import { settingsSchema } from "../config/settings/settings-schema.ts";
import { scenarioJsonSchema } from "../simulator/control/scenario-json-schema.ts";

/** JSON Schemas for editors, made from the schemas that files are checked with. */

type JsonSchema = { [key: string]: unknown };

const wholeRuleFile = ruleFileSchema.extend({
  groups: z.array(groupSchema.extend({ rules: z.array(ruleSchema) })),
});

/** Each schema by name, and how it is made; its file is `schemas/<name>.schema.json`. */
const SCHEMAS: Readonly<
  Record<string, { readonly title: string; readonly make: () => Readonly<JsonSchema> }>
> = {
  config: { title: "The config of aggwatch", make: () => jsonSchemaOf(settingsSchema) },
  rules: { title: "Rules of aggwatch", make: rulesJsonSchema },
  "rule-tests": { title: "Tests of aggwatch rules", make: () => jsonSchemaOf(ruleTestsSchema) },
  scenario: { title: "A scenario of the simulated aggregator", make: scenarioJsonSchema },
};

export const SCHEMA_NAMES: readonly string[] = Object.keys(SCHEMAS);

/** The text of one schema, or undefined if there is none of that name. */
export function schemaText(name: string): string | undefined {
  const schema = Object.hasOwn(SCHEMAS, name) ? SCHEMAS[name] : undefined;
  if (schema === undefined) return undefined;
  const { $schema, ...rest } = schema.make();
  return `${JSON.stringify({ $schema, title: schema.title, ...rest }, undefined, 2)}\n`;
}

function rulesJsonSchema(): JsonSchema {
  const words = [...kinds.keys()];
  return jsonSchemaOf(wholeRuleFile, (path, schema) => {
    if (path.at(-1) === "each" && path.at(-2) === "properties") schema["enum"] = words;
  });
}

/**
 * How a value is written in YAML, for schemas that only know what it is read as. A duration, for one, is read by a
 * transform, which accepts anything as far as zod knows.
 */
const WRITTEN: Partial<Record<FieldForm, JsonSchema>> = {
  duration: { type: ["string", "integer"], pattern: "^(?:0|(?:\\d+(?:ms|[wdhms]))+)$", maximum: 0 },
  schedule: { type: "string" },
  size: { type: ["string", "integer"], pattern: "^\\d+(?:KiB|MiB)?$" },
};

/** What only aggwatch itself reads of a field. */
const NOT_IN_JSON_SCHEMA: ReadonlyArray<Exclude<keyof FieldMeta, "description">> = [
  "form",
  "needsRestart",
  "hidden",
];

function jsonSchemaOf(
  schema: z.ZodType,
  change: (path: ReadonlyArray<string | number>, schema: JsonSchema) => void = () => {},
): JsonSchema {
  return z.toJSONSchema(schema, {
    io: "input",
    target: "draft-7",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema, path }) => {
      const made: JsonSchema = jsonSchema;
      const form = made["form"] as FieldForm | undefined;
      for (const key of NOT_IN_JSON_SCHEMA) delete made[key];
      if (form !== undefined) Object.assign(made, WRITTEN[form]);
      if (zodSchema instanceof z.ZodPipe && takesPlainText(zodSchema)) standBesideText(made);
      change(path, made);
    },
  });
}

function standBesideText(made: JsonSchema): void {
  const shape = { ...made };
  for (const key of Object.keys(made)) delete made[key];
  made["anyOf"] = [{ type: "string" }, shape];
}
