import { commandAndPrint, writingOptions, type ClientOptions } from "./client.ts";
import type { CliCommand } from "./context.ts";

type UnsilenceOptions = ClientOptions & { readonly reason: string };

/** `aggwatch unsilence SILENCE`. */
export const unsilenceCommand: CliCommand<UnsilenceOptions> = {
  name: "unsilence",
  describe: (command) =>
    writingOptions(command).description("Ends a silence.").argument("<silence>", "its id, as s1"),
  run: (options, context, [silence = ""]) =>
    commandAndPrint(
      {
        method: "DELETE",
        path: `/api/v1/silences/${encodeURIComponent(silence)}`,
        body: { reason: options.reason },
      },
      options,
      context,
    ),
};
