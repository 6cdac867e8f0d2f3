import type { CliCommand } from "./context.ts";
import { scopeOptions, overrideCommand, type ScopeOptions } from "./scope-options.ts";

/** `aggwatch hold`. */
export const holdCommand: CliCommand<ScopeOptions> = {
  name: "hold",
  describe: (command) =>
    scopeOptions(command).description(
      "Stops actions on what it covers, not alerts, until it ends.",
    ),
  run: (options, context, [entity]) => overrideCommand("holds", options, context, entity),
};
