import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Instant } from "../../../src/domain/time.ts";
import { packPage } from "../../../src/io/journal/record-pages.ts";
import { kinds } from "../../../src/pollers/kinds.ts";
import { NOTHING_MORE } from "../../../src/record/entry.ts";
import { replayEntities } from "../../../src/record/past/replay-entities.ts";
import { happening } from "../../backtest/eventful.ts";
import { policyOf } from "../../core/fixtures.ts";
import { START } from "../../core/world.ts";
import { lived } from "./lived.ts";

/** `PROPERTY_RUNS=5000` looks further, from another seed each time; else every run is the same. */
const asked = process.env["PROPERTY_RUNS"];
const RUNS = asked === undefined ? { numRuns: 150, seed: 42 } : { numRuns: Number(asked) };

const { limits } = policyOf([]);

describe("what was watched at an instant that is past", () => {
  it("is what was known then, whatever was read, failed, restarted or left the watch lists", () => {
    const property = fc.property(
      fc.array(happening, { minLength: 1, maxLength: 25 }),
      (happenings) => {
        const { known, packed, shown } = lived(happenings);
        for (const [at, then] of known) {
          const replayed = replayEntities(packed, { at, kinds, limits });
          expect(shown(replayed?.entities ?? new Map()), `at ${at - START}`).toEqual(then);
        }
      },
    );
    fc.assert(property, RUNS);
  });

  it("is not known before the record begins", () => {
    const { packed } = lived([{ what: "passes", seconds: 5 }]);
    expect(replayEntities(packed, { at: START - 1, kinds, limits })).toBeUndefined();
  });

  it("says between which instants nothing was recorded", () => {
    const { packed } = lived([
      { what: "sees", disabled: ["A"], times: 2 },
      { what: "restarts" },
      { what: "sees", disabled: [], times: 2 },
    ]);
    const opened = packed.filter(({ whole }) => whole === 1).map(({ at }) => at);
    const gap = replayEntities(packed, { at: (opened[1] ?? 0) - 1, kinds, limits })?.gap;
    expect(gap?.until).toBe(opened[1]);
    expect(replayEntities(packed, { at: opened[1] ?? 0, kinds, limits })?.gap).toBeUndefined();
  });

  it("is nothing once the record says that there is no such unit any more", () => {
    const { packed, known } = lived([{ what: "sees", disabled: ["A"], times: 2 }]);
    const last = packed.at(-1);
    const at = Math.max(...known.keys()) + 1;
    const ended = {
      seq: (last?.seq ?? 0) + 1,
      at,
      until: at,
      whole: 1,
      body: packPage(NOTHING_MORE),
    };
    const then = replayEntities([...packed, ended], { at: at - 1, kinds, limits });
    expect(then?.entities.size).toBeGreaterThan(0);
    const now = replayEntities([...packed, ended], { at, kinds, limits });
    expect(now?.entities.size).toBe(0);
  });

  it("has how the polls went until then", () => {
    const { packed, known } = lived([
      { what: "sees", disabled: ["A"], times: 3 },
      { what: "fails" },
      { what: "sees", disabled: ["A"], times: 1 },
    ]);
    const [first = 0, , last = 0] = known.keys();
    const outcomesAt = (at: Instant): string[] =>
      (
        replayEntities(packed, { at, kinds, limits })?.polls.of("bsc", "exchanges").recent ?? []
      ).map(({ outcome }) => outcome);
    expect(outcomesAt(first)).toEqual(["complete", "complete", "complete"]);
    expect(outcomesAt(last)).toEqual(["complete", "complete", "complete", "failed", "complete"]);
  });

  it("has how long a long poll took, and not its last piece alone", () => {
    const long = { what: "orders" as const, stuck: [], failed: [], piece: 1, times: 4 };
    const { packed, known } = lived([long, long, long, { ...long, failed: ["o1"] }]);
    const at = Math.max(...known.keys());
    const polls = replayEntities(packed, { at, kinds, limits })?.polls.of("bsc", "liquidations");
    const durations = new Set(polls?.recent.map(({ durationMs }) => durationMs));
    expect([polls?.recent.length, ...durations]).toEqual([16, 300]);
  });

  it("knows how far a long poll has read, though it reads the same as those before", () => {
    const long = { what: "orders" as const, stuck: [], failed: [], piece: 1, times: 4 };
    const { packed, known } = lived([long, long, long]);
    const then = (at: Instant) => replayEntities(packed, { at, kinds, limits });
    const polls = then(Math.max(...known.keys()))?.polls.of("bsc", "liquidations");
    const successAt = (at: Instant) =>
      then(at)?.entities.get("bsc/poller/liquidations")?.facts["last_success"];
    const read = polls?.recent.map(({ at }) => [at - 1, at].map(successAt)) ?? [];
    expect(read.length).toBe(12);
    for (const [before, after] of read) expect(before).toBe(after);
  });

  it("knows during a long poll what came of the one before", () => {
    const long = { what: "orders" as const, stuck: [], failed: [], piece: 1, times: 4 };
    const { packed, known } = lived([long, long, long]);
    const [, , last = 0] = known.keys();
    const upAt = (at: Instant) =>
      replayEntities(packed, { at, kinds, limits })?.entities.get("bsc/poller/liquidations")?.facts[
        "up"
      ];
    const instants = Array.from({ length: (last - START) / 50 }, (_, index) => START + index * 50);
    const ups = instants.map(upAt);
    const begun = ups.indexOf(true);
    expect(begun).toBeGreaterThan(-1);
    expect(new Set(ups.slice(begun))).toEqual(new Set([true]));
  });
});
