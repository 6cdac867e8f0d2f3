/** The types of the API's answers, for who reads them: no code. */
export type { AlertsJson } from "./lists/alerts.ts";
export type { EntitiesJson } from "./lists/entities.ts";
export type { PollersJson } from "./lists/pollers.ts";
export type { OverviewJson, StatusJson } from "./status-answer.ts";
