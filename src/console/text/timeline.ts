import type { Alert, Finding, HappenedRow } from "../data/answers.ts";
import { SEVERITIES, severityRank } from "../../domain/shown/severity.ts";
import { keyOf } from "./words.ts";

/** What happened, as lifetimes of alerts and as marks, from the findings of the journal. */
export type Timeline = {
  readonly from: number;
  readonly until: number;
  /** Pollers that failed, and then the alerts. */
  readonly tracks: readonly Track[];
  /** Marks that belong to no alert: holds, reloads, the kill switch, storms. */
  readonly marks: readonly Mark[];
};

/** The lifetimes of one alert, or the times at which a poller did not read all. */
export type Track = {
  readonly name: string;
  /** What people call the entity of the alert, if that is not its id. */
  readonly alias: string | undefined;
  readonly severity: string | undefined;
  readonly lives: readonly Life[];
  readonly marks: readonly Mark[];
};

/** `from` and `until` are undefined if it began before, or lasts longer than, what is shown. */
export type Life = {
  readonly state: "pending" | "firing" | "partial" | "truncated" | "failed";
  readonly from: number | undefined;
  readonly until: number | undefined;
};

export type Mark = { readonly at: number; readonly type: string; readonly text: string };

/** Of the findings of an alert, those that are marks on it. */
const ON_ALERTS = new Set(["remediation", "suppressed", "unconfirmed"]);
const ON_ALL = new Set(["hold", "command", "policy", "kill", "storm", "quarantine", "restart"]);

export type Happening = Finding & Partial<Pick<HappenedRow, "severity" | "alias" | "started_at">>;
type Active = Pick<
  Alert,
  "alertname" | "entity" | "alias" | "severity" | "state" | "active_at" | "fired_at"
>;

/**
 * From findings, the newest first, as the API gives them. Of an alert that was `active` after the newest of them, the
 * findings may be older than all; `lasting` is what was found before them of pollers that did not read all.
 */
export function timelineOf(
  findings: readonly Happening[],
  now: number,
  active: readonly Active[] = [],
  lasting: readonly Happening[] = [],
): Timeline {
  const inOrder = [...findings, ...lasting].toReversed();
  const alerts = new Map<string, OpenTrack>();
  const pollers = new Map<string, OpenTrack>();
  const marks: Mark[] = [];
  for (const finding of inOrder) {
    const { type, subject } = finding;
    const at = Date.parse(finding.at);
    if (type === "alert") live(trackOf(alerts, subject, finding).lives, finding, at);
    else if (type === "polled") poll(trackOf(pollers, `poller ${subject}`), finding, at);
    else if (ON_ALERTS.has(type))
      trackOf(alerts, subject).marks.push({ at, type, text: textOf(finding) });
    else if (ON_ALL.has(type)) marks.push({ at, type, text: textOf(finding) });
    if (isStart(finding)) for (const { lives } of pollers.values()) end(lives, at);
  }
  for (const alert of active) addActive(alerts, alert);
  const first = findings.at(-1);
  return {
    from: first === undefined ? now : Date.parse(first.at),
    until: now,
    tracks: [...pollers, ...alerts].map(([name, own]) => ({ name, ...own })),
    marks,
  };
}

/** Across a restart, what pollers were doing is unknown; if one still fails, that is reported again. */
export function isStart({ type, what }: Finding): boolean {
  return type === "restart" && what === "started";
}

/** The last finding up to an instant about each poller that did not read all then. The newest finding comes first. */
export function lastingPolls<One extends Finding>(
  findings: readonly One[],
  until: number,
): readonly One[] {
  const pollers = new Map<string, One>();
  for (const finding of findings) {
    if (Date.parse(finding.at) > until) continue;
    if (isStart(finding)) break;
    const { type, subject } = finding;
    if (type === "polled" && !pollers.has(subject)) pollers.set(subject, finding);
  }
  return [...pollers.values()].filter(({ what }) => what !== "complete");
}

/** The order at an instant: what is well last, then by severity, with the alerts of a rule together. */
export function worstFirst(tracks: readonly Track[], at: number): readonly Track[] {
  const badness = ({ lives }: Track): number =>
    Math.max(
      0,
      ...lives
        .filter(({ from = -Infinity, until = Infinity }) => from <= at && until > at)
        .map(({ state }) => BADNESS[state]),
    );
  return tracks
    .map((track) => ({ track, bad: badness(track), rank: rankOf(track) }))
    .toSorted(
      (one, other) =>
        other.bad - one.bad || other.rank - one.rank || compare(one.track.name, other.track.name),
    )
    .map(({ track }) => track);
}

