import { SCHEMA_NAMES, schemaText } from "./json-schemas.ts";
import { EXIT, type CliCommand } from "./context.ts";

/** `aggwatch schema`: prints a JSON Schema, for editors. */
export const schemaCommand: CliCommand<Record<string, never>> = {
  name: "schema",
  describe: (command) =>
    command
      .description("Prints the JSON Schema of the config, of rules or of scenarios, for editors.")
      .argument("[name]", `one of ${SCHEMA_NAMES.join(", ")}`, SCHEMA_NAMES[0]),
  run: (_, context, [name = SCHEMA_NAMES[0] ?? ""]) => {
    const text = schemaText(name);
    if (text === undefined) {
      context.complain(`there is no schema "${name}"; there is ${SCHEMA_NAMES.join(", ")}`);
      return Promise.resolve(EXIT.usage);
    }
    context.output(text.trimEnd());
    return Promise.resolve(EXIT.ok);
  },
};
