import type { EntityLimits } from "../../domain/limits.ts";
import type { ActingPolicy } from "../../domain/step.ts";
import type { Instant } from "../../domain/time.ts";
import type { BacktestResult } from "../../io/api/backtest/answer.ts";
import type { PackedPage } from "../../io/journal/record-pages.ts";
import type { StoredFinding } from "../../io/journal/rows.ts";

/** The messages between a daemon and its thread that replays the past. */

export type BacktestAsked =
  | { readonly type: "pages"; readonly pages: readonly PackedPage[] }
  /** What was really found, the newest first. */
  | { readonly type: "findings"; readonly findings: readonly StoredFinding[] }
  | {
      readonly type: "replay";
      readonly rules: ReadonlyArray<{ readonly name: string; readonly text: string }>;
      /** Other rules that these may name, and that are not replayed. */
      readonly otherAlerts: readonly string[];
      readonly acting: ActingPolicy;
      readonly limits: EntityLimits;
      readonly since: Instant;
      readonly until: Instant;
    };

export type BacktestReply =
  | { readonly type: "progress"; readonly progress: number }
  | { readonly type: "done"; readonly result: BacktestResult }
  | { readonly type: "failed"; readonly problem: string };
