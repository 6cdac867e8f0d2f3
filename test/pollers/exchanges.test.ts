import { describe, expect, it } from "vitest";
import type { Reply } from "../../src/aggregator/endpoints/index.ts";
import { exchangesPoller } from "../../src/pollers/exchanges.ts";
import { NOTHING_WATCHED } from "../../src/pollers/poller.ts";
import { DEFAULT_STATUSES } from "../../src/pollers/status-words.ts";

describe("an exchange", () => {
  const read = (listed: string[], disabled: string[]) => {
    const replies: readonly Reply[] = [
      { endpoint: "exchanges", value: listed },
      { endpoint: "disabled", value: { exchanges: disabled, pairs: [] } },
    ];
    const context = { watch: NOTHING_WATCHED, statuses: DEFAULT_STATUSES };
    return exchangesPoller.read({ name: "all", requests: [] }, replies, context);
  };

  it("in both listings is disabled, and only for it do they contradict each other", () => {
    expect(read(["BINANCE", "OKX"], ["OKX", "KRAKEN"])).toEqual({
      ok: true,
      complete: true,
      entities: [
        ["BINANCE", "enabled", true, false],
        ["OKX", "disabled", true, true],
        ["KRAKEN", "disabled", false, true],
      ].map(([name, status, isListed, isDisabled]) => ({
        kind: "exchange",
        id: name,
        facts: { name, status, listed: isListed, disabled: isDisabled },
      })),
      contradictions: [
        { kind: "exchange", id: "OKX", detail: "in the list and in the disabled listing" },
      ],
    });
  });

  it("in one of the listings contradicts nothing", () => {
    expect(read(["BINANCE"], ["OKX"])).not.toHaveProperty("contradictions");
  });
});
