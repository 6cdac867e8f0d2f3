import { commandAndPrint, writingOptions, type ClientOptions } from "./client.ts";
import type { CliCommand } from "./context.ts";

type KillOptions = ClientOptions & { readonly reason: string };

/** `aggwatch kill`. */
export const killCommand: CliCommand<KillOptions> = {
  name: "kill",
  describe: (command) =>
    writingOptions(command).description("Stops all actions until unkill; alerts go on."),
  run: (options, context) =>
    commandAndPrint(
      {
        method: "POST",
        path: "/api/v1/kill",
        body: { reason: options.reason },
      },
      options,
      context,
    ),
};
