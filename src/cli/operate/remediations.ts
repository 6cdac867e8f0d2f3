import { Option } from "commander";
import { REMEDIATION_STATES } from "../../domain/remediation.ts";
import { entityKey } from "../../domain/entity.ts";
import { statusAnswer, type StatusAnswer } from "../../io/api/status-answer.ts";
import type { CliCommand } from "../context.ts";
import { ago } from "../../io/page/parts.ts";
import { table } from "../table.ts";
import { askAndPrint, watchingOptions, type WatchOptions } from "./client.ts";

type RemediationsOptions = WatchOptions & {
  readonly aggregator?: string;
  readonly kind?: string;
  readonly alertname?: string;
  readonly state?: string;
};

/** `aggwatch remediations`: what was sent, with its outcome. */
export const remediationsCommand: CliCommand<RemediationsOptions> = {
  name: "remediations",
  describe: (command) =>
    watchingOptions(command)
      .description("What a running daemon sent, and what came of it.")
      .option("--aggregator <name>", "to one aggregator")
      .option("--kind <kind>", "for one kind of entity")
      .option("--alertname <name>", "by one rule")
      .addOption(new Option("--state <state>", "in one state").choices(REMEDIATION_STATES)),
  run: (options, context) =>
    askAndPrint(
      { method: "GET", path: "/api/v1/status" },
      statusAnswer,
      options,
      context,
      (status, width) => linesOf(status, options, width),
    ),
};

function linesOf(
  { at, remediations: all }: StatusAnswer,
  { aggregator, kind, alertname, state: wanted }: RemediationsOptions,
  width: number | undefined,
): readonly string[] {
  const remediations = all.filter(
    ({ entity, rule, state }) =>
      (aggregator ?? entity.aggregator) === entity.aggregator &&
      (kind ?? entity.kind) === entity.kind &&
      (alertname ?? rule) === rule &&
      (wanted ?? state) === state,
  );
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
    ["approved by", "rule", "requested"],
  );
}
