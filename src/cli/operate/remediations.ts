import { entityKey } from "../../domain/entity.ts";
import { statusAnswer, type StatusAnswer } from "../../io/api/status-answer.ts";
import type { CliCommand } from "../context.ts";
import { ago } from "../../io/page/parts.ts";
import { table } from "../table.ts";
import { askAndPrint, watchingOptions, type WatchOptions } from "./client.ts";

/** `aggwatch remediations`: what was sent, with its outcome. */
export const remediationsCommand: CliCommand<WatchOptions> = {
  name: "remediations",
  describe: (command) =>
    watchingOptions(command).description("What a running daemon sent, and what came of it."),
  run: (options, context) =>
    askAndPrint({ method: "GET", path: "/api/v1/status" }, statusAnswer, options, context, linesOf),
};

function linesOf({ at, remediations }: StatusAnswer, width: number | undefined): readonly string[] {
  if (remediations.length === 0) return ["none was sent"];
  return table(
    ["id", "outcome", "action", "entity", "rule", "requested", "approved by", "detail"],
    remediations.map((one) => [
      one.id,
      one.state,
      one.action,
      entityKey(one.entity),
      one.rule,
      ago(at, one.requestedAt),
      one.approvedBy ?? "",
      one.detail,
    ]),
    width,
  );
}
