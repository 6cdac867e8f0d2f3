import type { CliCommand } from "./context.ts";
import { scopeOptions, standingCommand, type ScopeOptions } from "./scope-options.ts";

/** `aggwatch hold`. */
export const holdCommand: CliCommand<ScopeOptions> = {
  name: "hold",
  describe: (command) =>
    scopeOptions(command).description(
      "Stops actions on what it covers, not alerts, until it ends.",
    ),
  run: (options, context, [entity]) => standingCommand("holds", options, context, entity),
};
