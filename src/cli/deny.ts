import { commandAndPrint, writingOptions, type ClientOptions } from "./client.ts";
import type { CliCommand } from "./context.ts";

type DenyOptions = ClientOptions & { readonly reason: string };

/** `aggwatch deny PROPOSAL`. */
export const denyCommand: CliCommand<DenyOptions> = {
  name: "deny",
  describe: (command) =>
    writingOptions(command)
      .description("Denies a proposal for as long as its alert lasts.")
      .argument("<proposal>", "its id, as p1"),
  run: (options, context, [proposal = ""]) =>
    commandAndPrint(
      {
        method: "POST",
        path: `/api/v1/proposals/${encodeURIComponent(proposal)}/deny`,
        body: { reason: options.reason },
      },
      options,
      context,
    ),
};
