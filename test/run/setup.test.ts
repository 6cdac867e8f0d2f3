import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../src/domain/limits.ts";
import { DAY, MINUTE, SECOND } from "../../src/domain/time.ts";
import { NOTHING_WATCHED, type WatchList } from "../../src/pollers/poller.ts";
import { activePollers, policyOf } from "../../src/run/setup.ts";
import { aggregatorSetup, watchdogSetup } from "./watchdog-setup.ts";

const nothing = NOTHING_WATCHED;

function namesWith(watch: Partial<WatchList>): string[] {
  const setup = aggregatorSetup("http://127.0.0.1:1", { watch: { ...nothing, ...watch } });
  return activePollers(setup).map(({ poller }) => poller.name);
}

describe("the active pollers", () => {
  it("are those that have something to ask", () => {
    expect(namesWith({})).toEqual(["exchanges", "pools"]);
    expect(namesWith({ senders: [{ address: "0x1" }] })).toEqual([
      "exchanges",
      "pools",
      "swaps",
      "swap_history",
    ]);
    expect(namesWith({ liquidations: [{ id: "0x1" }] })).toContain("liquidations");
  });

  it("may take as long as a request of theirs", () => {
    const { client } = aggregatorSetup("http://127.0.0.1:1");
    const timeouts = { ...client.timeouts, requestMs: 45 * SECOND };
    const slow = aggregatorSetup("http://127.0.0.1:1", { client: { ...client, timeouts } });
    const limits = activePollers(slow).map(({ sweep }) => sweep.timeoutMs);
    expect(limits).toEqual(limits.map(() => 45 * SECOND));
  });

  it("may take longer if they list orders of several statuses, until these are stale", () => {
    const limitOf = (spot: readonly string[]): number | undefined => {
      const watch = { ...nothing, orderStatuses: { spot, futures: ["NEW"] } };
      const { client } = aggregatorSetup("http://127.0.0.1:1");
      const timeouts = { ...client.timeouts, requestMs: 10 * SECOND };
      const orders = { name: "orders", schedule: "*/15 * * * * *" } as const;
      const times = { intervalMs: 15 * SECOND, staleAfterMs: 45 * SECOND };
      const setup = aggregatorSetup("http://127.0.0.1:1", {
        watch,
        client: { ...client, timeouts },
        pollers: [{ ...orders, ...times }],
      });
      return activePollers(setup)[0]?.sweep.timeoutMs;
    };
    expect(limitOf(["NEW"])).toBe(14 * SECOND);
    expect(limitOf(["NEW", "ACCEPTED"])).toBe(28 * SECOND);
    expect(limitOf(["NEW", "ACCEPTED", "ROUTING", "FILLED"])).toBe(45 * SECOND);
  });

  it("are only those that are on", () => {
    const one = aggregatorSetup("http://127.0.0.1:1", { pollers: [] });
    expect(activePollers(one)).toEqual([]);
  });
});

describe("the policy", () => {
  it("expects just the active pollers, so that none waits for a poll that never comes", () => {
    const setup = watchdogSetup("/nowhere", [
      aggregatorSetup("http://127.0.0.1:1"),
      aggregatorSetup("http://127.0.0.1:2", { name: "eth", pollers: [] }),
    ]);
    expect(policyOf(setup).aggregators).toEqual([
      {
        name: "bsc",
        address: expect.any(Number),
        pollers: ["exchanges", "pools"].map((name) => ({
          name,
          intervalMs: SECOND,
          staleAfterMs: 10 * SECOND,
          surfaces: new Set(["all"]),
        })),
      },
      { name: "eth", address: expect.any(Number), pollers: [] },
    ]);
  });

  it("tells an aggregator from one of the same name that is somewhere else", () => {
    const addressOf = (port: number) =>
      policyOf(watchdogSetup("/nowhere", [aggregatorSetup(`http://127.0.0.1:${port}`)]))
        .aggregators[0]?.address;
    expect(addressOf(1)).toBe(addressOf(1));
    expect(addressOf(1)).not.toBe(addressOf(2));
  });

  it("knows every action, and finds rules by name and by kind", () => {
    const policy = policyOf(watchdogSetup("/nowhere", []));
    expect([...policy.actions.keys()]).toEqual([
      "enable_exchange",
      "enable_pair",
      "force_cancel_order",
    ]);
    const rule = policy.rules.get("ExchangeDisabled");
    expect(rule).toBeDefined();
    expect(policy.rulesByKind.get("exchange")).toEqual([rule]);
    expect(policy.kinds.has("poller")).toBe(true);
  });

  it("keeps what has resolved in sight for 15 minutes, and what was done for a week", () => {
    const { resolvedRetentionMs, remediationRetentionMs } = policyOf(watchdogSetup("/nowhere", []));
    expect([resolvedRetentionMs, remediationRetentionMs]).toEqual([15 * MINUTE, 7 * DAY]);
  });

  it("has the limits of the settings, and what the config watches", () => {
    const before = watchdogSetup("/nowhere", [
      aggregatorSetup("http://127.0.0.1:1", {
        watch: { ...nothing, senders: [{ address: "0x1" }] },
      }),
    ]);
    const policy = policyOf({
      ...before,
      settings: { ...before.settings, limits: { ...DEFAULT_LIMITS, entities: 7 } },
    });
    expect(policy.limits.entities).toBe(7);
    expect(policy.watch?.given.get("bsc")).toMatchObject([
      { source: "config", entries: [{ kind: "sender", target: "0x1" }] },
    ]);
  });

  it("takes no poll for missed while it goes on, unless stale_after is set", () => {
    const senders = Array.from({ length: 100 }, (_, n) => ({ address: `0x${n}` }));
    const { client } = aggregatorSetup("http://127.0.0.1:1");
    const slow = { ...client, rate: { ...client.rate, requestsPerSecond: 1 } };
    const staleAfter = (isSet: { readonly isStaleAfterSet?: true }) => {
      const times = { intervalMs: SECOND, staleAfterMs: 10 * SECOND, ...isSet };
      const pollers = [{ name: "swaps", schedule: "* * * * * *", ...times } as const];
      const one = { client: slow, watch: { ...nothing, senders }, pollers };
      const setup = watchdogSetup("/nowhere", [aggregatorSetup("http://127.0.0.1:1", one)]);
      return policyOf(setup).aggregators[0]?.pollers.map(({ staleAfterMs }) => staleAfterMs);
    };
    // Three polls of 100 requests, one a second.
    expect(staleAfter({})).toEqual([300 * SECOND]);
    expect(staleAfter({ isStaleAfterSet: true })).toEqual([10 * SECOND]);
  });
});
