import { eachInSlices } from "../domain/slices.ts";
import type { Event, StepResult } from "../domain/step.ts";
import type { Instant } from "../domain/time.ts";
import { createFindingLog } from "../io/process/log-findings.ts";
import type { Logger } from "../io/process/log.ts";
import type { Metrics } from "../io/metrics/metrics.ts";
import type { Tracing } from "../io/tracing/tracing.ts";
import type { LoopDependencies } from "./loop.ts";

/** Those who are told what happens, beside log and metrics. */
export type Observers = {
  /** A tick has gone through the loop, commit and all. */
  readonly onTick?: (at: Instant) => void;
  /** Shown each step before it is counted and logged. */
  readonly onStep?: LoopDependencies["publish"];
  /** Makes spans of each step, which its log lines and samples then name. */
  readonly tracing?: Pick<Tracing, "stepped"> | undefined;
  /** Shown each bug in the core. */
  readonly onBug?: LoopDependencies["onBug"];
};

const LOST =
  "lost: a command that could not be written, as another goes on without it. Give it again";

/** Counts and logs what was found, and what went wrong. */
export function createPublisher(
  log: Logger,
  metrics: Metrics,
  { onStep, onBug, onTick, onResumed, tracing }: Observers & { readonly onResumed: () => void },
): Pick<LoopDependencies, "publish" | "onBug" | "onForgotten"> & {
  readonly broken: Promise<unknown>;
} {
  const writeLog = createFindingLog(log);
  const broken = Promise.withResolvers<unknown>();
  return {
    broken: broken.promise,
    publish: function* (event, result, at) {
      yield* onStep?.(event, result, at) ?? [];
      const span = tracing?.stepped({ event, result, at });
      metrics.changed([]);
      yield* eachInSlices(result.changes, (change) => metrics.changed([change]));
      yield* eachInSlices(result.findings, (finding) => {
        metrics.count([finding], span);
        writeLog([finding], span);
      });
      if (event.type === "tick") onTick?.(at);
      if (hasOtherCause(event, result))
        log.warn({ detail: event.detail }, "the journal cannot be written for another reason now");
      if (event.type !== "resumed") return;
      log.warn(
        { away_ms: event.awayMs },
        "resumed: the process could not run, or the clock was set",
      );
      onResumed();
    },
    onForgotten: (commands) => {
      for (const finding of commands.flatMap(({ result }) => result.findings)) {
        if (finding.type !== "command" || !finding.accepted) continue;
        const { by, reason, name, subject, detail } = finding;
        log.error({ by, reason, command: name, subject, detail }, LOST);
      }
    },
    onBug: (error, event, fatal) => {
      onBug?.(error, event, fatal);
      metrics.count([{ type: "bug" }]);
      log.fatal({ err: error, event: event.type, fatal }, "bug in the core: actions are stopped");
      if (fatal) broken.resolve(error);
    },
  };
}

/** The journal failed before too: that is no finding. */
function hasOtherCause(
  event: Event,
  { changes, findings }: StepResult,
): event is Extract<Event, { type: "journal" }> {
  const isChanged = changes.some(({ table }) => table === "kill");
  return event.type === "journal" && isChanged && !findings.some(({ type }) => type === "kill");
}
