import type { CliCommand } from "./context.ts";
import { scopeOptions, overrideCommand, type ScopeOptions } from "./scope-options.ts";

/** `aggwatch silence`. */
export const silenceCommand: CliCommand<ScopeOptions> = {
  name: "silence",
  describe: (command) =>
    scopeOptions(command).description(
      "Stops notifications of what it covers, not actions, until it ends.",
    ),
  run: (options, context, [entity]) => overrideCommand("silences", options, context, entity),
};
