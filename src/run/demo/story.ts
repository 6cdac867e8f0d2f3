import type { StatusWire } from "../../io/status-wire.ts";
import type { Simulator } from "../../simulator/simulator.ts";
import { SECOND, type Millis } from "../../domain/time.ts";

/**
 * The demo's story, as data: what happens to the simulated aggregator, and what must then be seen of
 * the watchdog, in its own status, and of the aggregator, in its own log of requests.
 */
export type Chapter = {
  readonly title: string;
  /** What somebody does to the aggregator; undefined where one only looks. */
  readonly happens?: { readonly says: string; readonly run: (simulator: Simulator) => void };
  readonly expects: readonly Expectation[];
};

export type Expectation = {
  /** Told when it is met. */
  readonly says: string;
  readonly within: Millis;
  readonly met: (view: View) => boolean;
};

/** What can be seen from outside. */
export type View = {
  readonly status: StatusWire;
  readonly requests: ReturnType<Simulator["requestLog"]>;
  readonly ready: boolean;
};

export const DEMO_SENDER = "0xd0c1d5f3b7e92460d1f8b3a5c7e9f0b2d4a6c8d0";
export const DEMO_LIQUIDATION =
  "0xdead00000000000000000000000000000000000000000000000000000000beef";
const POOL = { factory: "OrionV2", pair: "ORN-USDT" } as const;
const STANDING = ["LiquidationStuck", "PoolReserveDropped", "SwapStuck"] as const;

/** What the world must have before the watchdog looks at it. */
export function prepare(simulator: Simulator): void {
  order(simulator, { do: "add_order", type: "liquidation", id: DEMO_LIQUIDATION, stuck: true });
}

