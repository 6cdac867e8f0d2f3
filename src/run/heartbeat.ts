import { isDeepStrictEqual } from "node:util";
import type { WorkFault } from "../core/explain/heartbeat.ts";
import { SECOND, type Clock, type Instant, type Millis } from "../domain/time.ts";
import { createHeartbeatClient, type HeartbeatClient } from "../io/notify/heartbeat-client.ts";
import type { CreateSender } from "../io/http/http-send.ts";
import type { Logger } from "../io/process/log.ts";
import type { HeartbeatOutcome, HeartbeatReading } from "../io/metrics/definition.ts";
import type { HeartbeatSetup } from "./setup.ts";

/** Pings the dead man's switch while there is no fault, and logs once why it does not. */
export type Heartbeat = {
  /** To be called every second. It never rejects: a ping goes on by itself. */
  readonly check: () => void;
  readonly reading: () => HeartbeatReading;
  /** That it is not answered; empty if it is, or if none is configured. */
  readonly notices: () => readonly string[];
  readonly close: () => void;
};

type HeartbeatWorld = {
  readonly clock: Clock;
  readonly log: Pick<Logger, "info" | "warn">;
  readonly setup: () => HeartbeatSetup | undefined;
  readonly faults: () => readonly WorkFault[];
  readonly count: (outcome: HeartbeatOutcome) => void;
  readonly createSender: CreateSender;
};

/** A ping that was not answered is sent again after this long, or after `every` if that is less. */
const TRY_AGAIN: Millis = 15 * SECOND;

type Beating = {
  readonly setup: HeartbeatSetup;
  readonly client: HeartbeatClient;
  dueAt: Instant;
  isPinging: boolean;
  /** Why the last ping failed; undefined if it was answered. */
  failure: string | undefined;
  /** The reasons that were logged last. */
  withheld: string;
  lastSuccessAt: Instant;
};

export function createHeartbeat(world: HeartbeatWorld): Heartbeat {
  const { clock, log, faults } = world;
  let beating: Beating | undefined;

  /** Follows the settings: they may change while it runs. */
  function current(): Beating | undefined {
    const setup = world.setup();
    if (isDeepStrictEqual(setup, beating?.setup)) return beating;
    beating?.client.close();
    beating = setup && {
      setup,
      client: createHeartbeatClient(setup, world.createSender),
      dueAt: clock.now(),
      isPinging: false,
      failure: undefined,
      withheld: "",
      lastSuccessAt: beating?.lastSuccessAt ?? 0,
    };
    return beating;
  }

  return {
    check: () => {
      const own = current();
      if (own === undefined) return;
      const found = faults();
      logChange(own, found, log);
      const at = clock.now();
      if (at < own.dueAt || own.isPinging) return;
      if (found.length === 0) {
        own.dueAt = at + own.setup.everyMs;
        void ping(own, world, () => own === beating);
      } else if (!isStarting(found)) {
        own.dueAt = at + own.setup.everyMs;
        world.count("withheld");
      }
    },
    reading: () => ({
      reasons: [...new Set(faults().map(({ reason }) => reason))],
      lastSuccessAt: beating?.lastSuccessAt,
    }),
    notices: () => {
      if (beating?.failure === undefined) return [];
      return [`the heartbeat is not answered: ${beating.failure}`];
    },
    close: () => {
      beating?.client.close();
      beating = undefined;
    },
  };
}

async function ping(
  own: Beating,
  { clock, log, count }: HeartbeatWorld,
  isInForce: () => boolean,
): Promise<void> {
  own.isPinging = true;
  const answered = await own.client.ping();
  own.isPinging = false;
  // Other settings are in force by now, and this ping belongs to those before.
  if (!isInForce()) return;
  count(answered.ok ? "sent" : "failed");
  if (answered.ok) {
    if (own.failure !== undefined) log.info("heartbeat answered again");
    own.failure = undefined;
    own.lastSuccessAt = clock.now();
    return;
  }
  if (own.failure === undefined) log.warn({ detail: answered.problem }, "heartbeat not answered");
  own.failure = answered.problem;
  own.dueAt = Math.min(own.dueAt, clock.now() + TRY_AGAIN);
}

/** A start is not a fault that counts. */
function isStarting(found: readonly WorkFault[]): boolean {
  return found.every(({ reason }) => reason === "starting");
}

/** Logs once that it is withheld, that the reasons changed, and that it goes on, which it then does at once. */
function logChange(own: Beating, found: readonly WorkFault[], log: HeartbeatWorld["log"]): void {
  const reasons = isStarting(found) ? [] : [...new Set(found.map(({ reason }) => reason))];
  const withheld = reasons.join(" ");
  if (withheld === own.withheld) return;
  if (withheld !== "") {
    log.warn({ reasons, details: found.map(({ detail }) => detail) }, "heartbeat withheld");
  } else {
    log.info("heartbeat resumed");
    own.dueAt = Number.NEGATIVE_INFINITY;
  }
  own.withheld = withheld;
}
