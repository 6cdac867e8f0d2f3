import { Argument } from "commander";
import { SCHEMA_NAMES, schemaText } from "./json-schemas.ts";
import { EXIT, type CliCommand } from "./context.ts";

const [USUAL = ""] = SCHEMA_NAMES;

/** `aggwatch schema`: prints a JSON Schema, for editors. */
export const schemaCommand: CliCommand<Record<string, never>> = {
  name: "schema",
  describe: (command) =>
    command
      .description(
        "Prints the JSON Schema of the config, of rules, their tests or scenarios, for editors.",
      )
      .addArgument(new Argument("[name]", `which one (default: ${USUAL})`).choices(SCHEMA_NAMES)),
  run: (_, context, [name = USUAL]) => {
    context.output(schemaText(name)?.trimEnd() ?? "");
    return Promise.resolve(EXIT.ok);
  },
};
