import type { ReadableSpan, SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace";
import { SECOND, type Millis } from "../../domain/time.ts";
import { messageOf } from "../../domain/error-message.ts";
import { settleWithin } from "../process/settle-within.ts";
import type { TracingReading } from "./tracing.ts";

/** The most spans that wait while the receiver is slow or down: about a megabyte. */
export const MOST_WAITING = 2_048;
const MOST_AT_ONCE = 512;
const SENT_EVERY: Millis = 2 * SECOND;
/** For the last spans, and for the exporter's end: a shutdown has five seconds, most of them for actions. */
const LAST_MAY_TAKE: Millis = SECOND / 4;

/** `ExportResultCode.SUCCESS`, from a package that we use for nothing else. */
const TAKEN = 0;
type Answer = { readonly code: number; readonly error?: Error };

export type SpanQueue = SpanProcessor & { readonly reading: () => TracingReading };

/**
 * Sends spans in batches, one at a time; no caller waits. Spans without room in the queue, and those that the receiver
 * does not take, are dropped and counted. `changed` gets the problem when the receiver takes no more, and undefined
 * when it does again.
 */
export function createSpanQueue(
  exporter: SpanExporter,
  changed: (problem: string | undefined) => void = () => undefined,
): SpanQueue {
  let waiting: ReadableSpan[] = [];
  let sending: Promise<void> | undefined;
  let exported = 0;
  let dropped = 0;
  let isTaking = true;

  async function send(): Promise<void> {
    const batch = waiting.slice(0, MOST_AT_ONCE);
    waiting = waiting.slice(MOST_AT_ONCE);
    const problem = await problemOf(exporter, batch);
    const isTaken = problem === undefined;
    if (isTaken) exported += batch.length;
    else dropped += batch.length;
    if (isTaken !== isTaking) changed(problem);
    isTaking = isTaken;
  }

  function begin(): void {
    if (waiting.length === 0) return;
    sending ??= send().finally(() => {
      sending = undefined;
      if (waiting.length >= MOST_AT_ONCE) begin();
    });
  }

  async function forceFlush(): Promise<void> {
    while (waiting.length > 0 || sending !== undefined) {
      begin();
      await sending;
    }
  }

  const timer = setInterval(begin, SENT_EVERY);
  timer.unref();
  return {
    onStart: () => undefined,
    onEnd: (span) => {
      if (waiting.length >= MOST_WAITING) dropped += 1;
      else waiting.push(span);
      if (waiting.length >= MOST_AT_ONCE) begin();
    },
    forceFlush,
    shutdown: async () => {
      clearInterval(timer);
      await settleWithin([forceFlush()], LAST_MAY_TAKE);
      dropped += waiting.length;
      waiting = [];
      await settleWithin([exporter.shutdown()], LAST_MAY_TAKE);
    },
    reading: () => ({ exported, dropped }),
  };
}

/** Why a batch was not taken; undefined if it was. */
function problemOf(exporter: SpanExporter, batch: ReadableSpan[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    try {
      exporter.export(batch, ({ code, error }: Answer) =>
        resolve(code === TAKEN ? undefined : messageOf(error)),
      );
    } catch (error) {
      resolve(messageOf(error));
    }
  });
}
