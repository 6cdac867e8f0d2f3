import { entityKey } from "../../domain/entity.ts";
import { formatInstant } from "../../domain/time.ts";
import { statusAnswer, type StatusAnswer } from "../../io/api/status-answer.ts";
import type { CliCommand } from "../context.ts";
import { table } from "../table.ts";
import { askAndPrint, readingOptions, type ClientOptions } from "./client.ts";

/** `aggwatch remediations`: what was sent, with its outcome. */
export const remediationsCommand: CliCommand<ClientOptions> = {
  name: "remediations",
  describe: (command) =>
    readingOptions(command).description("What a running daemon sent, and what came of it."),
  run: (options, context) =>
    askAndPrint({ method: "GET", path: "/api/v1/status" }, statusAnswer, options, context, linesOf),
};

function linesOf({ remediations }: StatusAnswer): readonly string[] {
  if (remediations.length === 0) return ["none was sent"];
  return table(
    ["id", "outcome", "action", "entity", "rule", "requested", "approved by", "detail"],
    remediations.map((one) => [
      one.id,
      one.state,
      one.action,
      entityKey(one.entity),
      one.rule,
      formatInstant(one.requestedAt),
      one.approvedBy ?? "",
      one.detail,
    ]),
  );
}
