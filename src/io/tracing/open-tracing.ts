import type { Clock } from "../../domain/time.ts";
import { SECOND } from "../../domain/time.ts";
import type { Logger } from "../process/log.ts";
import { createSpanMaker } from "./span-maker.ts";
import { createSpanQueue } from "./span-queue.ts";
import type { Tracing } from "./tracing.ts";

const SENDING_MAY_TAKE = 10 * SECOND;
/** In characters: attributes may hold an aggregator's texts. */
const LONGEST_TEXT = 300;

type TracingWorld = {
  readonly version: string;
  readonly clock: Clock;
  readonly log: Pick<Logger, "info" | "warn">;
};

/** Loads OpenTelemetry, which only tracing needs. Sends to an OTLP receiver such as `http://127.0.0.1:4318`. */
export async function openTracing(
  endpoint: string,
  { version, clock, log }: TracingWorld,
): Promise<Tracing> {
  const [api, sdk, resources, otlp] = await Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/sdk-trace"),
    import("@opentelemetry/resources"),
    import("@opentelemetry/exporter-trace-otlp-http"),
  ]);
  const queue = createSpanQueue(
    new otlp.OTLPTraceExporter({
      url: `${endpoint.replace(/\/+$/, "")}/v1/traces`,
      timeoutMillis: SENDING_MAY_TAKE,
    }),
    (detail) => {
      if (detail === undefined) log.info("the receiver of traces takes spans again");
      else
        log.warn({ detail }, "the receiver of traces takes no spans: they are dropped and counted");
    },
  );
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({
      "service.name": "aggwatch",
      "service.version": version,
    }),
    spanProcessors: [queue],
    spanLimits: { attributeValueLengthLimit: LONGEST_TEXT, eventCountLimit: 100 },
    // No sampling: a sampler would separate an action from the polls that led to it.
    sampler: new sdk.AlwaysOnSampler(),
  });
  const maker = createSpanMaker(provider.getTracer("aggwatch", version), api, clock);
  return { ...maker, reading: queue.reading, close: () => provider.shutdown() };
}
