import type { Finding } from "../data/answers.ts";

/** What happened, as lifetimes of alerts and as marks, from the findings of the journal. */
export type Timeline = {
  readonly from: number;
  readonly until: number;
  readonly tracks: readonly Track[];
  /** What is of the whole and of no alert: holds, reloads, the kill switch, storms. */
  readonly marks: readonly Mark[];
};

/** The lifetimes of one alert. */
export type Track = {
  readonly alert: string;
  readonly lives: readonly Life[];
  readonly marks: readonly Mark[];
};

/** `from` and `until` are undefined if the alert began before, or lasts longer than, what is shown. */
export type Life = {
  readonly state: "pending" | "firing";
  readonly from: number | undefined;
  readonly until: number | undefined;
};

export type Mark = { readonly at: number; readonly type: string; readonly text: string };

/** Of the findings of an alert, those that are marks on it. */
const ON_ALERTS = new Set(["remediation", "suppressed", "unconfirmed"]);
const ON_ALL = new Set(["hold", "command", "policy", "kill", "storm", "quarantine", "restart"]);

/** From findings, the newest first, as the API gives them. */
export function timelineOf(findings: readonly Finding[], now: number): Timeline {
  const inOrder = findings.toReversed();
  const tracks = new Map<string, { lives: Life[]; marks: Mark[] }>();
  const marks: Mark[] = [];
  const trackOf = (alert: string): { lives: Life[]; marks: Mark[] } => {
    const track = tracks.get(alert) ?? { lives: [], marks: [] };
    tracks.set(alert, track);
    return track;
  };
  for (const finding of inOrder) {
    const { type, subject } = finding;
    const at = Date.parse(finding.at);
    if (type === "alert") live(trackOf(subject).lives, finding.what, at);
    else if (ON_ALERTS.has(type)) trackOf(subject).marks.push({ at, type, text: textOf(finding) });
    else if (ON_ALL.has(type) || isFailedPoll(finding))
      marks.push({ at, type, text: textOf(finding) });
  }
  const first = inOrder[0];
  return {
    from: first === undefined ? now : Date.parse(first.at),
    until: now,
    tracks: [...tracks].map(([alert, own]) => ({ alert, ...own })),
    marks,
  };
}

/** Ends the life that goes on, and begins the next. */
function live(lives: Life[], change: string, at: number): void {
  const last = lives.pop();
  if (last !== undefined) lives.push(last.until === undefined ? { ...last, until: at } : last);
  // It was there before the first finding that is known.
  else if (change !== "pending")
    lives.push({ state: change === "firing" ? "pending" : "firing", from: undefined, until: at });
  if (change === "pending" || change === "firing")
    lives.push({ state: change, from: at, until: undefined });
}

function isFailedPoll({ type, what }: Finding): boolean {
  return type === "polled" && what !== "complete";
}

export function textOf({ type, subject, what, detail, by, reason }: Finding): string {
  const who = by === null ? [] : [`by ${by}`];
  const why = reason === null || reason === "" ? [] : [`(${reason})`];
  const said = detail === "" ? [] : [`– ${detail}`];
  return [type, subject, what, ...who, ...why, ...said].filter((part) => part !== "").join(" ");
}

/** A draft of a post-mortem: what happened, in order, for people to write between the lines. */
export function postMortem(
  findings: readonly Finding[],
  shown: { from: number; until: number },
): string {
  const instant = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, "Z");
  const own = findings
    .filter(({ at }) => Date.parse(at) >= shown.from && Date.parse(at) <= shown.until)
    .toReversed();
  const alerts = new Set(own.filter(({ type }) => type === "alert").map(({ subject }) => subject));
  return [
    `# Post-mortem: ${instant(shown.from)} to ${instant(shown.until)}`,
    "",
    "## Summary",
    "",
    "What happened, whom it hit, and for how long: …",
    "",
    "## Alerts",
    "",
    ...[...alerts].map((alert) => `- \`${alert.replaceAll("`", "'")}\``),
    "",
    "## Timeline",
    "",
    ...own.map((one) => `- ${one.at} ${textOf(one).replaceAll(/[\\`*_[\]<>]/g, String.raw`\$&`)}`),
    "",
    "## Causes",
    "",
    "…",
    "",
    "## What we do about it",
    "",
    "- [ ] …",
    "",
  ].join("\n");
}
