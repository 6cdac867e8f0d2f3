import { emptyState, type State } from "../../../src/core/state.ts";
import { step } from "../../../src/core/step.ts";
import type { Event, Policy } from "../../../src/domain/step.ts";
import type { WatchReading } from "../../../src/domain/watch.ts";
import type {
  HeartbeatReading,
  ReplicaReading,
  MetricEvent,
  MetricsSource,
  ClientReading,
} from "../../../src/io/metrics/definition.ts";
import { createMetrics, type Metrics } from "../../../src/io/metrics/metrics.ts";
import type { Chunk, Page } from "../../../src/io/metrics/page-bytes.ts";
import type { PollerSlots } from "../../../src/io/schedule/slot-counts.ts";
import { START } from "../../core/world.ts";
import { parseExposition, type Sample } from "./exposition.ts";

/** Metrics over the real core: events go in, a scrape comes out. */
export class Scraped {
  readonly state: State = emptyState();
  readonly policy: Policy;
  readonly metrics: Metrics;
  readonly errors: string[] = [];
  slots: readonly PollerSlots[] = [];
  clients: readonly ClientReading[] = [];
  journalWritable = true;
  reload = { successful: true, successAt: START, hash: 7 };
  watched: readonly WatchReading[] = [];
  journalBytes: number | undefined;
  heartbeat: HeartbeatReading | undefined;
  replica: ReplicaReading | undefined;
  now = START;

  constructor(policy: Policy, hasExemplars = false) {
    this.policy = policy;
    this.metrics = createMetrics({
      policy,
      source: () => ({
        version: "1.2.3",
        nodeVersion: "v24.0.0",
        startedAt: this.state.startedAt,
        policy,
        state: this.state,
        journalWritable: this.journalWritable,
        reload: this.reload,
        watched: () => this.watched,
        slots: () => this.slots,
        clients: () => this.clients,
        journalBytes: this.journalBytes,
        heartbeat: this.heartbeat,
        replica: this.replica,
      }),
      hasExemplars,
      onError: (metric, error) => this.errors.push(`${metric}: ${String(error)}`),
    });
  }

  tells(...events: readonly Event[]): this {
    for (const event of events) {
      this.now += 1_000;
      const { changes, findings } = step(this.policy, this.state, event, this.now);
      this.metrics.changed(changes);
      this.counts(findings);
    }
    return this;
  }

  counts(events: readonly MetricEvent[]): this {
    this.metrics.count(events);
    return this;
  }

  async text(): Promise<string> {
    return textOf(await this.metrics.render());
  }

  async samples(family: string): Promise<Sample[]> {
    return parseExposition(await this.text()).get(family)?.samples ?? [];
  }

  /** The series of a family as `label,label value`. */
  async series(family: string): Promise<string[]> {
    return (await this.samples(family)).map(
      ({ labels, value }) => `${Object.values(labels).join(",")} ${value}`,
    );
  }
}

/** Of a daemon that has just started, and has read nothing. */
export function sourceOf(policy: Policy): MetricsSource {
  return {
    version: "",
    nodeVersion: "",
    startedAt: 0,
    policy,
    state: emptyState(),
    journalWritable: true,
    reload: { successful: true, successAt: 0, hash: 1 },
    watched: () => [],
    slots: () => [],
    clients: () => [],
  };
}

/** The text of a page, or of a piece of one. */
export function textOf(piece: string | Chunk | Page): string {
  if (typeof piece === "string") return piece;
  return Buffer.from("plain" in piece ? piece.plain() : piece.bytes).toString();
}
