import type { CliCommand } from "./context.ts";
import { scopeOptions, standingCommand, type ScopeOptions } from "./scope-options.ts";

/** `aggwatch silence`. */
export const silenceCommand: CliCommand<ScopeOptions> = {
  name: "silence",
  describe: (command) =>
    scopeOptions(command).description(
      "Stops notifications of what it covers, not actions, until it ends.",
    ),
  run: (options, context, [entity]) => standingCommand("silences", options, context, entity),
};
