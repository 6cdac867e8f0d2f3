import { SETTLED_STATES } from "../domain/remediation.ts";
import { counted } from "../domain/wording.ts";
import { formatDuration, formatInstant, type Millis } from "../domain/time.ts";
import type { Shrunk } from "./shrink.ts";
import type { Summary } from "./summary.ts";
import type { Tally } from "./tally.ts";

/** A campaign for people; `subject` says what was run: `the rules as they are written`. */
export function renderSummary(summary: Summary, subject: string, realMs: Millis): string[] {
  const { runs, steps, simulatedMs, tally, worstDetection } = summary;
  const speed = simulatedMs / Math.max(1, realMs) / 3_600;
  return [
    `${counted(runs, "run")} of ${subject}`,
    `${formatDuration(simulatedMs)} of simulated time and ${steps} steps in ${formatDuration(realMs)} (${speed.toFixed(1)} hours a second)`,
    "",
    ...actionSection(tally.actions),
    ...section("actions that a guard stopped", tally.guards),
    ...section("alerts that fired", tally.alerts),
    ...section("of those, again within a quarter of an hour", tally.flaps),
    `proposals: ${tally.proposals}; messages to people: ${tally.messages}; crashes and restarts: ${tally.crashes}`,
    worstDetection === undefined
      ? "nothing bad was alerted"
      : `worst detection: ${worstDetection.rule} on ${worstDetection.entity} fired ${formatDuration(worstDetection.delayMs)} after it went bad (seed ${worstDetection.seed})`,
    "",
  ];
}

/** A line for each action: how often it was requested, and how it was settled. */
function actionSection(counts: Tally["actions"]): string[] {
  const names = [...new Set(Object.keys(counts).map((key) => key.split(" ")[0] ?? key))];
  if (names.length === 0) return ["actions: none"];
  const width = Math.max(...names.map((name) => name.length));
  const lines = names.map((name) => {
    const count = (state: string): number => counts[`${name} ${state}`] ?? 0;
    const outcomes = SETTLED_STATES.map((state) => `${count(state)} ${state}`).join(", ");
    const doubt = count("in_doubt");
    const doubted = doubt === 0 ? "" : `; ${doubt} in doubt until then`;
    return `  ${name.padEnd(width)}  ${count("requested")} requested: ${outcomes}${doubted}`;
  });
  return ["actions:", ...lines];
}

function section(title: string, counts: Readonly<Record<string, number>>): string[] {
  const entries = Object.entries(counts);
  if (entries.length === 0) return [`${title}: none`];
  const width = Math.max(...entries.map(([name]) => name.length));
  return [`${title}:`, ...entries.map(([name, count]) => `  ${name.padEnd(width)}  ${count}`)];
}

/** The most lines of a narration that are shown: the last ones led to the violation. */
const MOST_LINES = 100;

/** The events of the smallest run that still fails, with their times, up to the violation. */
export function renderNarration({ plan, outcome, eventsBefore }: Shrunk): string[] {
  const end = outcome.narration.findIndex(({ text }) => text.startsWith("VIOLATED"));
  const lines = end < 0 ? outcome.narration : outcome.narration.slice(0, end + 1);
  const shown = lines.slice(-MOST_LINES);
  const left = lines.length - shown.length;
  return [
    `  a smaller run that still fails, with ${plan.events.length} of ${eventsBefore} scheduled events:`,
    ...(left > 0 ? [`    (${left} lines before)`] : []),
    ...shown.map(({ at, text }) => `    ${formatInstant(plan.startsAt + at)}  ${text}`),
  ];
}
