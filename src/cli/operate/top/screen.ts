import type { WriteStream } from "node:tty";
import { entityKey, type EntityId, type Facts } from "../../../domain/entity.ts";
import { formatScope } from "../../../domain/hold.ts";
import { actingWord } from "../../../domain/shown/acting.ts";
import { isReading } from "../../../domain/shown/reading.ts";
import { ago, clock, length, withClocks } from "../../../io/page/parts.ts";
import type { ValueOf } from "../../../io/api/codec.ts";
import type { alertsAnswer } from "../../../io/api/lists/alerts.ts";
import type { pollersAnswer } from "../../../io/api/lists/pollers.ts";
import type { overviewAnswer } from "../../../io/api/overview/overview.ts";
import type { CliContext } from "../../context.ts";
import { cellsOf, startWithin } from "../../print/cells.ts";
import { forTerminal } from "../../print/for-terminal.ts";
import { entityName, proposalEnds, proposedName } from "../entity-name.ts";
import { plain, table } from "../../table.ts";

/** What the screen shows: as much as was asked for at one time. */
export type Shown = {
  readonly overview: ValueOf<typeof overviewAnswer>;
  readonly alerts: ValueOf<typeof alertsAnswer>;
  readonly pollers: ValueOf<typeof pollersAnswer>;
};

/** What can be chosen: what waits for a person, then what is wrong. */
export type Item = {
  readonly entity: EntityId;
  readonly rule: string;
  /** The proposal that it is, if it is one. */
  readonly proposal?: string;
};

export type Size = { readonly width: number; readonly height: number };

export function sizeOf({ width, streams }: CliContext): Size {
  const rows = (streams?.output as Partial<WriteStream> | undefined)?.rows;
  return { width: width ?? 80, height: rows || 24 };
}

const KEYS = "↑↓ choose  h hold  s silence  a approve  d deny  r ask  ? help  q quit";

/** What a command came to, and why the last question had no answer; the keys if there is neither. */
export function footOf(...said: readonly string[]): string {
  const texts = said.filter((text) => text !== "");
  return texts.length === 0 ? KEYS : texts.join("\n");
}

export function isSame(one: Item, other: Item): boolean {
  return (
    one.proposal === other.proposal &&
    one.rule === other.rule &&
    entityKey(one.entity) === entityKey(other.entity)
  );
}

export function itemsOf({ overview, alerts }: Shown): readonly Item[] {
  return [
    ...overview.proposals.map(({ id, entity, rule }) => ({ entity, rule, proposal: id })),
    ...alerts.rows.map(({ entity, rule }) => ({ entity, rule })),
  ];
}

/** The fewest lines of a list, on however low a screen: its heads, two rows, and how many more there are. */
const LEAST_LIST = 4;

/** What to show, and which item is chosen; `isOld` if the daemon has not answered since. */
type Screen = { readonly shown: Shown; readonly chosen: number; readonly isOld: boolean };

/** The lines of one screen; none is wider than it, and there are no more than fit. The last are `feet`. */
export function screenOf(
  { shown, chosen, isOld }: Screen,
  feet: readonly string[],
  { width, height }: Size,
): readonly string[] {
  const { overview } = shown;
  const room = Math.max(0, height - feet.length);
  const old = `aggwatch does not answer since ${clock(overview.at)}; what is below is old`;
  const now = `aggwatch ${overview.version}  ${clock(overview.at)}  actions: ${actingWord(overview) ?? ""}`;
  const head = [
    ...(isOld ? forTerminal(old, width) : [now, overview.verdict.headline]),
    ...(isOld ? [] : overview.verdict.lines),
    ...(overview.replica === undefined ? [] : [`replica: ${overview.replica}`]),
    ...overview.notices.map((notice) => `notice: ${withClocks(notice.split("\n")[0] ?? "")}`),
  ].slice(0, Math.max(1, room - LEAST_LIST - 1));
  const holds = [...overview.holds, ...overview.silences].map(
    ({ id, scope, owner, until, reason }) =>
      `${id}: ${formatScope(scope)}, ${owner}, ends ${ago(overview.at, until)}: ${reason}`,
  );
  // What is chosen must be seen, however many there are.
  const pollers = pollerLines(shown, width);
  const most = room - head.length - 3;
  const rows = Math.min(most, Math.max(3, most - 1 - pollers.length - holds.length));
  const lists = listLines(shown, chosen, Math.max(1, rows), width);
  const lines = [...head, "", ...lists, "", ...pollers, ...holds].slice(0, room);
  const padding = Array.from({ length: room - lines.length }, () => "");
  return [...lines, ...padding, ...feet].map((line) => cut(plain(line), width));
}

