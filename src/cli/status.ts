import { statusSchema, type StatusWire } from "../io/api/status-wire.ts";
import { formatScope, type Scope } from "../domain/hold.ts";
import { askAndPrint, readingOptions, type ClientOptions } from "./client.ts";
import type { CliCommand } from "./context.ts";
import { table } from "./table.ts";

/** `aggwatch status`: is something wrong, may it act, what waits for a person. */
export const statusCommand: CliCommand<ClientOptions> = {
  name: "status",
  describe: (command) =>
    readingOptions(command).description("What a running daemon knows: at a glance."),
  run: (options, context) =>
    askAndPrint({ method: "GET", path: "/api/v1/status" }, statusSchema, options, context, tell),
};

function tell(status: StatusWire): string[] {
  const counts = Map.groupBy(status.alerts, ({ state }) => state);
  const count = (state: "firing" | "pending"): number => counts.get(state)?.length ?? 0;
  const open = status.remediations.filter(({ settled_at: settledAt }) => settledAt === null);
  return [
    `aggwatch ${status.version}, up since ${status.started_at}, at ${status.at}`,
    `actions: ${status.killed.length > 0 ? "stopped" : status.mode}`,
    ...status.killed.map(
      ({ source, since, by, reason }) => `  killed by ${source} (${by}) since ${since}: ${reason}`,
    ),
    ...status.notices.map((notice) => `notice: ${notice.split("\n")[0] ?? ""}`),
    `alerts: ${count("firing")} firing, ${count("pending")} pending`,
    `remediations: ${open.length} open of ${status.remediations.length}`,
    ...status.aggregators.flatMap(({ name, pollers, entities, watched }) => {
      const up = pollers.filter(({ facts }) => facts["up"] === true).length;
      const lists = watched.map((one) => `${one.entries} ${one.kind} by ${one.source}`).join(", ");
      return [
        `${name}: ${up} of ${pollers.length} pollers up, ${entities.length} entities`,
        ...(lists === "" ? [] : [`  on the watch lists: ${lists}`]),
      ];
    }),
    ...proposals(status),
    ...standing(status),
    ...channels(status),
    ...status.quarantines.map(
      ({ entity, since, reason }) => `quarantined: ${entity} since ${since}: ${reason}`,
    ),
    ...status.storms.map(({ rule, aggregator, detail, ramp }) =>
      ramp === null
        ? `storm: ${rule} on ${aggregator}: ${detail}`
        : `acting grows slowly (${rule} on ${aggregator}) until ${ramp.until}: ${detail}`,
    ),
  ];
}

function proposals(status: StatusWire): readonly string[] {
  if (status.proposals.length === 0) return [];
  return [
    "",
    ...table(
      ["proposal", "state", "approvals", "action", "entity", "rule", "expires", "other objections"],
      status.proposals.map((one) => [
        one.id,
        one.state,
        `${one.approvals.length} of ${one.approvals_needed}`,
        one.action,
        `${one.entity.aggregator}/${one.entity.kind}/${one.entity.id}`,
        one.rule,
        one.expires_at,
        one.guards
          .filter(({ guard, objects }) => objects && guard !== "approval")
          .map(({ guard, detail }) => `${guard}: ${detail}`)
          .join("; "),
      ]),
    ),
  ];
}

function channels(status: StatusWire): readonly string[] {
  if (status.channels.length === 0) return [];
  return [
    "",
    ...table(
      ["channel", "type", "waiting", "oldest since", "last delivered", "last error"],
      status.channels.map((one) => [
        one.name,
        one.type,
        String(one.waiting),
        one.oldest_since ?? "",
        one.delivered_at ?? "",
        one.last_error ?? "",
      ]),
    ),
  ];
}

function standing({ holds, silences }: StatusWire): readonly string[] {
  if (holds.length + silences.length === 0) return [];
  const row = (what: string) => (one: StatusWire["holds"][number]) => [
    what,
    one.id,
    formatScope(one.scope as Scope),
    one.owner,
    one.until,
    one.reason,
  ];
  return [
    "",
    ...table(
      ["what", "id", "covers", "owner", "until", "reason"],
      [...holds.map(row("hold")), ...silences.map(row("silence"))],
    ),
  ];
}
