import { ACT_ENDPOINTS } from "../../domain/action.ts";
import { MINUTE, SECOND } from "../../domain/time.ts";
import { MARKS } from "../../simulator/routes/marks.ts";
import type { RandomChoices } from "./random-choices.ts";
import type { NetworkFaults } from "../plan.ts";
import { control, fault, forAWhile, type FaultKind } from "./fault-kind.ts";

/** Faults between a request of the watchdog and the answer. */

/** The endpoints that are read to find entities to repair. */
const LISTINGS = ["all", "exchanges", "disabled", "liquidation"];
const ENDPOINTS = [...LISTINGS, ...ACT_ENDPOINTS];

/** A fault of the simulator's control, for a while or for a few requests. */
function faultKind(
  name: string,
  plan: (random: RandomChoices) => Readonly<Record<string, unknown>>,
  endpoints: readonly string[] = ENDPOINTS,
): FaultKind {
  return fault(name, 3 * MINUTE, (scene) => {
    const { random } = scene;
    const own = plan(random);
    const endpoint = random.oneOf(endpoints);
    const set = { do: "set_fault", endpoint, fault: own };
    if (random.chance(0.5)) return [control(scene, { ...set, times: random.between(1, 8) })];
    const clear = control(scene, { do: "clear_faults", endpoint });
    return [control(scene, set), { at: SECOND + random.upTo(90 * SECOND), ...clear }];
  });
}

function networkKind(name: string, faults: (random: RandomChoices) => NetworkFaults): FaultKind {
  return fault(name, 3 * MINUTE, ({ random, member }) => {
    const what = { aggregator: member.watched.name, faults: faults(random) };
    return forAWhile({ do: "network", ...what }, 5 * SECOND + random.upTo(2 * MINUTE));
  });
}

export const REPLY_FAULTS: readonly FaultKind[] = [
  faultKind("latency", (random) => ({ kind: "latency", length: `${random.between(1, 12)}s` })),
  faultKind("5xx", (random) => ({ kind: "status", status: random.oneOf([500, 502, 503, 504]) })),
  faultKind("429 with `Retry-After`", (random) => ({
    kind: "status",
    status: 429,
    ...(random.chance(0.7) ? { retry_after: `${random.between(1, 30)}s` } : {}),
  })),
  faultKind("refusals (400, 403, 404, 409)", (random) => ({
    kind: "status",
    status: random.oneOf([400, 403, 404, 409]),
  })),
  faultKind("time-outs after the request was applied", (random) => ({
    kind: "timeout_after_applying",
    ...(random.chance(0.5) ? { close_after: `${random.between(0, 10)}s` } : {}),
  })),
  faultKind("no answer", () => ({ kind: "hang" })),
  faultKind("closed connections", () => ({ kind: "down" })),
  faultKind("HTML", (random) => ({ kind: "html", status: random.oneOf([200, 502]) })),
  faultKind("half the JSON", () => ({ kind: "truncated" })),
  faultKind("empty listings", () => ({ kind: "empty" })),
  faultKind("stale listings", () => ({ kind: "stale" })),
  faultKind("success without effect", () => ({ kind: "lie" })),
  faultKind(
    "replies that say that they are a part",
    (random) => ({ kind: "partial", mark: random.oneOf(MARKS) }),
    LISTINGS,
  ),
  faultKind("exchanges in both listings", () => ({ kind: "contradiction" }), ["exchanges"]),
  networkKind("slow and reordering", (random) => ({
    delay: { least: 5, most: random.oneOf([500, 3_000, 6_000]) },
  })),
  networkKind("refused connections, lost requests, lost and cut replies", (random) => ({
    refused: random.upTo(0.2),
    requestLost: random.upTo(0.3),
    replyLost: random.upTo(0.3),
    cut: random.upTo(0.3),
  })),
  networkKind("malformed entries", () => ({ malformedEntry: 0.3 })),
  networkKind("malformed names", () => ({ malformedName: 0.5 })),
  networkKind("names that repeat the keys", () => ({ echoedKey: 0.5 })),
  networkKind("floods of new names", (random) => ({
    flooded: random.oneOf([30, 100, 1_000, 4_000]),
  })),
  networkKind("listings without their end", () => ({ shortened: 0.3 })),
];
