import type { ActionName, Mode } from "../../domain/action.ts";
import type { Budget } from "../../domain/rule.ts";
import type { Millis } from "../../domain/time.ts";
import type { SettingsText } from "./settings-schema.ts";

/** How it may act. */
export type ActionSettings = {
  readonly mode: Mode;
  readonly budget: Budget;
  readonly budgets: Readonly<Partial<Record<ActionName, Budget>>>;
  readonly settleAfterStartMs: Millis;
  readonly maxAgeMs: Millis;
  readonly confirmWithinMs: Millis;
  readonly approvalExpiresAfterMs: Millis;
  readonly undoWindowMs: Millis;
  readonly undoLimit: number;
  readonly rampIntervalMs: Millis;
  readonly killFile: string;
};

type ActionsText = SettingsText["actions"];

export function resolveActions(text: ActionsText, killFile: string): ActionSettings {
  return {
    mode: text.mode,
    budget: budgetOf(text.budget),
    budgets: budgetsOf(text.budgets),
    settleAfterStartMs: text.settle_after_start,
    maxAgeMs: text.max_age,
    confirmWithinMs: text.confirm_within,
    approvalExpiresAfterMs: text.approval_expires_after,
    undoWindowMs: text.undo_window,
    undoLimit: text.undo_limit,
    rampIntervalMs: text.ramp_interval,
    killFile,
  };
}

function budgetOf(text: { readonly max: number; readonly per: Millis }): Budget {
  return { max: text.max, perMs: text.per };
}

function budgetsOf(texts: ActionsText["budgets"]): Partial<Record<ActionName, Budget>> {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([name, budget]) =>
      budget === undefined ? [] : [[name, budgetOf(budget)]],
    ),
  );
}
