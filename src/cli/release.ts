import { commandAndPrint, writingOptions, type ClientOptions } from "./client.ts";
import type { CliCommand } from "./context.ts";

type ReleaseOptions = ClientOptions & { readonly reason: string };

/** `aggwatch release HOLD`. */
export const releaseCommand: CliCommand<ReleaseOptions> = {
  name: "release",
  describe: (command) =>
    writingOptions(command).description("Ends a hold.").argument("<hold>", "its id, as h1"),
  run: (options, context, [hold = ""]) =>
    commandAndPrint(
      {
        method: "DELETE",
        path: `/api/v1/holds/${encodeURIComponent(hold)}`,
        body: { reason: options.reason },
      },
      options,
      context,
    ),
};
