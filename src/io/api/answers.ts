import type { backtestAnswer } from "./backtest/answer.ts";
import type { JsonOf } from "./codec.ts";
import type { alertAnswer } from "./details/alert.ts";
import type { entityHistoryAnswer } from "./details/entity-history.ts";
import type { entityAnswer } from "./details/entity.ts";
import type { rulesAnswer } from "./details/rules.ts";
import type { timelineAnswer } from "./details/timeline.ts";
import type { explainAnswer } from "./explain.ts";
import type { findingRow } from "./finding-row.ts";
import type { alertsAnswer } from "./lists/alerts.ts";
import type { entitiesAnswer } from "./lists/entities.ts";
import type { pollersAnswer } from "./lists/pollers.ts";
import type { remediationsAnswer } from "./lists/remediations.ts";
import type { scopeAnswer } from "./lists/scope.ts";
import type { watchAnswer } from "./lists/watch-lists.ts";
import type { overviewAnswer } from "./overview/overview.ts";
import type { reloadAnswer } from "./reload.ts";
import type { statusAnswer } from "./status-answer.ts";
import type { holderAnswer } from "./token-holder.ts";
import type { trialAnswer } from "./trial/answer.ts";

/** The JSON types of the API's answers, for their readers: types only, no code. */

export type AlertJson = JsonOf<typeof alertAnswer>;
export type AlertsJson = JsonOf<typeof alertsAnswer>;
export type BacktestJson = JsonOf<typeof backtestAnswer>;
export type EntitiesJson = JsonOf<typeof entitiesAnswer>;
export type EntityHistoryJson = JsonOf<typeof entityHistoryAnswer>;
export type EntityJson = JsonOf<typeof entityAnswer>;
export type ExplainJson = JsonOf<typeof explainAnswer>;
export type FindingsJson = ReadonlyArray<JsonOf<typeof findingRow>>;
export type OverviewJson = JsonOf<typeof overviewAnswer>;
export type PollersJson = JsonOf<typeof pollersAnswer>;
export type ReloadJson = JsonOf<typeof reloadAnswer>;
export type RemediationsJson = JsonOf<typeof remediationsAnswer>;
export type RulesJson = JsonOf<typeof rulesAnswer>;
export type ScopeJson = JsonOf<typeof scopeAnswer>;
export type StatusJson = JsonOf<typeof statusAnswer>;
export type TimelineJson = JsonOf<typeof timelineAnswer>;
export type TokenHolderJson = JsonOf<typeof holderAnswer>;
export type TrialJson = JsonOf<typeof trialAnswer>;
export type WatchJson = JsonOf<typeof watchAnswer>;

export type { TimelineType } from "./details/timeline.ts";
