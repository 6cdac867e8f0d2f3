import { counted } from "../domain/wording.ts";
import { formatDuration } from "../domain/time.ts";
import type { Chart, Track, Report, Span, Tone } from "../io/report/report.ts";
import type { Moment } from "./moments.ts";
import type { Outcome } from "./outcome.ts";
import type { Summary } from "./summary.ts";
import type { Tally } from "./tally.ts";

/** A campaign as data for a report in one file; the timeline is that of the run `shown`. */
export function simulationReport(
  summary: Summary,
  verdict: readonly string[],
  subject: string,
  shown: Outcome,
): Report {
  const { runs, steps, simulatedMs, tally, violations } = summary;
  return {
    title: "Simulation",
    verdict,
    basis: [
      `${counted(runs, "run")} of ${subject}: ${formatDuration(simulatedMs)} of simulated time, ${steps} steps.`,
    ],
    timeline: {
      title: `Timeline of seed ${shown.seed}`,
      from: 0,
      until: shown.simulatedMs,
      label: formatDuration,
      tracks: tracksOf(shown),
    },
    charts: chartsOf(tally),
    tables: [
      {
        title: "Violations",
        heads: ["seed", "at", "invariant", "what"],
        rows: violations.map(({ seed, at, invariant, text }) => [
          String(seed),
          formatDuration(at),
          invariant,
          text,
        ]),
      },
      {
        title: `What happened in seed ${shown.seed}`,
        heads: ["at", "what"],
        rows: shown.narration.map(({ at, text }) => [formatDuration(at), text]),
      },
    ],
  };
}

const TONES: Readonly<Record<Moment["kind"], Tone>> = {
  violation: "bad",
  fault: "quiet",
  crash: "bad",
  action: "good",
  alert: "warn",
};

/** Violations and what happens to aggwatch come first, then what it does. */
const ORDER: readonly Moment["kind"][] = ["violation", "fault", "crash", "action", "alert"];

function tracksOf({ moments, simulatedMs }: Outcome): readonly Track[] {
  const tracks = [...Map.groupBy(moments, ({ track }) => track)].toSorted(
    ([, one], [, other]) => rankOf(one) - rankOf(other) || other.length - one.length,
  );
  return tracks.map(([name, own]) => ({ name, spans: own.map((one) => spanOf(one, simulatedMs)) }));
}

function rankOf([first]: readonly Moment[]): number {
  return first === undefined ? 0 : ORDER.indexOf(first.kind);
}

function spanOf({ kind, from, until, text }: Moment, end: number): Span {
  const span = { from, tone: TONES[kind], text: `${formatDuration(from)}: ${text}` };
  return kind === "alert" ? { ...span, until: until ?? end } : span;
}

function chartsOf({ alerts, flaps, actions, guards }: Tally): readonly Chart[] {
  return [
    {
      title: "Alerts by rule",
      bars: sorted(alerts).map(([name, count]) => ({
        name,
        parts: [
          { count: count - (flaps[name] ?? 0), tone: "warn", what: "fired" },
          { count: flaps[name] ?? 0, tone: "bad", what: "fired again within 15m" },
        ],
      })),
    },
    {
      title: "What became of actions",
      bars: sorted(actions).map(([name, count]) => ({
        name,
        parts: [
          {
            count,
            tone: name.endsWith(" verified") ? "good" : "quiet",
            what: name.endsWith(" verified") ? "seen to have worked" : "not seen to have worked",
          },
        ],
      })),
    },
    {
      title: "Held back, by guard",
      bars: sorted(guards).map(([name, count]) => ({
        name,
        parts: [{ count, tone: "quiet", what: "objections" }],
      })),
    },
  ];
}

function sorted(counts: Readonly<Record<string, number>>): ReadonlyArray<[string, number]> {
  return Object.entries(counts).toSorted(([, one], [, other]) => other - one);
}
