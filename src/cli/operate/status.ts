import { counted } from "../../domain/wording.ts";
import { formatScope } from "../../domain/hold.ts";
import { actingWord } from "../../domain/shown/acting.ts";
import { isReading } from "../../domain/shown/reading.ts";
import { succeed, type Result } from "../../domain/result.ts";
import type { Instant } from "../../domain/time.ts";
import type { ValueOf } from "../../io/api/codec.ts";
import { pollersAnswer } from "../../io/api/lists/pollers.ts";
import { overviewAnswer } from "../../io/api/overview/overview.ts";
import { statusAnswer } from "../../io/api/status-answer.ts";
import type { CliCommand, CliContext } from "../context.ts";
import { actingBanners } from "../../io/page/acting.ts";
import { ago, clock, length, withClocks } from "../../io/page/parts.ts";
import { bySeverity, heldPart, silencedPart } from "../../io/page/verdict.ts";
import { section } from "../table.ts";
import { proposalEnds, proposedName } from "./entity-name.ts";
import { objectionsTo } from "./approve.ts";
import { askAndPrint, askDaemon, OVERVIEW, watchingOptions, type WatchOptions } from "./client.ts";
import { printAll } from "./print-answers.ts";

/** `aggwatch status`: whether aggwatch may act, whether something is wrong, and what waits for a person. */
export const statusCommand: CliCommand<WatchOptions> = {
  name: "status",
  describe: (command) =>
    watchingOptions(command).description("What a running daemon knows, at a glance."),
  run: (options, context) =>
    options.json === true
      ? askAndPrint({ path: "/api/v1/status" }, statusAnswer, options, context, () => [])
      : printAll(() => askAtAGlance(options, context), options, context),
};

/** Not the status itself, which grows with all that is watched: making it takes a large deployment's loop seconds. */
async function askAtAGlance(
  options: WatchOptions,
  context: CliContext,
): Promise<Result<{ readonly lines: string[] }, string>> {
  const [overview, pollers] = await Promise.all([
    askDaemon({ path: OVERVIEW }, overviewAnswer, options, context),
    askDaemon({ path: "/api/v1/pollers?span=1m" }, pollersAnswer, options, context),
  ]);
  if (!overview.ok) return overview;
  if (!pollers.ok) return pollers;
  return succeed({ lines: linesOf(overview.value, pollers.value.rows, context.width) });
}

type Overview = ValueOf<typeof overviewAnswer>;
type Pollers = ValueOf<typeof pollersAnswer>["rows"];

function linesOf(status: Overview, all: Pollers, width: number | undefined): string[] {
  const groups = status.alertGroups.filter(({ firing }) => firing > 0);
  const firing = sumOf(groups, (group) => group.firing);
  const pending = sumOf(status.alertGroups, (group) => group.pending);
  const worst = firing === 0 ? "" : ` (${bySeverity(groups)}${silencedPart(status.silenced)})`;
  const { open, total } = status.remediationCounts;
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
    `alerts: ${firing} firing${worst}, ${pending} pending`,
    `remediations: ${open} open of ${total}`,
    ...status.aggregators.flatMap(({ name, kinds, watched }) => {
      const pollers = all.filter(({ entity }) => entity.aggregator === name);
      const up = pollers.filter(({ entity }) => isReading(entity)).length;
      const entities = sumOf(kinds, (kind) => kind.total);
      const lists = watched
        .map((one) => `${counted(one.entries, one.kind)} by ${one.source}`)
        .join(", ");
      return [
        `${name}: ${up} of ${counted(pollers.length, "poller")} up, ${counted(entities, "entity", "entities")}`,
        ...(lists === "" ? [] : [`  on the watch lists: ${lists}`]),
      ];
    }),
    ...proposals(status, width),
    ...overrides(status, width),
    ...channels(status, width),
  ];
}

function sumOf<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0);
}

function actionsText(status: Overview): string {
  const word = actingWord(status);
  if (word === "stopped") return word;
  const held = heldPart(status.holds);
  return [...held, ...(word === "held" ? [] : [word])].join(", otherwise ");
}

function noticeLine(notice: string): string {
  return `notice: ${withClocks(notice.split("\n")[0] ?? "")}`;
}

function proposals(status: Overview, width: number | undefined): readonly string[] {
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
      proposalEnds(one, status.at),
      withClocks(objectionsTo(one).join("; ")),
    ]),
    width,
    // `aggwatch approve` shows them.
    ["digest", "approvals", "rule", "expires"],
  );
}

function channels(status: Overview, width: number | undefined): readonly string[] {
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
  { at, holds, silences }: Overview,
  width: number | undefined,
): readonly string[] {
  const row = (what: string) => (one: Overview["holds"][number]) => [
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
