import fc from "fast-check";
import type { ActionReply } from "../../src/domain/action.ts";
import type { Scope } from "../../src/domain/hold.ts";
import type { CrashBoundary } from "../core/world.ts";

/** Everything that may happen to the core, as data, so that a failing run can be shrunk and replayed. */
export type Happening =
  | { readonly do: "pass"; readonly seconds: number }
  /** So little time that no tick need come between two events. */
  | { readonly do: "moment" }
  /** For once a repair goes as it should, whether or not it was one before, and whether or not its answer comes. */
  | {
      readonly do: "repair";
      readonly of: "A" | "B" | "o1";
      readonly answer: "acknowledged" | "in_doubt";
    }
  | { readonly do: "flip"; readonly entity: number }
  | { readonly do: "poll"; readonly poller: Poller; readonly fault: Fault }
  | { readonly do: "probe"; readonly index: number; readonly fault: Fault }
  | {
      readonly do: "reply";
      readonly index: number;
      readonly outcome: ActionReply["outcome"];
      readonly applied: boolean;
    }
  | { readonly do: "kill" | "unkill"; readonly source: "operator" | "file" }
  | { readonly do: "approve" | "deny"; readonly proposal: number; readonly by: string }
  | { readonly do: "hold" | "silence"; readonly scope: Scope; readonly milliseconds: number }
  | { readonly do: "release" | "unsilence"; readonly number: number }
  | { readonly do: "release_quarantine"; readonly exchange: number }
  | { readonly do: "journal"; readonly broken: boolean }
  | { readonly do: "crash"; readonly boundary: CrashBoundary | "now"; readonly downFor: string };

export type Poller = "exchanges" | "liquidations";
/** `cut`: the listing lacks its last entities. `late`: it was asked a while ago. `slow`: a probe was. */
export type Fault = "none" | "failed" | "cut" | "late" | "slow";

const fault = fc.constantFrom<Fault>(
  "none",
  "none",
  "none",
  "none",
  "failed",
  "cut",
  "late",
  "slow",
);
const poller = fc.constantFrom<Poller>("exchanges", "exchanges", "liquidations");
const index = fc.nat({ max: 3 });
const scope = fc.constantFrom<Scope>(
  {},
  { kind: "exchange", id: "A" },
  { kind: "exchange" },
  { id: "B" },
  { rule: "NotListed" },
  { kind: "liquidation", id: "o1" },
  { aggregator: "another" },
);

export const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("pass"), seconds: fc.integer({ min: 1, max: 15 }) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("flip"), entity: fc.nat({ max: 7 }) }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("poll"), poller, fault }) },
  { weight: 10, arbitrary: fc.record({ do: fc.constant("probe"), index, fault }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("reply"),
      index,
      outcome: fc.constantFrom("acknowledged", "rejected", "in_doubt"),
      applied: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom("kill", "unkill", "unkill"),
      source: fc.constantFrom("operator", "file"),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom("approve", "approve", "approve", "approve", "deny"),
      // Counted from the newest: those before are most often used up.
      proposal: fc.constantFrom(0, 0, 0, 1),
      by: fc.constantFrom("alice", "bob", "alice and bob"),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("moment") }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("repair"),
      of: fc.constantFrom("A", "B", "o1"),
      answer: fc.constantFrom("acknowledged", "acknowledged", "in_doubt"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom("hold", "hold", "silence"),
      scope,
      milliseconds: fc.integer({ min: 1, max: 60 }).map((halves) => halves * 500),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom("release", "release", "unsilence"),
      number: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("release_quarantine"), exchange: fc.nat({ max: 3 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("journal"),
      broken: fc.constantFrom(true, false, false),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("crash"),
      boundary: fc.constantFrom("now", "before_commit", "before_effects", "after_effects"),
      downFor: fc.constantFrom("0s", "1s", "20s", "2m"),
    }),
  },
);
