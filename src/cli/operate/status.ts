import { counted } from "../../domain/wording.ts";
import { formatScope } from "../../domain/hold.ts";
import { actingWord } from "../../domain/shown/acting.ts";
import type { Instant } from "../../domain/time.ts";
import { statusAnswer, type StatusAnswer } from "../../io/api/status-answer.ts";
import type { CliCommand } from "../context.ts";
import { actingBanners } from "../../io/page/acting.ts";
import { ago, clock, length, withClocks } from "../../io/page/parts.ts";
import { bySeverity, heldPart, silencedOf, silencedPart } from "../../io/page/verdict.ts";
import { section } from "../table.ts";
import { proposedName } from "./entity-name.ts";
import { objectionsTo } from "./approve.ts";
import { askAndPrint, watchingOptions, type WatchOptions } from "./client.ts";

/** `aggwatch status`: whether aggwatch may act, whether something is wrong, and what waits for a person. */
export const statusCommand: CliCommand<WatchOptions> = {
  name: "status",
  describe: (command) =>
    watchingOptions(command).description("What a running daemon knows, at a glance."),
  run: (options, context) =>
    askAndPrint({ path: "/api/v1/status" }, statusAnswer, options, context, linesOf),
};

function linesOf(status: StatusAnswer, width: number | undefined): string[] {
  const counts = Map.groupBy(status.alerts, ({ state }) => state);
  const firing = counts.get("firing") ?? [];
  const pending = counts.get("pending")?.length ?? 0;
  const worst =
    firing.length === 0 ? "" : ` (${bySeverity(firing)}${silencedPart(silencedOf(firing))})`;
  const open = status.remediations.filter(({ settledAt }) => settledAt === undefined);
  return [
    `aggwatch ${status.version}, up for ${length(status.at - status.startedAt)}, at ${clock(status.at)}`,
    `actions: ${actionsText(status)}`,
    ...status.killed.map(
      ({ source, since, by, reason }) =>
        `  killed by ${source} (${by}) ${ago(status.at, since)}: ${reason}`,
    ),
    ...(status.replica === undefined ? [] : [`replica: ${status.replica}`]),
    ...actingBanners(status).map(({ text }) => noticeLine(text)),
    ...status.notices.map(noticeLine),
    `alerts: ${firing.length} firing${worst}, ${pending} pending`,
    `remediations: ${open.length} open of ${status.remediations.length}`,
    ...status.aggregators.flatMap(({ name, pollers, entities, watched }) => {
      const up = pollers.filter(({ facts }) => facts["up"] === true).length;
      const lists = watched.map((one) => `${one.entries} ${one.kind} by ${one.source}`).join(", ");
      return [
        `${name}: ${up} of ${counted(pollers.length, "poller")} up, ${counted(entities.length, "entity", "entities")}`,
        ...(lists === "" ? [] : [`  on the watch lists: ${lists}`]),
      ];
    }),
    ...proposals(status, width),
    ...overrides(status, width),
    ...channels(status, width),
  ];
}

function actionsText(status: StatusAnswer): string {
  const word = actingWord(status);
  if (word === "stopped") return word;
  const held = heldPart(status.holds);
  return [...held, ...(word === "held" ? [] : [word])].join(", otherwise ");
}

function noticeLine(notice: string): string {
  return `notice: ${withClocks(notice.split("\n")[0] ?? "")}`;
}

function proposals(status: StatusAnswer, width: number | undefined): readonly string[] {
  return section(
    [
      "proposal",
      "digest",
      "state",
      "approvals",
      "action",
      "entity",
      "rule",
      "expires",
      "other objections",
    ],
    status.proposals.map((one) => [
      one.id,
      one.digest,
      one.state,
      `${one.approvals.length} of ${one.approvalsNeeded}`,
      one.action,
      proposedName(one),
      one.rule,
      ago(status.at, one.expiresAt),
      withClocks(objectionsTo(one).join("; ")),
    ]),
    width,
    // `aggwatch approve` shows them.
    ["digest", "approvals", "rule", "expires"],
  );
}

function channels(status: StatusAnswer, width: number | undefined): readonly string[] {
  return section(
    ["channel", "type", "waiting", "oldest", "last delivered", "last error"],
    status.channels.map((one) => [
      one.name,
      one.type,
      String(one.waiting),
      shown(status.at, one.oldest),
      shown(status.at, one.deliveredAt),
      one.lastError ?? "",
    ]),
    width,
    ["type", "oldest"],
  );
}

function overrides(
  { at, holds, silences }: StatusAnswer,
  width: number | undefined,
): readonly string[] {
  const row = (what: string) => (one: StatusAnswer["holds"][number]) => [
    what,
    one.id,
    formatScope(one.scope),
    one.owner,
    ago(at, one.until),
    one.reason,
  ];
  return section(
    ["what", "id", "covers", "owner", "until", "reason"],
    [...holds.map(row("hold")), ...silences.map(row("silence"))],
    width,
  );
}

function shown(at: Instant, then: Instant | undefined): string {
  return then === undefined ? "" : ago(at, then);
}
