/** The types of the API's answers, for who reads them: no code. */
export type { BacktestJson } from "./backtest/answer.ts";
export type { AlertJson } from "./details/alert.ts";
export type { EntityJson } from "./details/entity.ts";
export type { RulesJson } from "./details/rules.ts";
export type { TimelineJson } from "./details/timeline.ts";
export type { Topics } from "./events/messages.ts";
export type { ExplainJson } from "./explain.ts";
export type { FindingsJson } from "./findings.ts";
export type { RemediationsJson } from "./lists/remediations.ts";
export type { AlertsJson } from "./lists/alerts.ts";
export type { EntitiesJson } from "./lists/entities.ts";
export type { PollersJson } from "./lists/pollers.ts";
export type { OverviewJson } from "./overview/overview.ts";
export type { ReloadJson } from "./reload.ts";
export type { StatusJson } from "./status-answer.ts";
export type { TokenHolderJson } from "./token-holder.ts";
export type { TrialJson } from "./trial/answer.ts";
