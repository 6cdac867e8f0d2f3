import type {
  AlertsJson,
  EntitiesJson,
  FindingsJson,
  OverviewJson,
  PollersJson,
  RemediationsJson,
  TimelineJson,
} from "../../io/api/answers.ts";

/** The types of the API's answers, and of their parts. */
export type * from "../../io/api/answers.ts";

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
