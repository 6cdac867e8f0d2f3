import type { ServerResponse } from "node:http";
import { describe, expect, test, type TestContext } from "vitest";
import { startServer, type Seen } from "../io/local-server.ts";
import { startAggregator } from "./aggregator.ts";
import { makeHome, startDaemon } from "./daemon.ts";
import { createEvents } from "./events.ts";
import { ACT_KEY, QUICK_RULES, quickConfig, remediationLine } from "./quick.ts";

/** Traces of a real daemon, at a receiver of OTLP over HTTP. */

type Attribute = { readonly key: string; readonly value: { readonly stringValue?: string } };

type Span = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly events: ReadonlyArray<{
    readonly name: string;
    readonly attributes: readonly Attribute[];
  }>;
};

type Body = {
  readonly resourceSpans: ReadonlyArray<{
    readonly scopeSpans: ReadonlyArray<{ readonly spans: readonly Span[] }>;
  }>;
};

type Answer = (seen: Seen, response: ServerResponse) => void;

const take: Answer = (_seen, response) => {
  response.setHeader("content-type", "application/json");
  response.end("{}");
};

async function startOtlpReceiver(context: TestContext, answer: Answer = take) {
  const spans = createEvents<Span>(context, "span");
  const asked = createEvents<string>(context, "request for spans");
  const server = await startServer((seen, response) => {
    asked.add(seen.url);
    answer(seen, response);
    const { resourceSpans } = JSON.parse(seen.body) as Body;
    for (const { scopeSpans } of resourceSpans)
      for (const one of scopeSpans) for (const span of one.spans) spans.add(span);
  });
  context.onTestFinished(server.close);
  return { url: server.baseUrl, spans, asked };
}

function attributesOf({
  attributes,
}: Pick<Span, "attributes">): Record<string, string | undefined> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));
}

async function begin(context: TestContext, tracing: string, env: Record<string, string> = {}) {
  const aggregator = await startAggregator(context);
  const config = `${quickConfig({ url: aggregator.url, mode: "act" })}${tracing}\n`;
  const home = makeHome(context, config, QUICK_RULES);
  const daemon = await startDaemon(context, home, { ...ACT_KEY, ...env });
  aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
  return { aggregator, daemon };
}

const isNamed = (name: string) => (span: Span) => span.name === name;

describe("a daemon that traces", () => {
  test("makes one trace of the poll, the step, its commit, the action and its verification", async (context) => {
    const receiver = await startOtlpReceiver(context);
    const { daemon } = await begin(context, `tracing: { otlp: { endpoint: "${receiver.url}" } }`);
    const verify = await receiver.spans.first(isNamed("verify"));
    expect(attributesOf(verify)).toMatchObject({ state: "verified" });
    expect(receiver.asked.all[0]).toBe("/v1/traces");
    const parentOf = (span: Span, name: string): Promise<Span> =>
      receiver.spans.first((one) => one.spanId === span.parentSpanId, { what: name });
    const act = await parentOf(verify, "act");
    const step = await parentOf(act, "step");
    const poll = await parentOf(step, "poll");
    expect([act.name, step.name, poll.name]).toEqual(["act", "step", "poll"]);
    expect(new Set([verify, act, step, poll].map(({ traceId }) => traceId)).size).toBe(1);
    const commit = receiver.spans.all.find(
      ({ name, parentSpanId }) => name === "commit" && parentSpanId === step.spanId,
    );
    expect(commit?.traceId).toBe(act.traceId);
    // Each begins once the one before it has ended.
    expect(BigInt(poll.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(step.startTimeUnixNano));
    expect(BigInt(step.startTimeUnixNano)).toBeLessThanOrEqual(BigInt(act.startTimeUnixNano));
    expect(BigInt(act.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(verify.startTimeUnixNano));
    const { remediation, alert, entity } = attributesOf(act);
    expect({ alert, entity }).toEqual({
      alert: "ExchangeDisabled|sim/exchange/BINANCE",
      entity: "sim/exchange/BINANCE",
    });
    const event = step.events.find(({ name }) => name === "remediation");
    expect(event && attributesOf(event)).toMatchObject({ remediation, alert });
    // The log names the span in which it was decided.
    const line = await daemon.line(remediationLine("requested"));
    expect(line).toMatchObject({ remediation, trace_id: step.traceId, span_id: step.spanId });
    // So does that of the answer, which is in the same trace.
    const answered = await daemon.line(remediationLine("acknowledged"));
    expect(answered).toMatchObject({ trace_id: act.traceId });
    await receiver.spans.first(
      ({ spanId, parentSpanId }) => spanId === answered["span_id"] && parentSpanId === act.spanId,
      { what: "the step of the answer" },
    );
    const scraped = await fetch(`${daemon.url}/metrics`, {
      headers: { accept: "application/openmetrics-text" },
    });
    expect(await scraped.text()).toMatch(
      /aggwatch_remediation_duration_seconds_bucket\{.*\} \d+ # \{trace_id="[0-9a-f]{32}",span_id="[0-9a-f]{16}"\} [\d.]+ [\d.]+/,
    );
    expect(await daemon.metric('aggwatch_trace_spans_total{outcome="dropped"}')).toBe(0);
  });

  test("goes on as if there were none if the receiver hangs, and counts what it drops", async (context) => {
    const receiver = await startOtlpReceiver(context, () => undefined);
    const { daemon } = await begin(context, "", { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
    await receiver.asked.first(() => true);
    await daemon.line(remediationLine("verified"));
    expect(await daemon.metric('aggwatch_trace_spans_total{outcome="exported"}')).toBe(0);
    expect(await daemon.end("SIGTERM")).toBe(0);
  });

  test("drops and counts what a receiver that is down does not take", async (context) => {
    const refuse: Answer = (_seen, response) => response.writeHead(400).end();
    const receiver = await startOtlpReceiver(context, refuse);
    const { daemon } = await begin(context, `tracing: { otlp: { endpoint: "${receiver.url}/" } }`);
    await daemon.line(remediationLine("verified"));
    await receiver.asked.next(() => true);
    await receiver.asked.next(() => true);
    const dropped = await daemon.metric('aggwatch_trace_spans_total{outcome="dropped"}');
    expect(dropped).toBeGreaterThan(0);
    const isAboutReceiver = ({ msg }: { readonly msg?: unknown }): boolean =>
      String(msg).startsWith("the receiver of traces takes no spans");
    await daemon.line(isAboutReceiver);
    expect(daemon.lines.filter(isAboutReceiver)).toHaveLength(1);
  });

  test("says at its start that the variable is not an address, and traces nothing", async (context) => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "localhost:4318" };
    const { daemon } = await begin(context, "", env);
    const line = await daemon.line(({ msg }) => String(msg).startsWith("nothing is traced"));
    expect(line).toMatchObject({
      msg: "nothing is traced: OTEL_EXPORTER_OTLP_ENDPOINT is not an http or https URL",
      hint: "for example http://127.0.0.1:4318",
    });
    expect(await daemon.line(remediationLine("verified"))).not.toHaveProperty("trace_id");
  });
});

test("a daemon that does not trace names no span", async (context) => {
  const { daemon } = await begin(context, "");
  const line = await daemon.line(remediationLine("verified"));
  expect(line).not.toHaveProperty("trace_id");
  const scraped = await fetch(`${daemon.url}/metrics`, {
    headers: { accept: "application/openmetrics-text" },
  });
  expect(await scraped.text()).not.toContain("trace_id");
});
