import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { packNumbers, unpackNumbers } from "../../src/record/number-ranges.ts";
import { packWatched, unpackWatched } from "../../src/record/watched.ts";

const poller = fc.record(
  {
    name: fc.constantFrom("swaps", "pools", "liquidations"),
    intervalMs: fc.nat(),
    staleAfterMs: fc.nat(),
    surfaces: fc.subarray(["a", "b", "c", "d"]).map((names) => new Set(names)),
  },
  { requiredKeys: ["name", "intervalMs", "staleAfterMs"] },
);
const watched = fc.uniqueArray(
  fc.record(
    {
      name: fc.constantFrom("bsc", "eth"),
      pollers: fc.uniqueArray(poller, { selector: ({ name }) => name }),
      address: fc.nat(),
    },
    { requiredKeys: ["name", "pollers"] },
  ),
  { selector: ({ name }) => name },
);

describe("what is watched", () => {
  it("comes back from the record as it was, whatever was watched before", () => {
    fc.assert(
      fc.property(watched, watched, (before, now) => {
        const packed = JSON.stringify(packWatched(now, before));
        expect(unpackWatched(JSON.parse(packed) as never, before)).toEqual(now);
      }),
    );
  });

  it("is recorded as one name if one of ten thousand has left", () => {
    const senders = Array.from({ length: 10_000 }, (_, index) => `0x${index}`);
    const of = (surfaces: readonly string[]) => [
      {
        name: "bsc",
        pollers: [{ name: "swaps", intervalMs: 1, staleAfterMs: 3, surfaces: new Set(surfaces) }],
      },
    ];
    const packed = packWatched(of(senders.toSpliced(5_000, 1)), of(senders));
    expect(packed[0]?.pollers[0]).toMatchObject({ more: [], fewer: ["0x5000"] });
  });
});

describe("the numbers of surfaces", () => {
  it("come back sorted from the stretches that they are recorded as", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat({ max: 60 })), (numbers) => {
        const sorted = numbers.toSorted((one, other) => one - other);
        expect([...unpackNumbers(packNumbers(numbers))]).toEqual(sorted);
      }),
    );
  });

  it("are two numbers if they follow one another", () => {
    expect(packNumbers([7, 5, 6, 8])).toEqual([5, 4]);
  });
});
