import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expressions, filledIn } from "../deploy/dashboard-file.ts";
import { alerts, read, recordings } from "../deploy/rule-files.ts";
import { EVERY_POLLER, WATCH_FILE } from "./every-poller.ts";
import { quick, startAlerting, startPrometheus } from "./monitoring.ts";
import type { Alerting, Tools } from "./monitoring.ts";
import type { Told } from "./people.ts";
import {
  activeAlerts,
  knownAlerts,
  rulesOf,
  seriesOf,
  silence,
  targetsOf,
} from "./prometheus-api.ts";
import type { ServerProgram } from "./server-program.ts";
import { startDemo } from "./start-demo.ts";
import type { Demo } from "./start-demo.ts";
import { findTool } from "./tools.ts";
import { until } from "./until.ts";

const needs = "the way from the daemon to people";
const prometheusPath = findTool(["prometheus"], needs);
const alertmanagerPath = findTool(["prometheus-alertmanager", "alertmanager"], needs);
const tools: Tools = { prometheus: prometheusPath ?? "", alertmanager: alertmanagerPath ?? "" };
const isMissing = prometheusPath === undefined || alertmanagerPath === undefined;

describe.skipIf(isMissing)("with the real Prometheus and Alertmanager", () => {
  let demo: Demo;
  let alerting: Alerting;
  let prometheus: ServerProgram;

  beforeAll(async () => {
    alerting = await startAlerting(tools);
    demo = await startDemo({
      aggregator: EVERY_POLLER.aggregator,
      config: ["notify:", "  resend_interval: 1s", `  alertmanagers: [${alerting.url}]`, ""],
      files: { ...EVERY_POLLER.files, "rules/exchanges.yaml": quick(read("rules/exchanges.yaml")) },
      rules: "rules",
    });
    prometheus = await startPrometheus(tools, demo.url, alerting.url);
  });

  afterAll(async () => {
    await prometheus?.stop();
    await demo?.stop();
    await alerting?.stop();
  });

  const toggle = async (exchange: string, method: "POST" | "DELETE"): Promise<void> => {
    const url = `${demo.simulatorUrl}/api/v1/exchange/toggle/${exchange}`;
    expect((await fetch(url, { method })).status).toBe(200);
  };
  const disable = (exchange: string): Promise<void> => toggle(exchange, "DELETE");
  const enable = (exchange: string): Promise<void> => toggle(exchange, "POST");

  /** The notifications about an exchange, one way or the other. */
  const toldOf = (exchange: string, way: Way): Told[] =>
    alerting.people.told.filter(
      ({ labels }) =>
        labels["alertname"] === "ExchangeDisabled" && labels[NAMED_BY[way]] === exchange,
    );
  const people = (status: Told["status"], exchange: string, way: Way): Promise<Told> =>
    until(`people are told by ${way} that ExchangeDisabled of ${exchange} is ${status}`, () =>
      toldOf(exchange, way).find((told) => told.status === status),
    );
  const peopleBothWays = (status: Told["status"], exchange: string): Promise<Told[]> =>
    Promise.all(WAYS.map((way) => people(status, exchange, way)));

  it("is scraped", async () => {
    const health = await until("a target is scraped", async () => {
      const found = await targetsOf(prometheus.url, "aggwatch");
      return found.includes("up") ? found : undefined;
    });
    expect(health).toEqual(["up"]);
  });

  it("has its rules loaded, and each can be evaluated", async () => {
    const rules = await until("all rules are evaluated", async () => {
      const found = await rulesOf(prometheus.url);
      return found.some(({ health }) => health === "unknown") ? undefined : found;
    });
    expect(rules.filter(({ health }) => health !== "ok")).toEqual([]);
    const names = [...alerts.map(({ alert }) => alert), ...recordings.map(({ record }) => record)];
    expect(new Set(rules.map(({ name }) => name))).toEqual(new Set(names));
  });

  it("answers what the dashboard asks", async () => {
    // Rates need two scrapes.
    let empty: string[] = [];
    const answers = until("every panel that has something to show shows it", async () => {
      const series = await Promise.all(
        expressions.map(([, expression]) => seriesOf(prometheus.url, filledIn(expression))),
      );
      empty = expressions.flatMap(([title], index) => (series[index] === 0 ? [title] : []));
      return empty.every((title) => EMPTY_WHILE_ALL_IS_WELL.has(title)) ? true : undefined;
    });
    await expect(
      answers.catch(() => empty),
      "these show nothing",
    ).resolves.toBe(true);
  });

  it("fires nothing but the watchdog while all is well", async () => {
    const fired = new Set<string>();
    // A condition that holds for one scrape is pending for a moment: before the first scrape there was no
    // aggwatch, and a sender whose two swaps settle at once makes a listing that the next poll confirms.
    const active = await until("only the watchdog is active", async () => {
      const found = await activeAlerts(prometheus.url);
      for (const { labels, state } of found)
        if (state === "firing") fired.add(labels["alertname"] ?? "");
      return found.every(({ labels }) => labels["alertname"] === "Watchdog") && found.length > 0
        ? found
        : undefined;
    });
    expect(active).toHaveLength(1);
    expect([...fired].filter((name) => name !== "AggwatchDown")).toEqual(["Watchdog"]);
  });

  it("tells people of a disabled exchange both ways, and that it is enabled again", async () => {
    await disable("KUCOIN");
    const [pushed, scraped] = await peopleBothWays("firing", "KUCOIN");
    const ours = { severity: "critical", aggregator: "simulated" };
    expect(pushed?.labels).toEqual({
      ...ours,
      alertname: "ExchangeDisabled",
      kind: "exchange",
      entity: "KUCOIN",
    });
    expect(scraped?.labels).toMatchObject({ ...ours, exchange: "KUCOIN", job: "aggwatch" });
    for (const told of [pushed, scraped])
      expect(told?.annotations["summary"]).toBe("The exchange KUCOIN is disabled.");
    await enable("KUCOIN");
    await peopleBothWays("resolved", "KUCOIN");
  });

  it("tells people of a watch list that cannot be read, and that it can again", async () => {
    const told = (status: Told["status"]): Promise<Told> =>
      until(`people are told of the list: ${status}`, () =>
        alerting.people.told.find(
          (one) => one.labels["alertname"] === "WatchSourceFailing" && one.status === status,
        ),
      );
    demo.write(WATCH_FILE, "- targets: [");
    expect((await told("firing")).labels).toMatchObject({
      aggregator: "simulated",
      source: "file",
    });
    demo.write(WATCH_FILE, EVERY_POLLER.files[WATCH_FILE] ?? "");
    await told("resolved");
  });

  it("keeps quiet about what is silenced", async () => {
    await Promise.all(WAYS.map((way) => silence(alerting.url, NAMED_BY[way], "BINANCE")));
    await disable("BINANCE");
    for (const way of WAYS) {
      // oxlint-disable-next-line no-await-in-loop -- one way, then the other
      const known = await until(`Alertmanager knows of BINANCE by ${way}`, async () =>
        (await knownAlerts(alerting.url)).find(
          ({ labels, status }) =>
            labels[NAMED_BY[way]] === "BINANCE" && status.state !== "unprocessed",
        ),
      );
      expect(known.status.state).toBe("suppressed");
    }
    // Whoever hears of the next one has not heard of this.
    await disable("OKX");
    await peopleBothWays("firing", "OKX");
    expect(WAYS.flatMap((way) => toldOf("BINANCE", way))).toEqual([]);
  });

  it("loses nothing while Alertmanager is down", async () => {
    const isFiring = async (exchange: string): Promise<boolean> =>
      (await activeAlerts(prometheus.url)).some(
        ({ labels, state }) =>
          labels["alertname"] === "ExchangeDisabled" &&
          labels["exchange"] === exchange &&
          state === "firing",
      );
    await alerting.goDown();
    const before = alerting.people.told.length;
    // One begins and one ends while nobody listens.
    await disable("ASCENDEX");
    await enable("OKX");
    await until("Prometheus knows both, and ours wait in the outbox", async () => {
      const waiting = await seriesOf(prometheus.url, "aggwatch_outbox_notifications >= 2");
      const knows = (await isFiring("ASCENDEX")) && !(await isFiring("OKX"));
      return knows && waiting > 0 ? true : undefined;
    });
    expect(alerting.people.told.length).toBe(before);
    await alerting.comeBack();
    await peopleBothWays("firing", "ASCENDEX");
    await peopleBothWays("resolved", "OKX");
    await until("the outbox is empty", async () =>
      (await seriesOf(prometheus.url, "aggwatch_outbox_notifications == 0")) > 0 ? true : undefined,
    );
  });

  it("is missed when it is killed, and what was wrong resolves by neither way", async () => {
    const before = alerting.people.told.length;
    await demo.kill();
    // The last word counts: if a scrape failed just before, people know it already and are not told twice.
    await until("people are told that aggwatch is down", () => {
      const told = alerting.people.told.filter(
        ({ labels }) => labels["alertname"] === "AggwatchDown",
      );
      return told.at(-1)?.status === "firing" ? true : undefined;
    });
    // Longer than the four intervals after which what was pushed used to end.
    await until("ten scrapes have failed", async () => {
      const failed = 'count_over_time((up{job="aggwatch"} == 0)[5m:1s]) >= 10';
      return (await seriesOf(prometheus.url, failed)) > 0 ? true : undefined;
    });
    const ended = alerting.people.told.slice(before).filter(({ status }) => status === "resolved");
    expect(ended.filter(({ labels }) => labels["alertname"] === "ExchangeDisabled")).toEqual([]);
    const known = await knownAlerts(alerting.url);
    for (const way of WAYS)
      expect(known.map(({ labels }) => labels[NAMED_BY[way]])).toContain("ASCENDEX");
  });
});

/** How an alert comes to Alertmanager: aggwatch tells it, or Prometheus does by its rules. */
const WAYS = ["aggwatch", "Prometheus"] as const;
type Way = (typeof WAYS)[number];

/** The label that has the exchange's name. */
const NAMED_BY: Readonly<Record<Way, string>> = { aggwatch: "entity", Prometheus: "exchange" };

/**
 * Panels that have nothing to show here, or not always: all is well, no swap need be under way, and there
 * is not a heartbeat. Every other panel shows something.
 */
const EMPTY_WHILE_ALL_IS_WELL = new Set([
  "Disabled pairs",
  "Oldest active swap",
  "Oldest status of an open liquidation",
  "Markets that are gone",
  "Duration of swaps",
  "Firing alerts by rule",
  "Pending alerts",
  "Held back, by guard",
  "Oldest waiting notification",
  "Age of the last heartbeat",
  "Left out of /metrics",
  "the annotations",
  // This daemon is no replica.
  "Who acts",
  "Database",
  "Left of the lease",
  "Take-overs",
]);
