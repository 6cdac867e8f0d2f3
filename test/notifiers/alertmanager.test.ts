import { describe, expect, it } from "vitest";
import { WATCHDOG, type AlertNotification } from "../../src/domain/notification.ts";
import { MINUTE } from "../../src/domain/time.ts";
import { alertmanager } from "../../src/notifiers/alertmanager.ts";
import { alert, AT, batch, CONTEXT } from "./batches.ts";

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