function listLines(
  { overview, alerts }: Shown,
  chosen: number,
  room: number,
  width: number,
): readonly string[] {
  const proposals = overview.proposals.map((one) => [
    "proposal",
    `${one.id} ${one.state}`,
    one.action,
    proposedName(one),
    proposalEnds(one, overview.at),
  ]);
  const rows = alerts.rows.map((one) => [
    // Until when is said below, where the silences are.
    one.silencedBy.length === 0
      ? one.state
      : `${one.state} (silenced by ${one.silencedBy.join(", ")})`,
    one.severity,
    one.rule,
    entityName(one.entity, one.alias),
    length(Math.max(0, overview.at - (one.resolvedAt ?? one.firedAt ?? one.activeAt))),
  ]);
  const all = [...proposals, ...rows];
  if (all.length === 0) return ["nothing is pending or firing, and nothing waits"];
  const [heads = "", ...body] = fittingTable(
    ["state", "severity", "what", "entity", "for"],
    all.map((cells) => cells.map((cell) => startWithin(cell, width))),
    width - 2,
  );
  const marked = body.map((line, index) => `${index === chosen ? "> " : "  "}${line}`);
  const first = Math.max(0, Math.min(chosen - Math.floor(room / 2), marked.length - room));
  const seen = marked.slice(first, first + room);
  const left = alerts.total + proposals.length - seen.length;
  return [`  ${heads}`, ...seen, ...(left > 0 ? [`  … and ${left} more`] : [])];
}

/** A row must be one line, so columns are left out if not all fit, but never the entity. */
function fittingTable(
  heads: readonly string[],
  rows: ReadonlyArray<readonly string[]>,
  width: number,
  [least, ...others]: readonly string[] = ["severity", "for", "state"],
): readonly string[] {
  const lines = table(heads, rows);
  if (least === undefined || lines.every((line) => cellsOf(line) <= width)) return lines;
  const without = (cells: readonly string[]): readonly string[] =>
    cells.filter((_, index) => heads[index] !== least);
  return fittingTable(without(heads), rows.map(without), width, others);
}

/** The worst first; those that are well are counted. */
function pollerLines({ pollers, overview }: Shown, width: number): readonly string[] {
  const bad = pollers.rows.filter(({ entity }) => !isReading(entity));
  const well = pollers.rows.length - bad.length;
  const cells = bad.map(({ entity, recent }) => {
    const last = recent.at(-1);
    return [
      `${entity.aggregator}/${entity.id}`,
      pollText(entity.facts, last?.outcome),
      last === undefined ? "" : ago(overview.at, last.at),
      last?.detail ?? String(entity.facts["error"] ?? ""),
    ];
  });
  const rows = table(["poller", "last poll", "when", "why"], cells, width);
  return [`pollers: ${well} of ${pollers.rows.length} up`, ...(bad.length > 0 ? rows : [])];
}

/** How the last poll went. It may have been before the start, or another replica's. */
function pollText({ up }: Facts, outcome: string | undefined): string {
  if (up === true) return "stale";
  return outcome ?? (up === undefined ? "not read yet" : "failed");
}

function cut(line: string, width: number): string {
  return cellsOf(line) <= width ? line : `${startWithin(line, width - 1)}…`;
}
