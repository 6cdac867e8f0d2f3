import type { StatusAnswer } from "../io/api/status-answer.ts";
import type { Simulator } from "../simulator/simulator.ts";
import { SECOND, type Millis } from "../domain/time.ts";

/**
 * A chapter of the demo, as data: after the next steps of `deploy/scenarios/demo.yaml`, the watchdog's status and the
 * aggregator's request log must meet these expectations.
 */
export type Chapter = {
  readonly title: string;
  /** No step of the scenario is taken; every other chapter takes the next ones. */
  readonly isQuiet?: true;
  readonly expects: readonly Expectation[];
};

export type Expectation = {
  /** Printed when it is met. */
  readonly says: string;
  readonly within: Millis;
  readonly met: (view: View) => boolean;
};

/** The state as seen from outside. */
export type View = {
  readonly status: StatusAnswer;
  readonly requests: ReturnType<Simulator["requestLog"]>;
  readonly ready: boolean;
};

const STILL_FIRING = ["LiquidationStuck", "PoolReserveDropped", "SwapStuck"] as const;

/** The pollers whose schedule `deploy/demo/aggwatch.yaml` sets. */
const POLLED_ALL_THE_TIME = ["exchanges", "liquidations", "pools", "swaps"] as const;

export const STORY: readonly Chapter[] = [
  {
    title: "All is well",
    isQuiet: true,
    expects: [
      {
        says: "Every poller has read its part of the aggregator, and there is no alert.",
        within: 15 * SECOND,
        met: ({ ready, status }) => ready && status.alerts.length === 0,
      },
    ],
  },
  {
    title: "An exchange is disabled",
    expects: [
      {
        says: "aggwatch sees it, and waits for `for` to pass: it might be a blip.",
        within: 10 * SECOND,
        met: alertIs("ExchangeDisabled", "pending"),
      },
      {
        says: "It was not a blip: the alert fires. aggwatch reads once more, and asks for BINANCE to be enabled.",
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
    expects: [
      {
        says: "The alert fires.",
        within: 20 * SECOND,
        met: alertIs("PairDisabled", "firing", "resolved"),
      },
      {
        says: "The pair is enabled again, and this is verified.",
        within: 20 * SECOND,
        met: remediationIs("enable_pair", "verified"),
      },
    ],
  },
  {
    title: "A liquidation is stuck",
    expects: [
      {
        says: "The alert fires. A forced cancel cannot be undone, so it is proposed, and waits for a person.",
        within: 25 * SECOND,
        met: ({ status }) =>
          isIn(status, "LiquidationStuck", "firing") &&
          status.proposals.some((proposal) => proposal.action === "force_cancel_order"),
      },
      {
        says: "The proposal is not approved, so nothing was sent.",
        within: SECOND,
        met: ({ requests }) => sent(requests, "DELETE", "/order/force/") === 0,
      },
    ],
  },
  {
    title: "A pool drains",
    expects: [
      {
        says: "The alert fires: the reserves are far below their recent highest. No action can repair that, so it is left to people.",
        within: 20 * SECOND,
        met: alertIs("PoolReserveDropped", "firing"),
      },
    ],
  },
  {
    title: "An atomic swap is stuck",
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
    expects: [
      {
        says: "Every poller is down, and says so.",
        within: 30 * SECOND,
        // Other pollers may fail too, such as the history of swaps, which is polled each minute.
        met: ({ status }) =>
          POLLED_ALL_THE_TIME.every((poller) =>
            status.alerts.some(
              ({ rule, state, entity }) =>
                rule === "PollFailing" && state === "firing" && entity.id === poller,
            ),
          ),
      },
      {
        says: "An entity that is not read is unknown, not healthy: the open alerts stand still, and none counts as recovered.",
        within: 5 * SECOND,
        met: ({ status }) =>
          STILL_FIRING.every((name) =>
            status.alerts.some(
              (alert) =>
                alert.rule === name && alert.state === "firing" && alert.unknownSince !== undefined,
            ),
          ),
      },
    ],
  },
  {
    title: "The aggregator comes back, and people repair the rest",
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

function alertIs(name: string, ...states: readonly string[]): (view: View) => boolean {
  return ({ status }) => states.some((state) => isIn(status, name, state));
}

function isIn(status: StatusAnswer, name: string, state: string): boolean {
  return status.alerts.some((alert) => alert.rule === name && alert.state === state);
}

function remediationIs(action: string, state: string): (view: View) => boolean {
  return ({ status }) =>
    status.remediations.some((one) => one.action === action && one.state === state);
}

function sent(requests: View["requests"], method: string, path: string): number {
  return requests.filter((request) => request.method === method && request.path.includes(path))
    .length;
}
