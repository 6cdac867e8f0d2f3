import { Counter, Histogram, type Registry } from "prom-client";
import { SECOND, type Millis } from "../../domain/time.ts";
import type { Described } from "./definition.ts";

/** What is counted where it happens, as no finding tells of it. */
export type Meters = {
  /** A commit to the journal, and how long it took. */
  readonly commit: (tookMs: Millis, isOk: boolean) => void;
  /** A bug in the core was caught. */
  readonly bug: () => void;
  readonly heartbeat: (outcome: HeartbeatOutcome) => void;
};

export const HEARTBEAT_OUTCOMES = ["sent", "failed", "withheld"] as const;
export type HeartbeatOutcome = (typeof HEARTBEAT_OUTCOMES)[number];

const COMMIT_RESULTS = ["ok", "failed"] as const;

const COMMITS = {
  name: "aggwatch_journal_commits_total",
  help: "Commits to the journal, by result.",
  labels: ["result"],
} as const satisfies Described;

const COMMIT_DURATION = {
  name: "aggwatch_journal_commit_duration_seconds",
  help: "How long commits to the journal took, until they were on disk.",
  labels: [],
} as const satisfies Described;

const COMMIT_BUCKETS = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];

const BUGS = {
  name: "aggwatch_bugs_total",
  help: "Bugs in the core that were caught; each stops all actions until a restart.",
  labels: [],
} as const satisfies Described;

const HEARTBEATS = {
  name: "aggwatch_heartbeats_total",
  help: "Heartbeats that were due: sent (and answered), failed (not answered), withheld (the work is not being done).",
  labels: ["outcome"],
} as const satisfies Described;

export const METER_COUNTERS: readonly Described[] = [COMMITS, BUGS, HEARTBEATS];
export const METER_HISTOGRAMS: readonly Described[] = [COMMIT_DURATION];

export function createMeters(registry: Registry): Meters {
  const commits = counter(registry, COMMITS);
  const bugs = counter(registry, BUGS);
  const heartbeats = counter(registry, HEARTBEATS);
  const duration = new Histogram<string>({
    ...described(COMMIT_DURATION),
    buckets: COMMIT_BUCKETS,
    registers: [registry],
  });
  for (const result of COMMIT_RESULTS) commits.inc({ result }, 0);
  for (const outcome of HEARTBEAT_OUTCOMES) heartbeats.inc({ outcome }, 0);
  return {
    commit: (tookMs, isOk) => {
      commits.inc({ result: isOk ? "ok" : "failed" });
      duration.observe(tookMs / SECOND);
    },
    bug: () => bugs.inc(),
    heartbeat: (outcome) => heartbeats.inc({ outcome }),
  };
}

function counter(registry: Registry, definition: Described): Counter<string> {
  return new Counter<string>({ ...described(definition), registers: [registry] });
}

/** A description in the client library's words. */
export function described({ name, help, labels }: Described): {
  name: string;
  help: string;
  labelNames: string[];
} {
  return { name, help, labelNames: [...labels] };
}
