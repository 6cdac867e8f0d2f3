import { MINUTE, SECOND } from "../../domain/time.ts";
import type { Dice } from "./dice.ts";
import type { Happening, Member, WireTrouble } from "../plan.ts";
import { after, model, now, type Kind } from "./kind.ts";

/** What goes wrong between the watchdog's question and the answer. */

const ENDPOINTS = [
  "all",
  "exchanges",
  "disabled",
  "liquidation",
  "enableExchange",
  "enablePair",
  "forceCancel",
];

/** A fault of the model, for a while or for so many requests. */
function fault(dice: Dice, member: Member, plan: Readonly<Record<string, unknown>>): Happening[] {
  const endpoint = dice.oneOf(ENDPOINTS);
  const set = { do: "set_fault", endpoint, fault: plan };
  if (dice.chance(0.5)) return [now(model(member, { ...set, times: dice.between(1, 8) }))];
  const clear = model(member, { do: "clear_faults", endpoint });
  return [now(model(member, set)), after(SECOND + dice.upTo(90 * SECOND), clear)];
}

function faultKind(name: string, plan: (dice: Dice) => Readonly<Record<string, unknown>>): Kind {
  return { name, every: 3 * MINUTE, make: (dice, member) => fault(dice, member, plan(dice)) };
}

function wireKind(name: string, trouble: (dice: Dice) => WireTrouble): Kind {
  return {
    name,
    every: 3 * MINUTE,
    make: (dice, { watched: { name: aggregator } }) => [
      now({ do: "wire", aggregator, trouble: trouble(dice) }),
      after(5 * SECOND + dice.upTo(2 * MINUTE), { do: "wire", aggregator, trouble: {} }),
    ],
  };
}

export const REPLY_TROUBLES: readonly Kind[] = [
  faultKind("latency", (dice) => ({ kind: "latency", length: `${dice.between(1, 12)}s` })),
  faultKind("errors", (dice) => ({ kind: "status", status: dice.oneOf([500, 502, 503, 504]) })),
  faultKind("too many requests", (dice) => ({
    kind: "status",
    status: 429,
    ...(dice.chance(0.7) ? { retry_after: `${dice.between(1, 30)}s` } : {}),
  })),
  faultKind("refusals", (dice) => ({ kind: "status", status: dice.oneOf([400, 403, 404, 409]) })),
  faultKind("time-out after applying", (dice) => ({
    kind: "timeout_after_applying",
    ...(dice.chance(0.5) ? { close_after: `${dice.between(0, 10)}s` } : {}),
  })),
  faultKind("hang", () => ({ kind: "hang" })),
  faultKind("down", () => ({ kind: "down" })),
  faultKind("html", (dice) => ({ kind: "html", status: dice.oneOf([200, 502]) })),
  faultKind("truncated", () => ({ kind: "truncated" })),
  faultKind("empty", () => ({ kind: "empty" })),
  faultKind("stale", () => ({ kind: "stale" })),
  faultKind("lie", () => ({ kind: "lie" })),
  wireKind("slow network", (dice) => ({
    delay: { least: 5, most: dice.oneOf([500, 3_000, 6_000]) },
  })),
  wireKind("lossy network", (dice) => ({
    refused: dice.upTo(0.2),
    requestLost: dice.upTo(0.3),
    replyLost: dice.upTo(0.3),
    cut: dice.upTo(0.3),
  })),
  wireKind("odd entries", () => ({ oddEntry: 0.3 })),
  wireKind("odd names", () => ({ malformedName: 0.5 })),
  wireKind("shortened listings", () => ({ shortened: 0.3 })),
];