/** A poller that does not read all comes before the alerts; an alert whose severity is not known comes last. */
function rankOf({ lives, severity }: Track): number {
  const isOfAlert = lives.every(({ state }) => state === "firing" || state === "pending");
  if (!isOfAlert) return SEVERITIES.length;
  return severity === undefined ? -1 : severityRank(severity);
}

/** A failing poller makes alerts unsure, and would not be seen below hundreds of them. */
const BADNESS = { firing: 2, failed: 2, truncated: 2, partial: 2, pending: 1 } as const;

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

type OpenTrack = {
  severity: string | undefined;
  alias: string | undefined;
  readonly lives: Life[];
  readonly marks: Mark[];
};

const EMPTY = { severity: undefined, alias: undefined };

function trackOf(
  tracks: Map<string, OpenTrack>,
  name: string,
  said: Partial<Pick<Happening, "severity" | "alias">> = {},
): OpenTrack {
  const track = tracks.get(name) ?? { ...EMPTY, lives: [], marks: [] };
  track.severity = said.severity ?? track.severity;
  track.alias = said.alias ?? track.alias;
  tracks.set(name, track);
  return track;
}

/** If an alert still lasts, it is known when it began, however long ago. */
function addActive(tracks: Map<string, OpenTrack>, alert: Active): void {
  const { alertname, entity, state, active_at: activeAt, fired_at: firedAt } = alert;
  const { lives } = trackOf(tracks, `${alertname}|${keyOf(entity)}`, alert);
  if (state === "resolved" || lives.some(({ until }) => until === undefined)) return;
  const [from, fired] = [Date.parse(activeAt), firedAt === null ? undefined : Date.parse(firedAt)];
  if (fired !== from) lives.push({ state: "pending", from, until: fired });
  if (fired !== undefined) lives.push({ state: "firing", from: fired, until: undefined });
}

function poll({ lives, marks }: OpenTrack, finding: Finding, at: number): void {
  const { what, type } = finding;
  // Recovery is only reported of a poller that failed.
  if (!end(lives, at) && what === "complete")
    lives.push({ state: "partial", from: undefined, until: at });
  if (what !== "partial" && what !== "truncated" && what !== "failed") return;
  lives.push({ state: what, from: at, until: undefined });
  marks.push({ at, type, text: textOf(finding) });
}

/** Ends the current life, if there is one. */
function end(lives: Life[], at: number): boolean {
  const last = lives.pop();
  if (last !== undefined) lives.push(last.until === undefined ? { ...last, until: at } : last);
  return last !== undefined;
}

/** Ends the current life, and begins the next. */
function live(lives: Life[], finding: Happening, at: number): void {
  const { what } = finding;
  // Lost data neither ends an alert nor changes its state.
  if (what === "unknown" || what === "known") return;
  if (!end(lives, at)) lives.push(...lifeBefore(finding, at));
  if (what === "pending" || what === "firing")
    lives.push({ state: what, from: at, until: undefined });
}

/** What an alert was before the first finding of it that is known: one whose rule has no `for` was never pending. */
function lifeBefore({ what, started_at: started }: Happening, at: number): readonly Life[] {
  if (what === "resolved") return [{ state: "firing", from: undefined, until: at }];
  const from = Date.parse(started ?? "");
  return what !== "pending" && from < at ? [{ state: "pending", from, until: at }] : [];
}

/** If each word of a text is in the subject or the alias, as the API's `named` has it. */
export function isNamed(text: string, named: Pick<HappenedRow, "subject" | "alias">): boolean {
  const said = `${named.subject} ${named.alias ?? ""}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => said.includes(word));
}

/** What it is about, with the name that people gave to its entity. */
export function subjectOf({ subject, alias = null }: Happening): string {
  return alias === null ? subject : `${subject} (${alias})`;
}

export function textOf({ type, subject, what, detail, by, reason }: Finding): string {
  const who = by === null ? [] : [`by ${by}`];
  const why = reason === null || reason === "" ? [] : [`(${reason})`];
  const said = detail === "" ? [] : [`– ${detail}`];
  return [type, subject, what, ...who, ...why, ...said].filter((part) => part !== "").join(" ");
}
