import { readable } from "../../domain/shown/lookalike.ts";
import { isIn, touches, type Span } from "./span.ts";
import { lengthText } from "./time.ts";
import {
  subjectOf,
  textOf,
  worstFirst,
  type Happening,
  type Life,
  type Track,
} from "./timeline.ts";

/** More than these of one alert are counted. */
const MOST_PERIODS = 5;

/**
 * A draft of a post-mortem: what fired and failed for how long, and what happened, in order, for people to write
 * between the lines. Of what is `found`, the newest comes first.
 */
export function postMortem(
  tracks: readonly Track[],
  found: readonly Happening[],
  shown: Span,
): string {
  const own = found.filter(({ at }) => isIn(Date.parse(at), shown)).toReversed();
  return [
    `# Post-mortem: ${instant(shown.from)} to ${instant(shown.until)}`,
    "",
    "## Summary",
    "",
    "What happened, whom it hit, and for how long: …",
    "",
    "## What fired or failed",
    "",
    ...worstFirst(tracks, shown.until).flatMap((track) => linesOf(track, shown)),
    "",
    "## Timeline",
    "",
    ...own.map((one) => {
      const said = plain(textOf({ ...one, subject: subjectOf(one) }));
      return `- ${one.at} ${said.replaceAll(/[\\`*_[\]<>]/g, String.raw`\$&`)}`;
    }),
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

/** None of an alert that was only pending. */
function linesOf({ name, alias, severity, lives }: Track, shown: Span): readonly string[] {
  const periods = lives.filter((life) => life.state !== "pending" && touches(life, shown));
  if (periods.length === 0) return [];
  const named = plain(alias === undefined ? name : `${name} (${alias})`).replaceAll("`", "'");
  const of = severity === undefined ? "" : `, ${severity}`;
  const texts = periods.slice(0, MOST_PERIODS).map((life) => periodText(life, shown));
  const left = periods.length - texts.length;
  const more = left === 0 ? [] : [`and ${left} more ${left === 1 ? "time" : "times"}`];
  return [`- \`${named}\`${of}: ${[...texts, ...more].join("; ")}`];
}

function periodText({ state, from, until }: Life, shown: Span): string {
  const began = from === undefined ? `since before ${instant(shown.from)}` : `at ${instant(from)}`;
  const isOpen = until === undefined || until > shown.until;
  const end = isOpen ? shown.until : until;
  const length = from === undefined ? "" : ` for ${lengthText(end - from)}`;
  const ended = from === undefined && !isOpen ? ` until ${instant(end)}` : "";
  return `${state} ${began}${length}${ended}${isOpen ? ", and still at the end" : ""}`;
}

function instant(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, "Z");
}

/** As a person may read it, on one line: what an aggregator said must not become a heading or an item of its own. */
function plain(text: string): string {
  return readable(text).replaceAll(/\s+/g, " ");
}
