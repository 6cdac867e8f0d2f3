import { Option } from "commander";
import { entityKey } from "../../domain/entity.ts";
import { severityRank } from "../../domain/notification.ts";
import { formatDuration, SECOND, type Instant } from "../../domain/time.ts";
import { statusAnswer, type StatusAnswer } from "../../io/api/status-answer.ts";
import type { CliCommand } from "../context.ts";
import { table } from "../table.ts";
import { askAndPrint, watchingOptions, type WatchOptions } from "./client.ts";

type AlertsOptions = WatchOptions & {
  readonly all?: true;
  readonly aggregator?: string;
  readonly kind?: string;
  readonly alertname?: string;
  readonly state?: string;
};

type AlertAnswer = StatusAnswer["alerts"][number];

/** The worst first. */
const STATES = ["firing", "pending", "resolved"] as const satisfies readonly AlertAnswer["state"][];

/** `aggwatch alerts`: the alerts that fire or are pending. */
export const alertsCommand: CliCommand<AlertsOptions> = {
  name: "alerts",
  describe: (command) =>
    watchingOptions(command)
      .description("The alerts of a running daemon, the worst first.")
      .option("--all", "those that are just resolved, too")
      .option("--aggregator <name>", "those of one aggregator")
      .option("--kind <kind>", "those of one kind of entity")
      .option("--alertname <name>", "those of one rule")
      .addOption(new Option("--state <state>", "those in one state").choices(STATES)),
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
  status: StatusAnswer,
  options: AlertsOptions,
  width: number | undefined,
): readonly string[] {
  const shown = status.alerts
    .filter(
      ({ state, rule, entity }) =>
        (options.state === undefined
          ? options.all === true || state !== "resolved"
          : state === options.state) &&
        (options.aggregator ?? entity.aggregator) === entity.aggregator &&
        (options.kind ?? entity.kind) === entity.kind &&
        (options.alertname ?? rule) === rule,
    )
    .toSorted(
      (one, other) =>
        STATES.indexOf(one.state) - STATES.indexOf(other.state) ||
        severityRank(other.severity) - severityRank(one.severity) ||
        sinceOf(one) - sinceOf(other),
    );
  if (shown.length === 0) return [`no alert ${saidOf(options)}`];
  const aliases = aliasesOf(status);
  return table(
    ["state", "severity", "alert", "entity", "for", "not acted because"],
    shown.map((one) => [
      one.unknownSince === undefined ? one.state : `${one.state} (unknown)`,
      one.severity,
      one.rule,
      [entityKey(one.entity), aliases.get(entityKey(one.entity)) ?? []].flat().join(" "),
      formatDuration(Math.floor((status.at - sinceOf(one)) / SECOND) * SECOND),
      one.suppressed === undefined ? "" : `${one.suppressed.reason}: ${one.suppressed.detail}`,
    ]),
    width,
  );
}

function sinceOf({ resolvedAt, firedAt, activeAt }: AlertAnswer): Instant {
  return resolvedAt ?? firedAt ?? activeAt;
}

function saidOf({ state, aggregator, kind, alertname }: AlertsOptions): string {
  const filters = [aggregator, kind, alertname].filter((one) => one !== undefined);
  const what = state === undefined ? "is pending or firing" : `is ${state}`;
  return filters.length === 0 ? what : `of ${filters.join(", ")} ${what}`;
}

/** The names that people gave, of those that have one. */
function aliasesOf({ aggregators }: StatusAnswer): ReadonlyMap<string, string> {
  const aliases = new Map<string, string>();
  for (const { name: aggregator, entities } of aggregators)
    for (const { kind, id, facts } of entities) {
      const name = facts["name"] ?? facts["alias"];
      if (typeof name === "string" && name !== id)
        aliases.set(entityKey({ aggregator, kind, id }), `(${name})`);
    }
  return aliases;
}
