import { statusSchema, type StatusWire } from "../io/api/status-wire.ts";
import { askAndPrint, readingOptions, type ClientOptions } from "./client.ts";
import type { CliCommand } from "./context.ts";
import { table } from "./table.ts";

type AlertsOptions = ClientOptions & { readonly all?: true };

/** `aggwatch alerts`: what fires and what is pending. */
export const alertsCommand: CliCommand<AlertsOptions> = {
  name: "alerts",
  describe: (command) =>
    readingOptions(command)
      .description("The alerts of a running daemon.")
      .option("--all", "those that are just resolved, too"),
  run: (options, context) =>
    askAndPrint(
      { method: "GET", path: "/api/v1/status" },
      statusSchema,
      options,
      context,
      (status) => tell(status, options.all === true),
    ),
};

const ORDER = ["firing", "pending", "resolved"];

function tell({ alerts }: StatusWire, all: boolean): readonly string[] {
  const shown = alerts
    .filter(({ state }) => all || state !== "resolved")
    .toSorted((one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state));
  if (shown.length === 0) return ["no alert is pending or firing"];
  return table(
    ["state", "severity", "alert", "entity", "since", "not acted because"],
    shown.map((one) => [
      one.unknown_since === null ? one.state : `${one.state} (unknown)`,
      one.severity,
      one.alertname,
      `${one.entity.aggregator}/${one.entity.kind}/${one.entity.id}`,
      one.resolved_at ?? one.fired_at ?? one.active_at,
      one.suppressed === null ? "" : `${one.suppressed.reason}: ${one.suppressed.detail}`,
    ]),
  );
}
