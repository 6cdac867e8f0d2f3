import { commandAndPrint, writingOptions, type ClientOptions } from "./client.ts";
import type { CliCommand } from "./context.ts";

type UnquarantineOptions = ClientOptions & { readonly reason: string };

/** `aggwatch unquarantine ENTITY`. */
export const unquarantineCommand: CliCommand<UnquarantineOptions> = {
  name: "unquarantine",
  describe: (command) =>
    writingOptions(command)
      .description("Ends the quarantine of an entity.")
      .argument("<entity>", "its whole key, as bsc/exchange/BINANCE"),
  run: (options, context, [entity = ""]) =>
    commandAndPrint(
      {
        method: "DELETE",
        path: "/api/v1/quarantines",
        body: { entity, reason: options.reason },
      },
      options,
      context,
    ),
};
