import type {
  AlertJson,
  AlertsJson,
  BacktestJson,
  EntitiesJson,
  EntityHistoryJson,
  EntityJson,
  ExplainJson,
  FindingsJson,
  OverviewJson,
  PollersJson,
  RemediationsJson,
  RulesJson,
  TimelineJson,
  TimelineType,
  TrialJson,
  WatchJson,
} from "../../io/api/answers.ts";

/** The types of the API's answers, by the names that the console knows them by. */

export type Overview = OverviewJson;
export type Proposal = Overview["proposals"][number];
export type AlertGroup = Overview["alert_groups"][number];
export type Aggregator = Overview["aggregators"][number];
export type Alerts = AlertsJson;
export type Alert = Alerts["alerts"][number];
export type Entities = EntitiesJson;
export type Entity = Entities["entities"][number];
export type Explanation = ExplainJson;
export type Finding = FindingsJson[number];
export type Remediations = RemediationsJson;
export type Remediation = Remediations["remediations"][number];
export type Pollers = PollersJson;
export type Poller = Pollers["pollers"][number];
export type Kind = Aggregator["kinds"][number];
export type Guard = Proposal["guards"][number];
/** All about one alert, and about one entity. */
export type AlertDetail = AlertJson;
export type EntityDetail = EntityJson;
export type EntityHistory = EntityHistoryJson;
export type Rules = RulesJson;
export type Happened = TimelineJson;
export type HappenedRow = Happened["rows"][number];
export type { TimelineType };
export type Trial = TrialJson;
export type Backtest = BacktestJson;
export type Watch = WatchJson;
