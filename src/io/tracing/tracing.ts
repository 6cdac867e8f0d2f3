import type { Event, StepResult } from "../../domain/step.ts";
import type { Instant, Millis } from "../../domain/time.ts";

/** Traces, as OpenTelemetry has them: what led from a poll to an alert, an action, and its end. */

/** A step that was decided and committed, before its effects are performed. */
export type ShownStep = {
  readonly event: Event;
  readonly result: StepResult;
  /** The instant of its event, at which it began. */
  readonly at: Instant;
};

/** What a log line, or a sample of a histogram, refers to its span by. */
export type SpanIds = { readonly trace_id: string; readonly span_id: string };

export type Tracing = {
  /** How long the commit took whose steps are shown next. */
  readonly committed: (tookMs: Millis) => void;
  /** Makes the spans of a step; undefined if it has none, as nothing came of it. */
  readonly stepped: (step: ShownStep) => SpanIds | undefined;
  /** Spans that the receiver took, and those that were dropped as it did not, or as too many waited. */
  readonly reading: () => TracingReading;
  /** Sends what waits, if that is quick. */
  readonly close: () => Promise<void>;
};

export type TracingReading = { readonly exported: number; readonly dropped: number };
