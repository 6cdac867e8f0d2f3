import { expect, it } from "vitest";
import type { PolledAggregator } from "../../../src/run/aggregator-connection.ts";
import { addedSurfaces } from "../../../src/run/watch-list/newly-watched.ts";

const polls = new AbortController();

function polled(surfaces: Readonly<Record<string, readonly string[]>>, own = polls) {
  const pollers = Object.entries(surfaces).map(
    ([name, names]) => [name, { surfaces: new Set(names) }] as const,
  );
  return { polls: own, pollers: new Map(pollers) } as unknown as PolledAggregator;
}

it("are the surfaces that a poller has now and had not before", () => {
  const before = polled({ swaps: ["a", "b"], orders: ["1"] });
  const after = polled({ swaps: ["b", "c", "d"], orders: ["1"] });
  expect(addedSurfaces(before, after)).toEqual(new Map([["swaps", new Set(["c", "d"])]]));
});

it("are none of what is read as a whole: a poller that was off, other settings, another aggregator", () => {
  const after = polled({ swaps: ["a"], orders: ["1"] });
  expect(addedSurfaces(polled({ swaps: ["a"] }), after)).toEqual(new Map());
  expect(addedSurfaces(polled({ swaps: [] }, new AbortController()), after)).toEqual(new Map());
  expect(addedSurfaces(undefined, after)).toEqual(new Map());
});
