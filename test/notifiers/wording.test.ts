import { describe, expect, it } from "vitest";
import { alertmanager } from "../../src/notifiers/alertmanager.ts";
import { pagerduty } from "../../src/notifiers/pagerduty.ts";
import { supersededLines } from "../../src/notifiers/plain-message.ts";
import { slack } from "../../src/notifiers/slack.ts";
import { telegram } from "../../src/notifiers/telegram.ts";
import { linkTo, notificationLine, sinceText, titleOf } from "../../src/notifiers/wording.ts";
import { alert, AT, batch, CONTEXT, PROPOSED } from "./batches.ts";

const DESTINATION = { url: "", headers: {}, secrets: {}, options: {} };
const PAGE = "https://aggwatch.example";
const SENT = {
  ...PROPOSED,
  word: "sent",
  labels: { alertname: "ExchangeDisabled", aggregator: "bsc", kind: "exchange", entity: "BINANCE" },
} as const;

describe("the link of an event", () => {
  it("is the dialog of a proposal, and the page of its alert for what was done about one", () => {
    expect(linkTo(PROPOSED, PAGE)).toBe(`${PAGE}/#p7`);
    expect(linkTo(SENT, PAGE)).toBe(linkTo(alert("BINANCE"), PAGE));
  });

  it("is the console if it is about no alert", () => {
    const kill = { ...SENT, topic: "kill", word: "kill_on", labels: { source: "file" } } as const;
    expect(linkTo(kill, PAGE)).toBe(`${PAGE}/`);
  });
});

describe("what people read", () => {
  it("has instants to the second", () => {
    expect(notificationLine(PROPOSED)).toContain("expires at 2026-01-02T03:34:05Z");
    expect(sinceText(alert("BINANCE", { firedAt: AT + 123 }))).toBe(
      "critical, since 2026-01-02T03:04:05Z",
    );
    const lasted = { firedAt: AT, resolvedAt: AT + 754_000 };
    expect(sinceText(alert("BINANCE", lasted))).toBe(
      "critical, since 2026-01-02T03:04:05Z until 2026-01-02T03:16:39Z (12m34s)",
    );
    const suppressed = "held: alice holds it until 2026-01-02T04:04:05.123Z: their maintenance";
    const held = batch(alert("BINANCE", { suppressed }));
    for (const { request } of [alertmanager, slack, pagerduty, telegram]) {
      const said = JSON.stringify(request(held, DESTINATION, CONTEXT).body);
      expect(said).toContain("holds it until 2026-01-02T04:04:05Z: their maintenance");
    }
  });

  it("begins no line of its own, whatever separates the lines in it", () => {
    const apart = ["\n", "\r", "\u0085", "\u2028", "\u2029"].map(
      (between) => `bad${between}[RESOLVED] all is well`,
    );
    for (const description of apart) {
      const said = alert("BINANCE", { annotations: { description } });
      expect(notificationLine(said)).toMatch(/: bad \[RESOLVED\] all is well$/);
    }
  });

  it("ends the sentence that the alerts which are not sent follow", () => {
    const of = (description: string) =>
      notificationLine(alert("X", { annotations: { description }, mutes: { PollFailing: 6 } }));
    expect(of("Nothing is read: the connection broke (ECONNRESET)")).toMatch(
      /broke \(ECONNRESET\)\. Not sent while it fires: PollFailing \(6\)\.$/,
    );
    for (const ended of ["It is down.", "Is it down?", "It is down …"])
      expect(of(ended)).toContain(`: ${ended} Not sent while it fires`);
    expect(of("")).toContain(": Not sent while it fires");
  });

  it("does not call failed what only had to wait for the one before it", () => {
    expect(supersededLines(1)).toEqual(["(1 earlier about it was not delivered)"]);
    expect(supersededLines(2)).toEqual(["(2 earlier about it were not delivered)"]);
  });

  it("is titled after what matters most, and of equals after the first", () => {
    const resolved = alert("A", { state: "resolved", resolvedAt: AT });
    const firing = (id: string, severity: string) => alert(id, { severity });
    const kill = { ...SENT, topic: "kill", word: "kill_on", title: "Nothing is sent" } as const;
    const all = [resolved, SENT, firing("B", "warning"), firing("C", "critical"), kill] as const;
    expect(titleOf(batch(...all))).toBe(
      "[RESOLVED SENT FIRING:2 KILL_ON] Nothing is sent and 4 more",
    );
    const title = (count: number) => titleOf(batch(...all.slice(0, count)));
    expect(title(4)).toContain("] ExchangeDisabled: exchange C on bsc and 3 more");
    expect(title(3)).toContain("] ExchangeDisabled: exchange B on bsc and 2 more");
    expect(title(2)).toContain(`] ${SENT.title} and 1 more`);
    expect(titleOf(batch(firing("D", "info"), firing("E", "info")))).toContain("exchange D on bsc");
  });

  it("has all of what is to be approved, in Slack too", () => {
    const detail = `p7 expires at 2026-01-02T03:34:05Z: ${"amount 12.5; ".repeat(20)}status OPEN`;
    const { body } = slack.request(batch({ ...PROPOSED, detail }), DESTINATION, CONTEXT);
    expect(JSON.stringify(body)).toContain("status OPEN");
  });
});
