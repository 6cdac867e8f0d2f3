import { statusSchema, type StatusWire } from "../io/api/status-wire.ts";
import { askAndPrint, readingOptions, type ClientOptions } from "./client.ts";
import type { CliCommand } from "./context.ts";
import { table } from "./table.ts";

/** `aggwatch remediations`: what was sent, and what came of it. */
export const remediationsCommand: CliCommand<ClientOptions> = {
  name: "remediations",
  describe: (command) =>
    readingOptions(command).description("What a running daemon sent, and what came of it."),
  run: (options, context) =>
    askAndPrint({ method: "GET", path: "/api/v1/status" }, statusSchema, options, context, tell),
};

function tell({ remediations }: StatusWire): readonly string[] {
  if (remediations.length === 0) return ["none was sent"];
  return table(
    ["id", "outcome", "action", "entity", "rule", "requested", "approved by", "detail"],
    remediations.map((one) => [
      one.id,
      one.state,
      one.action,
      `${one.entity.aggregator}/${one.entity.kind}/${one.entity.id}`,
      one.rule,
      one.requested_at,
      one.approved_by ?? "",
      one.detail,
    ]),
  );
}
