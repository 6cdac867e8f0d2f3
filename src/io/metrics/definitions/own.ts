import { HEARTBEAT_REASONS } from "../../../core/explain/heartbeat.ts";
import { SECOND } from "../../../domain/time.ts";
import { counter, countGauge, gauge, histogram, plainGauge, scrapedCounter } from "../builders.ts";
import { HEARTBEAT_OUTCOMES, type Metric } from "../definition.ts";
import { LOOP_DELAY } from "../loop-delay.ts";
import { NODE_VERSION, oneOf, VERSION } from "../labels.ts";

/** aggwatch itself: its version, journal, config, heartbeat and event loop. */
export const ownMetrics: readonly Metric[] = [
  gauge({
    name: "aggwatch_build_info",
    help: "Always 1; the labels say what is running.",
    labels: [VERSION, NODE_VERSION],
    read: ({ version, nodeVersion }) => [[{ version, node_version: nodeVersion }, 1]],
  }),
  plainGauge({
    name: "aggwatch_started_timestamp_seconds",
    help: "When the watchdog started.",
    value: ({ startedAt }) => Math.max(0, startedAt) / SECOND,
  }),
  counter({
    name: "aggwatch_bugs_total",
    help: "Bugs in the core that were caught; each stops all actions until a restart.",
    labels: [],
    from: "bug",
    labelsOf: () => ({}),
  }),
  plainGauge({
    name: "aggwatch_config_last_reload_successful",
    help: "1 if config and rules could be read the last time, else 0 (then the previous ones are in force).",
    value: ({ reload }) => Number(reload.successful),
  }),
  plainGauge({
    name: "aggwatch_config_last_reload_success_timestamp_seconds",
    help: "When config and rules were last read without a problem; the start counts.",
    value: ({ reload }) => reload.successAt / SECOND,
  }),
  plainGauge({
    name: "aggwatch_config_hash",
    help: "A hash of the config and rules in force, without secrets.",
    value: ({ reload }) => reload.hash,
  }),
  plainGauge({
    name: "aggwatch_journal_writable",
    help: "1 if the last commit to the journal succeeded, else 0 (then no action is sent).",
    value: ({ journalWritable }) => Number(journalWritable),
  }),
  plainGauge({
    name: "aggwatch_journal_size_bytes",
    help: "Size of the journal's files, in bytes.",
    value: ({ journalBytes }) => journalBytes,
  }),
  counter({
    name: "aggwatch_journal_commits_total",
    help: "Commits to the journal, by result.",
    labels: [oneOf("result", ["ok", "failed"])],
    from: "commit",
    labelsOf: ({ isOk }) => ({ result: isOk ? "ok" : "failed" }) as const,
  }),
  histogram({
    name: "aggwatch_journal_commit_duration_seconds",
    help: "How long commits to the journal took, until they were on disk.",
    labels: [],
    from: "commit",
    buckets: [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    sample: ({ tookMs }) => [{}, tookMs / SECOND],
  }),
  counter({
    name: "aggwatch_record_gaps_total",
    help: "How often observations were lost, because the journal could not be written for too long.",
    labels: [],
    from: "record_lost",
    labelsOf: () => ({}),
  }),
  countGauge({
    name: "aggwatch_heartbeat_withheld",
    help: "1 for each reason for which the heartbeat is withheld, or would be if one were configured, else 0.",
    labels: [oneOf("reason", HEARTBEAT_REASONS)],
    items: ({ heartbeat }) => heartbeat?.reasons.map((reason) => ({ reason })) ?? [],
  }),
  plainGauge({
    name: "aggwatch_heartbeat_last_success_timestamp_seconds",
    help: "When the heartbeat was last answered; 0 before the first, absent if none is configured.",
    value: ({ heartbeat }) => {
      const at = heartbeat?.lastSuccessAt;
      return at === undefined ? undefined : at / SECOND;
    },
  }),
  counter({
    name: "aggwatch_heartbeats_total",
    help: "Heartbeats that were due: sent (and answered), failed (not answered), withheld (the work is not being done).",
    labels: [oneOf("outcome", HEARTBEAT_OUTCOMES)],
    from: "heartbeat",
    labelsOf: ({ outcome }) => ({ outcome }),
  }),
  scrapedCounter({
    name: "aggwatch_trace_spans_total",
    help: "Spans that the receiver of traces accepted (exported), and spans that it did not accept or that were too many to wait (dropped).",
    labels: [oneOf("outcome", ["exported", "dropped"])],
    read: ({ tracing }) =>
      [
        [{ outcome: "exported" }, tracing?.exported ?? 0],
        [{ outcome: "dropped" }, tracing?.dropped ?? 0],
      ] as const,
  }),
  LOOP_DELAY,
];
