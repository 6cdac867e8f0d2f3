import { counted } from "../domain/wording.ts";
import { entityKey } from "../domain/entity.ts";
import { severityOf } from "../domain/shown/severity.ts";
import { formatDuration, formatSecond, type Instant } from "../domain/time.ts";
import type { Chart, Track, Report, Span } from "../io/report/report.ts";
import type { Backtest } from "./backtest.ts";
import type { AlertRun, Outcome } from "./outcome.ts";
import { endOf, MARK } from "./report.ts";

/** A backtest as data for a report in one file. */
export function backtestReport(
  backtest: Backtest,
  verdict: readonly string[],
  names: { readonly rules: string },
): Report {
  const { since, until, outcome, polls, problems } = backtest;
  return {
    title: `Backtest of ${names.rules}`,
    verdict,
    basis: [
      `Recorded ${formatSecond(since)} to ${formatSecond(until)} (${formatDuration(until - since)}), ${counted(polls, "reading")}.`,
      ...problems.map((problem) => `Left out: ${problem}`),
    ],
    timeline: {
      title: "Timeline",
      from: since,
      until,
      label: formatSecond,
      tracks: tracksOf(backtest),
    },
    charts: chartsOf(outcome),
    tables: tablesOf(outcome),
  };
}

/** The most tracks that are readable. The tables have all alerts. */
const MOST_TRACKS = 60;

function tracksOf({ outcome, gaps, until }: Backtest): readonly Track[] {
  const { alerts, actions, stopped } = outcome;
  const alertTracks = [
    ...Map.groupBy(
      alerts,
      ({ rule, entity }) => `${rule} ${entity.kind} ${entity.id} of ${entity.aggregator}`,
    ),
  ].map(([name, runs]): Track => ({ name, spans: runs.map((run) => alertSpan(run, until)) }));
  const track = (name: string, spans: readonly Span[]): readonly Track[] =>
    spans.length === 0 ? [] : [{ name, spans }];
  return [
    ...track(
      "nothing known",
      gaps.map((gap): Span => ({
        from: gap.from,
        until: gap.until,
        tone: "quiet",
        text: `no observations for ${formatDuration(gap.until - gap.from)}`,
      })),
    ),
    ...track(
      "actions sent",
      actions.map((one): Span => {
        const text = `${formatSecond(one.at)} ${one.action} ${entityKey(one.entity)}: ${one.state}`;
        return { from: one.at, tone: one.state === "verified" ? "good" : "warn", text };
      }),
    ),
    ...track(
      "held back by guards",
      stopped.map((one): Span => {
        const text = `${formatSecond(one.at)} ${one.reason}: ${one.action} ${entityKey(one.entity)}`;
        return { from: one.at, tone: "quiet", text };
      }),
    ),
    ...alertTracks.slice(0, MOST_TRACKS),
  ];
}

function alertSpan(run: AlertRun, end: Instant): Span {
  const { rule, entity, firedAt, resolvedAt, severity } = run;
  const until = resolvedAt ?? run.lostAt ?? end;
  const over = resolvedAt === undefined ? endOf(run) : `resolved ${formatSecond(resolvedAt)}`;
  return {
    from: firedAt,
    until,
    tone: severityOf(severity) === "critical" ? "bad" : "warn",
    text: `${rule} on ${entityKey(entity)}: fired ${formatSecond(firedAt)}, ${over}`,
  };
}

function chartsOf({ alerts, actions, stopped }: Outcome): readonly Chart[] {
  return [
    {
      title: "Alerts by rule",
      bars: barsOf(alerts, ({ rule }) => rule).map(([name, runs]) => {
        const fires = runs.filter(({ resolvedAt }) => resolvedAt === undefined).length;
        return {
          name,
          parts: [
            { count: runs.length - fires, tone: "warn", what: "resolved" },
            { count: fires, tone: "bad", what: "fire at the end" },
          ],
        };
      }),
    },
    {
      title: "Actions",
      bars: barsOf(actions, ({ action, state }) => `${action} ${state}`).map(([name, sent]) => ({
        name,
        parts: [
          {
            count: sent.length,
            tone: sent[0]?.state === "verified" ? "good" : "warn",
            what: "sent",
          },
        ],
      })),
    },
    {
      title: "Held back, by guard",
      bars: barsOf(stopped, ({ reason }) => reason).map(([name, stops]) => ({
        name,
        parts: [{ count: stops.length, tone: "quiet", what: "held back" }],
      })),
    },
  ];
}

function barsOf<Item>(items: readonly Item[], nameOf: (item: Item) => string) {
  return [...Map.groupBy(items, nameOf)].toSorted(
    ([, one], [, other]) => other.length - one.length,
  );
}

function tablesOf({ alerts, actions, stopped }: Outcome): Report["tables"] {
  const mark = ({ counterfactual }: { readonly counterfactual: boolean }): string =>
    counterfactual ? MARK : "";
  return [
    {
      title: "Alerts",
      heads: ["", "fired", "rule", "entity", "bad for", "resolved"],
      rows: alerts.map((run) => [
        mark(run),
        formatSecond(run.firedAt),
        run.rule,
        entityKey(run.entity),
        formatDuration(run.badMs),
        run.resolvedAt === undefined ? endOf(run) : formatSecond(run.resolvedAt),
      ]),
    },
    {
      title: "Actions that would have been sent",
      heads: ["", "at", "action", "entity", "by", "became"],
      rows: actions.map((one) => [
        mark(one),
        formatSecond(one.at),
        one.action,
        entityKey(one.entity),
        one.rule,
        one.state,
      ]),
    },
    {
      title: "Actions that guards would have held back",
      heads: ["", "at", "guard", "action", "entity", "why"],
      rows: stopped.map((one) => [
        mark(one),
        formatSecond(one.at),
        one.reason,
        one.action,
        entityKey(one.entity),
        one.detail,
      ]),
    },
  ];
}
