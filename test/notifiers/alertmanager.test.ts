import { describe, expect, it } from "vitest";
import { WATCHDOG, type AlertNotification } from "../../src/domain/notification.ts";
import { MINUTE } from "../../src/domain/time.ts";
import { alertmanager } from "../../src/notifiers/alertmanager.ts";
import { alert, AT, batch, CONTEXT, resolved } from "./batches.ts";

describe("the end of what fires, at an Alertmanager", () => {
  const untilEnd = (given: AlertNotification, resendMs = MINUTE): number => {
    const destination = { url: "http://am.example", headers: {}, secrets: {}, options: {} };
    const { body } = alertmanager.request(batch(given), destination, { ...CONTEXT, resendMs });
    const [endsAt = ""] = /(?<="endsAt":")[^"]+/.exec(JSON.stringify(body)) ?? [];
    return Date.parse(endsAt) - AT;
  };
  const watchdog = alert("", { key: WATCHDOG, rule: WATCHDOG });

  it("is four intervals ahead, and not before the death of aggwatch can have been told", () => {
    expect(untilEnd(alert("BINANCE"))).toBe(15 * MINUTE);
    expect(untilEnd(alert("BINANCE"), 10 * MINUTE)).toBe(40 * MINUTE);
  });

  it("comes first for the alert whose end tells of that death", () => {
    expect(untilEnd(watchdog)).toBe(4 * MINUTE);
    expect(untilEnd(watchdog, 10 * MINUTE)).toBe(40 * MINUTE);
  });
});

describe("a request to an Alertmanager", () => {
  const requestFor = (given: AlertNotification, url = "http://am.example") => {
    const destination = { url, headers: {}, secrets: {}, options: {} };
    return alertmanager.request(batch(given), destination, { ...CONTEXT, pageUrl: undefined });
  };

  it("goes to its API, however the base URL ends", () => {
    for (const base of ["http://am.example", "http://am.example/", "http://am.example//"])
      expect(requestFor(alert("BINANCE"), base).url).toBe("http://am.example/api/v2/alerts");
    expect(requestFor(alert("BINANCE"), "http://h.example/a//b/").url).toBe(
      "http://h.example/a//b/api/v2/alerts",
    );
  });

  it("has no empty text and no link that is not known, as either makes it invalid", () => {
    const given = alert("BINANCE", { labels: { team: "" }, annotations: { summary: "" } });
    expect(requestFor(given).body).toEqual([
      {
        labels: {
          alertname: "ExchangeDisabled",
          severity: "critical",
          aggregator: "bsc",
          kind: "exchange",
          entity: "BINANCE",
        },
        annotations: {},
        startsAt: "2026-01-02T03:01:05.000Z",
        endsAt: "2026-01-02T03:19:05.000Z",
      },
    ]);
  });

  it("ends no alert before it began, which Alertmanager would refuse", () => {
    const given = resolved("BINANCE", { firedAt: AT, resolvedAt: AT - MINUTE });
    const instant = new Date(AT).toISOString();
    expect(requestFor(given).body).toMatchObject([{ startsAt: instant, endsAt: instant }]);
  });
});
