import { counted } from "../../domain/wording.ts";
import type { AlertStatus } from "../../core/explain/alert-status.ts";
import type { Overview } from "../../core/explain/status.ts";
import type { Alert } from "../../domain/alert.ts";
import type { Facts } from "../../domain/entity.ts";
import { holdsAll, whoseOf } from "../../domain/shown/acting.ts";
import { formatScope, type Hold } from "../../domain/hold.ts";
import { isReading } from "../../domain/shown/reading.ts";
import { severityOf, severityRank } from "../../domain/shown/severity.ts";
import { clock, length } from "./parts.ts";

export const VERDICT_TONES = ["well", "unsure", "warning", "bad"] as const;

/** The summary: if something is wrong, if aggwatch can read, and if it may act. */
export type Verdict = {
  readonly tone: (typeof VERDICT_TONES)[number];
  readonly headline: string;
  /** One sentence each on watching and acting, and one on waiting proposals. */
  readonly lines: readonly string[];
};

/** What it is made of. */
type Judged = Pick<Overview, "at" | "killed" | "holds" | "proposals" | "storms"> & {
  /** How many of the alerts that fire are silenced. */
  readonly silenced: number;
  /** Undefined if it is not known, as of the past. */
  readonly mode: Overview["mode"] | undefined;
  readonly alerts: ReadonlyArray<Pick<Alert, "state" | "severity" | "firedAt" | "activeAt">>;
  readonly aggregators: readonly unknown[];
  readonly pollers: ReadonlyArray<{ readonly facts: Facts }>;
};

/** Judges a status at a glance; `problems` are those of aggwatch itself. */
export function verdictOf(status: Judged, problems: readonly string[]): Verdict {
  return {
    ...headlineOf(status, problems),
    lines: [watchingLine(status), ...actingLine(status), ...waitingLine(status)],
  };
}

function headlineOf(
  status: Judged,
  problems: readonly string[],
): Pick<Verdict, "tone" | "headline"> {
  if (problems.length > 0) return { tone: "bad", headline: `aggwatch is not well: ${problems[0]}` };
  const firing = status.alerts.filter(({ state }) => state === "firing");
  if (firing.length > 0) return { tone: toneOf(firing), headline: firingHeadline(status, firing) };
  const { all, unread, down, partial } = pollersOf(status);
  if (all === 0)
    return { tone: "unsure", headline: "Nothing is watched: no poller has anything to ask for" };
  if (unread > 0)
    return { tone: "unsure", headline: "Too early to say: not everything has been read yet" };
  if (down > 0 || partial.length > 0)
    return { tone: "warning", headline: "Not everything is read" };
  if (status.killed.some(({ source }) => source === "journal"))
    return { tone: "warning", headline: "The journal cannot be written" };
  const pending = status.alerts.filter(({ state }) => state === "pending").length;
  if (pending === 0) return { tone: "well", headline: "All is well" };
  return { tone: "warning", headline: `Nothing fires; ${counted(pending, "alert")} pending` };
}

function toneOf(firing: Judged["alerts"]): Verdict["tone"] {
  return firing.some(({ severity }) => severityOf(severity) === "critical") ? "bad" : "warning";
}

function firingHeadline(status: Judged, firing: Judged["alerts"]): string {
  // As arguments of one call, so many as can fire at once would not fit on the stack.
  const oldest = firing.reduce(
    (least, { firedAt, activeAt }) => Math.min(least, firedAt ?? activeAt),
    status.at,
  );
  const each = firing.map(({ severity }) => ({ severity, firing: 1 }));
  const many = `${counted(firing.length, "alert")} firing (${bySeverity(each)})`;
  return `${many}, the oldest for ${length(status.at - oldest)}${silencedPart(status.silenced)}`;
}

/** How many alerts of each severity there are, the worst first: `2 critical, 1 warning`. */
export function bySeverity(
  alerts: ReadonlyArray<{ readonly severity: string; readonly firing: number }>,
): string {
  return [...Map.groupBy(alerts, ({ severity }) => severity)]
    .toSorted(([one], [other]) => severityRank(other) - severityRank(one))
    .map(([severity, own]) => `${own.reduce((sum, { firing }) => sum + firing, 0)} ${severity}`)
    .join(", ");
}

/** How many of the alerts that fire are silenced. */
export function silencedOf(
  alerts: ReadonlyArray<Pick<AlertStatus, "state" | "silencedBy">>,
): number {
  return alerts.filter((one) => one.state === "firing" && one.silencedBy.length > 0).length;
}

