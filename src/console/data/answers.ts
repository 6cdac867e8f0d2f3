import type {
  AlertsJson,
  EntitiesJson,
  FindingsJson,
  OverviewJson,
  PollersJson,
  RemediationsJson,
  TimelineJson,
} from "../../io/api/answers.ts";

/** The types of the API's answers, by the names that the console knows them by. */

export type {
  AlertJson as AlertDetail,
  AlertsJson as Alerts,
  BacktestJson as Backtest,
  EntitiesJson as Entities,
  EntityHistoryJson as EntityHistory,
  EntityJson as EntityDetail,
  ExplainJson as Explanation,
  OverviewJson as Overview,
  PollersJson as Pollers,
  RemediationsJson as Remediations,
  RulesJson as Rules,
  ScopeJson as Covered,
  TimelineJson as Happened,
  TimelineType,
  TrialJson as Trial,
  WatchJson as Watch,
} from "../../io/api/answers.ts";

export type Proposal = OverviewJson["proposals"][number];
export type AlertGroup = OverviewJson["alert_groups"][number];
export type Aggregator = OverviewJson["aggregators"][number];
export type Kind = Aggregator["kinds"][number];
export type Guard = Proposal["guards"][number];
export type Alert = AlertsJson["alerts"][number];
export type Entity = EntitiesJson["entities"][number];
export type Finding = FindingsJson[number];
export type HappenedRow = TimelineJson["rows"][number];
export type Poller = PollersJson["pollers"][number];
export type Remediation = RemediationsJson["remediations"][number];
