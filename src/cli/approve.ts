import { commandAndPrint, writingOptions, type ClientOptions } from "./client.ts";
import type { CliCommand } from "./context.ts";

type ApproveOptions = ClientOptions & { readonly reason: string };

/** `aggwatch approve PROPOSAL`. */
export const approveCommand: CliCommand<ApproveOptions> = {
  name: "approve",
  describe: (command) =>
    writingOptions(command)
      .description("Approves a proposal; every guard and the reading before are asked again.")
      .argument("<proposal>", "its id, as p1"),
  run: (options, context, [proposal = ""]) =>
    commandAndPrint(
      {
        method: "POST",
        path: `/api/v1/proposals/${encodeURIComponent(proposal)}/approve`,
        body: { reason: options.reason },
      },
      options,
      context,
    ),
};