export const STORY: readonly Chapter[] = [
  {
    title: "All is well",
    expects: [
      {
        says: "Every poller has read its part of the aggregator, and no alert is there.",
        within: 15 * SECOND,
        met: ({ ready, status }) => ready && status.alerts.length === 0,
      },
    ],
  },
  {
    title: "An exchange is disabled",
    happens: {
      says: "Somebody disables the exchange BINANCE.",
      run: (simulator) => order(simulator, { do: "disable_exchange", exchange: "BINANCE" }),
    },
    expects: [
      {
        says: "aggwatch sees it, and waits for `for` to pass: it might be a blip.",
        within: 10 * SECOND,
        met: alertIs("ExchangeDisabled", "pending"),
      },
      {
        says: "It was no blip: the alert fires. aggwatch reads once more, and asks for BINANCE to be enabled.",
        within: 20 * SECOND,
        met: ({ requests }) => sent(requests, "POST", "/toggle/BINANCE") === 1,
      },
      {
        says: "BINANCE is gone from the disabled listing and back in the list: verified, not assumed.",
        within: 20 * SECOND,
        met: remediationIs("enable_exchange", "verified"),
      },
    ],
  },
  {
    title: "A pair is disabled",
    happens: {
      says: "Somebody disables the pair ORN-USDT on KUCOIN.",
      run: (simulator) =>
        order(simulator, { do: "disable_pair", exchange: "KUCOIN", pair: "ORN-USDT" }),
    },
    expects: [
      {
        says: "The alert fires.",
        within: 20 * SECOND,
        met: alertIs("PairDisabled", "firing", "resolved"),
      },
      {
        says: "The pair is enabled again, and seen to be.",
        within: 20 * SECOND,
        met: remediationIs("enable_pair", "verified"),
      },
    ],
  },
  {
    title: "A liquidation is stuck",
    happens: {
      says: "A liquidation order is accepted, and then nothing more happens to it.",
      run: (simulator) =>
        order(simulator, { do: "set_order", id: DEMO_LIQUIDATION, status: "ACCEPTED" }),
    },
    expects: [
      {
        says: "The alert fires. A forced cancel cannot be undone, so it is proposed, and waits for a person.",
        within: 25 * SECOND,
        met: ({ status }) =>
          isIn(status, "LiquidationStuck", "firing") &&
          status.proposals.some((proposal) => proposal.action === "force_cancel_order"),
      },
      {
        says: "Nobody approves it, so nothing was sent.",
        within: SECOND,
        met: ({ requests }) => sent(requests, "DELETE", "/order/force/") === 0,
      },
    ],
  },
  {
    title: "A pool drains",
    happens: {
      says: "Four fifths of the reserves of OrionV2/ORN-USDT are withdrawn.",
      run: (simulator) => order(simulator, { do: "drain_pool", ...POOL, ratio: 0.8 }),
    },
    expects: [
      {
        says: "The alert fires: the reserves are far below their highest of late. No action could mend that; it is for people.",
        within: 20 * SECOND,
        met: alertIs("PoolReserveDropped", "firing"),
      },
    ],
  },
  {
    title: "An atomic swap is stuck",
    happens: {
      says: "desk-a starts an atomic swap, and its counterparty falls silent.",
      run: (simulator) => order(simulator, { do: "start_swap", sender: DEMO_SENDER, stuck: true }),
    },
    expects: [
      {
        says: "The alert fires: the swap has been active for too long.",
        within: 25 * SECOND,
        met: alertIs("SwapStuck", "firing"),
      },
    ],
  },
  {
    title: "The aggregator goes down",
    happens: {
      says: "The aggregator cuts every connection.",
      run: (simulator) =>
        order(simulator, { do: "set_fault", endpoint: "all", fault: { kind: "down" } }),
    },
    expects: [
      {
        says: "Every poller is down, and says so.",
        within: 30 * SECOND,
        met: ({ status }) => firing(status, "PollFailing") === 4,
      },
      {
        says: "What is not seen is unknown, not healthy: the open alerts stand still, and none is taken for recovered.",
        within: 5 * SECOND,
        met: ({ status }) =>
          STANDING.every((name) =>
            status.alerts.some(
              (alert) =>
                alert.alertname === name &&
                alert.state === "firing" &&
                alert.unknown_since !== null,
            ),
          ),
      },
    ],
  },
  {
    title: "The aggregator comes back, and people mend the rest",
    happens: {
      says: "It answers again. The pool is refilled, the swap settles, the order goes through.",
      run: (simulator) => {
        order(simulator, { do: "clear_faults" });
        order(simulator, { do: "set_pool", ...POOL, base: 1_250_000, quote: 650_000 });
        order(simulator, { do: "settle_swap", sender: DEMO_SENDER });
        order(simulator, { do: "set_order", id: DEMO_LIQUIDATION, status: "SETTLED" });
      },
    },
    expects: [
      {
        says: "Every poller is up, every alert is resolved, and the proposal is withdrawn.",
        within: 60 * SECOND,
        met: ({ status, ready }) =>
          ready &&
          status.proposals.length === 0 &&
          status.alerts.every((alert) => alert.state === "resolved"),
      },
      {
        says: "In all, two writing requests were sent: one for the exchange, one for the pair.",
        within: SECOND,
        met: ({ requests }) => requests.filter((request) => request.method !== "GET").length === 2,
      },
    ],
  },
];

/** A control command; that the story gives one which the simulator refuses is a bug. */
function order(simulator: Simulator, command: unknown): void {
  const outcome = simulator.control(command);
  if (!outcome.ok) throw new Error(`the demo's story is wrong: ${outcome.problem}`);
}

function alertIs(name: string, ...states: readonly string[]): (view: View) => boolean {
  return ({ status }) => states.some((state) => isIn(status, name, state));
}

function isIn(status: StatusWire, name: string, state: string): boolean {
  return status.alerts.some((alert) => alert.alertname === name && alert.state === state);
}

function firing(status: StatusWire, name: string): number {
  return status.alerts.filter((alert) => alert.alertname === name && alert.state === "firing")
    .length;
}

function remediationIs(action: string, state: string): (view: View) => boolean {
  return ({ status }) =>
    status.remediations.some((one) => one.action === action && one.state === state);
}

function sent(requests: View["requests"], method: string, path: string): number {
  return requests.filter((request) => request.method === method && request.path.includes(path))
    .length;
}
