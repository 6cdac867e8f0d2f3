import { describe, expect, it } from "vitest";
import type { Notification } from "../../src/domain/notification.ts";
import { UNRECORDED, type BodyWords } from "../../src/notifiers/notifier.ts";
import { webhook } from "../../src/notifiers/webhook.ts";
import { alert, batch, CONTEXT, PROPOSED, resolved } from "./batches.ts";

describe("the words for an operator's own body", () => {
  const wordsFor = (given: readonly Notification[], context = CONTEXT): BodyWords => {
    const words = { value: undefined as BodyWords | undefined };
    const body = (own: BodyWords): string => {
      words.value = own;
      return "own";
    };
    const destination = { url: "", headers: {}, secrets: {}, options: {}, body };
    expect(webhook.request(batch(...given), destination, context).body).toBe("own");
    return words.value as BodyWords;
  };
  const page = "https://aggwatch.example/";

  it("say everything of one notification", () => {
    expect(wordsFor([alert("BINANCE")])).toEqual({
      title: "[FIRING] ExchangeDisabled: exchange BINANCE on bsc",
      text: "[FIRING] ExchangeDisabled: exchange BINANCE on bsc: BINANCE on bsc has been disabled for 2m.",
      state: "firing",
      severity: "critical",
      aggregator: "bsc",
      alertname: "ExchangeDisabled",
      entity: "BINANCE",
      link: `${page}#/alert/ExchangeDisabled/bsc/exchange/BINANCE`,
      count: "1",
      key: "alert ExchangeDisabled|bsc/exchange/BINANCE",
    });
  });

  it("have the command below a proposal, unless it is too long to be shown", () => {
    const { text } = wordsFor([PROPOSED]);
    expect(text).toMatch(/^\[PROPOSED\] enable_exchange .*\naggwatch approve p7 --reason "why"$/);
    const long = wordsFor([{ ...PROPOSED, detail: "amount 12.5; ".repeat(100) }]);
    expect(long.text).toMatch(/\ntoo long to be shown here: decide on the page$/);
  });

  it("say of several what they share, and `several` of the rest", () => {
    expect(wordsFor([resolved("OKX"), alert("BINANCE")])).toMatchObject({
      state: "firing",
      aggregator: "bsc",
      alertname: "ExchangeDisabled",
      entity: "several",
      link: page,
      count: "2",
      key: "several",
    });
    expect(wordsFor([resolved("OKX"), PROPOSED])).toMatchObject({ state: "several" });
    expect(wordsFor([resolved("OKX"), resolved("OKX")])).toMatchObject({ state: "resolved" });
  });

  it("say if the journal cannot be written, and only then", () => {
    const { text } = wordsFor([alert("BINANCE")], { ...CONTEXT, unrecorded: true });
    expect(text.endsWith(`\n${UNRECORDED}`)).toBe(true);
    expect(wordsFor([alert("BINANCE")]).text).not.toContain("journal");
  });
});
