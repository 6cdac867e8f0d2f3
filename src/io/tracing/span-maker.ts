import type { Attributes, Context, Span, TraceAPI, Tracer } from "@opentelemetry/api";
import { entityKey } from "../../domain/entity.ts";
import { pollOutcome, surfaceKey, type Observation } from "../../domain/observation.ts";
import type { Event, Finding, StepResult } from "../../domain/step.ts";
import type { Clock, Instant, Millis } from "../../domain/time.ts";
import type { ShownStep, Tracing } from "./tracing.ts";

/** The parts of the library in use; only tracing loads it. */
type Api = { readonly trace: Pick<TraceAPI, "setSpan">; readonly ROOT_CONTEXT: Context };

/** The most open remediations, and the most requested probes, that are remembered; the oldest are forgotten first. */
const MOST_OPEN = 1_000;

/**
 * Makes the spans of a step after its commit: `poll` (or `notify`), in it `step`, in that `commit` and each `act`, and
 * in an `act` the step of its reply, and the `verify` that lasts until the remediation is settled. A probe belongs to
 * the trace of the step that requested it.
 */
export function createSpanMaker(
  tracer: Tracer,
  { trace, ROOT_CONTEXT }: Api,
  clock: Clock,
): Pick<Tracing, "committed" | "stepped"> {
  /** The `act`, or the `verify` after it, of each open remediation. */
  const open = new Map<string, Span>();
  /** The steps that requested a probe, by its surface. */
  const asked = new Map<string, Context>();
  let commitMs: Millis | undefined;

  const begin = (name: string, within: Context, at: Instant, attributes: Attributes = {}): Span =>
    tracer.startSpan(name, { startTime: at, attributes }, within);

  function outer(step: ShownStep): Context {
    const { event, at } = step;
    if (event.type === "acted") return answered(event, at);
    if (event.type === "observed") {
      const { observation } = event;
      const within = takeAsker(observation) ?? ROOT_CONTEXT;
      const span = begin("poll", within, at - observation.durationMs, pollAttributes(observation));
      span.end(at);
      return trace.setSpan(within, span);
    }
    if (event.type !== "notified") return ROOT_CONTEXT;
    const { batch, delivery } = event;
    const { channel, items } = batch;
    const attributes = { channel, outcome: delivery.outcome, notifications: items.length };
    const span = begin("notify", ROOT_CONTEXT, at - delivery.durationMs, attributes);
    span.end(at);
    return trace.setSpan(ROOT_CONTEXT, span);
  }

  function takeAsker({ origin, aggregator, poller, parts }: Observation): Context | undefined {
    if (origin !== "probe") return undefined;
    const keys = parts.map(({ surface }) => surfaceKey(aggregator, poller, surface));
    const found = keys.map((key) => asked.get(key)).find((one) => one !== undefined);
    for (const key of keys) asked.delete(key);
    return found;
  }

  /** A reply ends the act, and begins its `verify`. Returns the context of the act. */
  function answered({ remediation, reply }: Acted, at: Instant): Context {
    const act = open.get(remediation);
    if (act === undefined) return ROOT_CONTEXT;
    act.setAttribute("outcome", reply.outcome);
    act.end(at);
    const within = trace.setSpan(ROOT_CONTEXT, act);
    open.set(remediation, begin("verify", within, at, { remediation }));
    return within;
  }

  function settled(findings: readonly Finding[], at: Instant): void {
    for (const finding of findings) {
      if (finding.type !== "remediation" || finding.remediation.settledAt === undefined) continue;
      const { id, state } = finding.remediation;
      const span = open.get(id);
      open.delete(id);
      span?.setAttribute("state", state).end(at);
    }
  }

  function effects({ effects: all, findings }: StepResult, within: Context, now: Instant): void {
    for (const effect of all) {
      if (effect.type === "probe") {
        const { aggregator, poller, surface } = effect;
        remember(asked, surfaceKey(aggregator, poller, surface), within);
      } else if (effect.type === "act") {
        const attributes = actAttributes(effect, findings);
        remember(open, effect.remediation, begin("act", within, now, attributes))?.end(now);
      }
    }
  }

  return {
    committed: (tookMs) => {
      commitMs = tookMs;
    },
    stepped: (step) => {
      const { event, result, at } = step;
      const took = commitMs;
      commitMs = undefined;
      if (event.type === "tick" && result.findings.length + result.effects.length === 0)
        return undefined;
      const now = Math.max(at, clock.now());
      const within = outer(step);
      settled(result.findings, at);
      const span = begin("step", within, at, { event: event.type });
      for (const finding of result.findings) addFinding(span, finding, at);
      const own = trace.setSpan(within, span);
      if (took !== undefined) begin("commit", own, Math.max(at, now - took)).end(now);
      effects(result, own, now);
      span.end(now);
      const { traceId, spanId } = span.spanContext();
      return { trace_id: traceId, span_id: spanId };
    },
  };
}

/** Returns the value that was forgotten for it, if any. */
function remember<Value>(map: Map<string, Value>, key: string, value: Value): Value | undefined {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size <= MOST_OPEN || oldest === undefined) return undefined;
  const gone = map.get(oldest);
  map.delete(oldest);
  return gone;
}

function pollAttributes(observation: Observation): Attributes {
  const { aggregator, poller, origin, parts, earlier } = observation;
  const outcome = pollOutcome(parts, earlier);
  return { aggregator, poller, origin, outcome, surfaces: parts.length };
}

type Act = Extract<StepResult["effects"][number], { type: "act" }>;
type Acted = Extract<Event, { type: "acted" }>;

function actAttributes(effect: Act, findings: readonly Finding[]): Attributes {
  const { remediation: id, aggregator, action } = effect;
  const known = findings.flatMap((finding) =>
    finding.type === "remediation" && finding.remediation.id === id ? [finding.remediation] : [],
  );
  const [about] = known;
  return {
    remediation: id,
    aggregator,
    action,
    ...(about && { alert: about.alert, alertname: about.rule, entity: entityKey(about.entity) }),
  };
}

/** Alerts and remediations, by their ids; other findings are in the log, which names the span. */
function addFinding(span: Span, finding: Finding, at: Instant): void {
  if (finding.type === "alert") {
    const { key: alert, rule: alertname, entity } = finding.alert;
    const attributes = { alert, alertname, entity: entityKey(entity), change: finding.change };
    span.addEvent("alert", attributes, at);
  } else if (finding.type === "remediation") {
    const { id: remediation, alert, state } = finding.remediation;
    span.addEvent("remediation", { remediation, alert, state }, at);
  }
}
