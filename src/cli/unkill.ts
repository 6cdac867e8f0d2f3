import { commandAndPrint, writingOptions, type ClientOptions } from "./client.ts";
import type { CliCommand } from "./context.ts";

type UnkillOptions = ClientOptions & { readonly reason: string };

/** `aggwatch unkill`. */
export const unkillCommand: CliCommand<UnkillOptions> = {
  name: "unkill",
  describe: (command) =>
    writingOptions(command).description("Releases the kill switch that kill has thrown."),
  run: (options, context) =>
    commandAndPrint(
      {
        method: "DELETE",
        path: "/api/v1/kill",
        body: { reason: options.reason },
      },
      options,
      context,
    ),
};
