import { entityKey } from "../../domain/entity.ts";
import { formatInstant } from "../../domain/time.ts";
import { statusAnswer, type StatusAnswer } from "../../io/api/status-answer.ts";
import type { CliCommand } from "../context.ts";
import { table } from "../table.ts";
import { askAndPrint, readingOptions, type ClientOptions } from "./client.ts";

type AlertsOptions = ClientOptions & { readonly all?: true };

/** `aggwatch alerts`: the alerts that fire or are pending. */
export const alertsCommand: CliCommand<AlertsOptions> = {
  name: "alerts",
  describe: (command) =>
    readingOptions(command)
      .description("The alerts of a running daemon.")
      .option("--all", "those that are just resolved, too"),
  run: (options, context) =>
    askAndPrint(
      { method: "GET", path: "/api/v1/status" },
      statusAnswer,
      options,
      context,
      (status) => linesOf(status, options.all === true),
    ),
};

const ORDER = ["firing", "pending", "resolved"];

function linesOf({ alerts }: StatusAnswer, all: boolean): readonly string[] {
  const shown = alerts
    .filter(({ state }) => all || state !== "resolved")
    .toSorted((one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state));
  if (shown.length === 0) return ["no alert is pending or firing"];
  return table(
    ["state", "severity", "alert", "entity", "since", "not acted because"],
    shown.map((one) => [
      one.unknownSince === undefined ? one.state : `${one.state} (unknown)`,
      one.severity,
      one.rule,
      entityKey(one.entity),
      formatInstant(one.resolvedAt ?? one.firedAt ?? one.activeAt),
      one.suppressed === undefined ? "" : `${one.suppressed.reason}: ${one.suppressed.detail}`,
    ]),
  );
}
