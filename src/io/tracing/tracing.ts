import type { Event, StepResult } from "../../domain/step.ts";
import type { Instant, Millis } from "../../domain/time.ts";

/** Traces for OpenTelemetry: the way from a poll to an alert, an action and its outcome. */

/** A step that was decided and committed, before its effects are performed. */
export type ShownStep = {
  readonly event: Event;
  readonly result: StepResult;
  /** The instant of its event, at which it began. */
  readonly at: Instant;
};

/** The ids by which a log line, or a sample of a histogram, refers to its span. */
export type SpanIds = { readonly trace_id: string; readonly span_id: string };

export type Tracing = {
  /** Notes how long the commit of the next steps took. */
  readonly committed: (tookMs: Millis) => void;
  /** Makes the spans of a step; undefined for a tick without findings and effects, which has none. */
  readonly stepped: (step: ShownStep) => SpanIds | undefined;
  /** The spans that the receiver took, and those that were dropped because it did not, or because too many waited. */
  readonly reading: () => TracingReading;
  /** Sends the waiting spans, if that is quick. */
  readonly close: () => Promise<void>;
};

export type TracingReading = { readonly exported: number; readonly dropped: number };
