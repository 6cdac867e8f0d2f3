import type { ActionName } from "../domain/action.ts";
import type { Purpose } from "../domain/http.ts";
import type { State } from "../core/state.ts";
import type { Event, Policy, StepResult } from "../domain/step.ts";
import type { Instant } from "../domain/time.ts";

/**
 * An event that a simulated run shows to its checkers, in order. Instants are in the true time of the simulated
 * world, which no clock jump changes; a step also has its own stamp.
 *
 * `state` and `policy` are the running daemon's own, as they are after the step: read them at once,
 * and copy anything to keep.
 */
export type RunEvent =
  | {
      readonly type: "step";
      readonly at: Instant;
      /** The instant that the loop gave the event, by the daemon's own clock. */
      readonly stampedAt: Instant;
      readonly policy: Policy;
      readonly state: State;
      readonly event: Event;
      readonly result: StepResult;
      /** Its changes are on disk. If they are not, none of its actions may be sent. */
      readonly durable: boolean;
      /** A loss of power may still undo it, and all steps since the last synced one. */
      readonly unsynced?: true;
    }
  /** A step threw: a bug of the core. */
  | {
      readonly type: "threw";
      readonly at: Instant;
      readonly error: string;
      readonly event: Event["type"];
    }
  /** A request passed the gate and is on the wire. */
  | {
      readonly type: "sent";
      readonly at: Instant;
      readonly aggregator: string;
      readonly method: string;
      /** Below the base URL, as on the wire, without the query. */
      readonly path: string;
      readonly purpose: Purpose;
      /** The credential that it carries; reading and acting have one each. */
      readonly credential: Purpose | "none";
      /** It bypasses the proxy that the settings name. */
      readonly isDirect?: true;
      /** The remediation that it is for, if it acts. */
      readonly remediation?: string;
    }
  /** The aggregator answered a reading; the process may or may not get the answer. */
  | {
      readonly type: "served";
      readonly at: Instant;
      readonly aggregator: string;
      readonly endpoint: string;
      /** The fault that the answer itself shows: `partial` or `contradiction`. */
      readonly mark: string | undefined;
    }
  /** An action reached the aggregator and was applied there. */
  | {
      readonly type: "applied";
      readonly at: Instant;
      readonly aggregator: string;
      readonly what: ActionName;
      /** The id of the entity, as the kind spells it: `OKX`, `OKX/ORN-USDT`, `0x11…`. */
      readonly target: string;
      /** It changed the model. */
      readonly changed: boolean;
    }
  /** A notification reached the receiver; the watchdog may or may not get the answer. */
  | {
      readonly type: "delivered";
      readonly at: Instant;
      /** When the request left its sender. A later one may have overtaken it on its way. */
      readonly sentAt: Instant;
      readonly alerts: readonly DeliveredAlert[];
    }
  /** The process could not run since `from`: it was stopped, or the machine slept. */
  | { readonly type: "stood_still"; readonly at: Instant; readonly from: Instant }
  /** The process died, and nothing of it runs any more. Requests on the wire stay there. */
  | { readonly type: "crashed"; readonly at: Instant; readonly boundary: string }
  /** The requests of all replicas together exceed an aggregator's rate. */
  | { readonly type: "beyond_rate"; readonly at: Instant; readonly what: string }
  /** A process is up: at the first start, and again after each crash. Before its `started` event. */
  | {
      readonly type: "restarted";
      readonly at: Instant;
      readonly policy: Policy;
      readonly state: State;
    }
  /** The process has read its whole journal, and knows now whether it is damaged. */
  | { readonly type: "checked"; readonly at: Instant; readonly isDamaged: boolean }
  /** A replica did something that only the owner may do, or the replicas share the units unevenly. */
  | { readonly type: "unowned"; readonly at: Instant; readonly what: string }
  /** A loss of power, or the replicas' database, has lost the last commits; `state` is left. */
  | { readonly type: "lost"; readonly at: Instant; readonly state: State }
  /** Nothing is broken on purpose from now on, and no operator does anything more. */
  | { readonly type: "faults_ended"; readonly at: Instant }
  | {
      readonly type: "ended";
      readonly at: Instant;
      readonly policy: Policy;
      readonly state: State;
      readonly truth: readonly AggregatorTruth[];
    };

/** An alert in a message that reached the receiver. */
export type DeliveredAlert = {
  /** As the webhook spells it. */
  readonly key: string;
  readonly state: string;
  readonly firedAt: Instant;
};

/** The true state of an aggregator at an instant, by its model and not by any reading. */
export type AggregatorTruth = {
  readonly aggregator: string;
  readonly exchanges: ReadonlyArray<{ readonly name: string; readonly enabled: boolean }>;
  /** Each as `exchange/pair`. */
  readonly disabledPairs: readonly string[];
  readonly liquidations: ReadonlyArray<{
    readonly id: string;
    readonly status: string;
    readonly stuck: boolean;
  }>;
};

/** One step of the daemon: an event and its result, with the state and the policy after it. */
export type Step = Extract<RunEvent, { type: "step" }>;
export type Ended = Extract<RunEvent, { type: "ended" }>;
export type Sent = Extract<RunEvent, { type: "sent" }>;
export type Lost = Extract<RunEvent, { type: "lost" }>;
export type Restarted = Extract<RunEvent, { type: "restarted" }>;
