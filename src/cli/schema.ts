import { SCHEMA_NAMES, schemaText } from "./json-schemas.ts";
import { scenarioJsonSchema } from "../simulator/control/describe-scenario.ts";
import type { CliCommand } from "./context.ts";
import { EXIT } from "./context.ts";

const SCENARIO = "scenario";
/** The names of all that `aggwatch schema` prints and `schemas/` holds. */
export const PRINTED_SCHEMAS: readonly string[] = [...SCHEMA_NAMES, SCENARIO];

/** The text of a schema as it is in `schemas/`; undefined where there is none of that name. */
export function textOfSchema(name: string): string | undefined {
  if (name !== SCENARIO) return schemaText(name);
  return `${JSON.stringify(scenarioJsonSchema(), undefined, 2)}\n`;
}

/** `aggwatch schema`: prints a JSON Schema, for editors. */
export const schemaCommand: CliCommand<Record<string, never>> = {
  name: "schema",
  describe: (command) =>
    command
      .description("Prints the JSON Schema of the config, of rules or of scenarios, for editors.")
      .argument("[name]", `one of ${PRINTED_SCHEMAS.join(", ")}`, SCHEMA_NAMES[0]),
  run: (_, context, [name = SCHEMA_NAMES[0] ?? ""]) => {
    const text = textOfSchema(name);
    if (text === undefined) {
      context.complain(`there is no schema "${name}"; there is ${PRINTED_SCHEMAS.join(", ")}`);
      return Promise.resolve(EXIT.usage);
    }
    context.output(text.trimEnd());
    return Promise.resolve(EXIT.ok);
  },
};