/** That some of the alerts that fire are silenced, as the end of a sentence; empty if none is. */
export function silencedPart(silenced: number): string {
  return silenced === 0 ? "" : `; ${silenced} of them silenced`;
}

function watchingLine(status: Judged): string {
  const { partial } = pollersOf(status);
  const names = [...new Set(partial.map(({ facts }) => String(facts["name"])))].join(", ");
  const cut = `Not read whole: ${names}; what is affected is unknown, or not repaired.`;
  return partial.length === 0 ? readLine(status) : `${readLine(status)} ${cut}`;
}

function readLine(status: Judged): string {
  const { all, unread, down } = pollersOf(status);
  const well = all - unread - down;
  const what = status.aggregators.length > 1 ? "their aggregators" : "the aggregator";
  if (well === all)
    return all === 1
      ? "Watching: the one poller reads the aggregator."
      : `Watching: all ${all} pollers read ${what}.`;
  if (unread === all) return `Watching: none of ${counted(all, "poller")} has read yet.`;
  const seen =
    well === 0 ? `none of ${counted(all, "poller")} reads` : `only ${well} of ${all} pollers read`;
  return `Watching: ${seen} ${what}. What is not read is shown as last seen; its alerts stand still.`;
}

function actingLine(status: Judged): string[] {
  const [kill] = status.killed;
  if (kill !== undefined) {
    const since = length(status.at - kill.since);
    return [`Acting: STOPPED ${since} ago, nothing is sent (${kill.reason}).`];
  }
  const { mode, holds, storms } = status;
  const held = heldPart(holds).map((part) => `Acting: ${part}.`);
  if (holds.some(holdsAll)) return held;
  const lasting = storms.filter(({ ramp }) => ramp === undefined);
  const lines = [...held, ...stormLine(lasting), ...rampLine(storms)];
  if (mode === undefined) return lines;
  return [...lines, `Acting: ${lines.length > 0 ? "otherwise " : ""}${ACTING[mode]}`];
}

const ACTING: Readonly<Record<Overview["mode"], string>> = {
  shadow: "no (shadow). It records what it would do.",
  propose: "only what a person approves (propose).",
  act: "yes, if a rule says so.",
};

const MOST_HOLDS = 3;

/** What is held, or of all of it that everything is: as one text, or none if nothing is. */
export function heldPart(holds: readonly Hold[]): string[] {
  if (holds.length === 0) return [];
  const ofAll = holds.filter(holdsAll);
  const told = ofAll.length > 0 ? ofAll : holds;
  const named = told.slice(0, MOST_HOLDS).map(({ id, scope, owner, until }) => {
    return `${formatScope(scope)}, ${id} of ${owner}, until ${clock(until)}`;
  });
  const more = told.length - named.length;
  return [`held (${named.join("; ")}${more > 0 ? `; and ${more} more` : ""})`];
}

/** The rules come last, as a line may be cut. */
function stormLine(lasting: Overview["storms"]): string[] {
  if (lasting.length === 0) return [];
  return [`Acting: a storm holds back ${lasting.map(whoseOf).join(", ")}.`];
}

function rampLine(storms: Overview["storms"]): string[] {
  const ramps = storms.flatMap(({ ramp }) => (ramp === undefined ? [] : [ramp.until]));
  if (ramps.length === 0) return [];
  const whose = storms.filter(({ ramp }) => ramp !== undefined).map(whoseOf);
  return [`Acting: slowly by ${whose.join(", ")} until ${clock(Math.max(...ramps))}.`];
}

function waitingLine(status: Judged): string[] {
  const waiting = status.proposals.filter(({ state }) => state === "waiting").length;
  return waiting === 0 ? [] : [`${counted(waiting, "proposal")} waiting for a person.`];
}

/** Facts of a poller that are not 0 if it does not read all of what it is to read. */
const READ_IN_PART = ["failing_surfaces", "truncated_surfaces", "left_out"];

function pollersOf({ pollers }: Judged): {
  readonly all: number;
  readonly unread: number;
  readonly down: number;
  /** Those that read, and not all. */
  readonly partial: Judged["pollers"];
} {
  const unread = pollers.filter(({ facts }) => facts["up"] === undefined).length;
  const well = pollers.filter(isReading);
  const partial = well.filter(({ facts }) => READ_IN_PART.some((fact) => Number(facts[fact]) > 0));
  return { all: pollers.length, unread, down: pollers.length - unread - well.length, partial };
}
