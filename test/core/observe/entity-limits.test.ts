import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EntityLimits } from "../../../src/domain/limits.ts";
import { exchange, pair, repair, rule } from "../fixtures.ts";
import { scriptedWorld, type World } from "../world.ts";

const FEW: EntityLimits = { entities: 3, entitiesPerEntry: 1, vanished: 2 };

function world(limits: Partial<EntityLimits> = {}): World {
  const made = scriptedWorld({ rules: [rule({ act: repair() })] });
  made.policy = { ...made.policy, limits: { ...FEW, ...limits } };
  return made;
}

const enabled = (...ids: readonly string[]) => ids.map((id) => exchange(id, "enabled"));
const names = (seen: World): string[] =>
  seen.state.tables.entity
    .values()
    .filter(({ kind }) => kind === "exchange")
    .map(({ id }) => id)
    .toArray();

describe("more entities than may be watched", () => {
  it("leaves out what is new, counts it, and keeps what was known", () => {
    const seen = world().sees("exchanges", enabled("A", "B", "C"));
    seen.at("10s").sees("exchanges", enabled("NEW-1", "NEW-2", "A", "B", "C"));
    expect(names(seen)).toStrictEqual(["A", "B", "C"]);
    expect(seen.found("left_out")).toStrictEqual([
      { type: "left_out", aggregator: "bsc", kind: "exchange", why: "listed", count: 2 },
    ]);
    expect(seen.entity("poller", "exchanges")?.facts).toMatchObject({
      left_out: 2,
      truncated_surfaces: 0,
      reason: "too_many",
      error: "more entities than limits.entities: left out: 2 of this listing",
    });
  });

  it("counts each kind by itself", () => {
    const seen = world().sees("exchanges", [
      ...enabled("A", "B", "C"),
      pair("A", "X-Y"),
      pair("A", "Y-Z"),
    ]);
    expect(seen.found("left_out")).toStrictEqual([]);
  });

  it("makes what is absent unknown, and not gone: it may be among what was left out", () => {
    const seen = world().sees("exchanges", enabled("A", "B", "C"));
    seen.at("10s").sees("exchanges", enabled("NEW-1", "NEW-2", "A", "B"));
    seen.at("20s").sees("exchanges", enabled("NEW-1", "NEW-2", "A", "B"));
    expect(seen.entity("exchange", "C")).toMatchObject({ facts: { status: "enabled" } });
    expect(seen.entity("exchange", "C")?.unknownSince).toBeDefined();
  });

  it("takes what is new in the place of what has gone, if the listing itself is not too long", () => {
    const flood = Array.from({ length: 5 }, (_, index) => `FLOOD-${index}`);
    const seen = world({ entities: 6 }).sees("exchanges", enabled("A", "B"));
    seen.at("10s").sees("exchanges", enabled("A", "B", ...flood));
    expect(names(seen)).toStrictEqual(["A", "B", "FLOOD-0", "FLOOD-1", "FLOOD-2", "FLOOD-3"]);
    for (const [index, at] of ["20s", "30s", "40s", "50s"].entries())
      seen.at(at).sees("exchanges", enabled("A", "B", "NEW", `EACH-TIME-${index}`));
    expect(seen.entity("exchange", "NEW")?.unknownSince).toBeUndefined();
    expect(names(seen)).toContain("NEW");
    expect(seen.state.surfaces.get("bsc/exchanges/all")?.complete).toBe(true);
  });

  it("alerts on what is known, and acts on nothing of that listing until it is whole again", () => {
    const disabled = [exchange("A", "disabled"), ...enabled("B", "C")];
    const seen = world().sees("exchanges", enabled("A", "B", "C"));
    seen
      .at("10s")
      .sees("exchanges", [...disabled, ...enabled("NEW")])
      .at("30s");
    expect(seen.alerts()).toStrictEqual(["ExchangeDisabled A firing"]);
    expect(seen.sent).toStrictEqual([]);
    expect(seen.alert("ExchangeDisabled", "exchange", "A")?.suppressed).toMatchObject({
      reason: "stale",
      detail: "too_many: more entities than limits.entities: left out: 1 of this listing",
    });
    seen.sees("exchanges", disabled).passes("2s");
    expect(seen.sent.map(({ action }) => action)).toStrictEqual(["enable_exchange"]);
  });

  it("says first what the listing says of itself, and resolves nothing by that", () => {
    const seen = world().sees("exchanges", [exchange("A", "disabled"), ...enabled("B", "C")]);
    const evidence = { doubt: { reason: "partial_content", detail: "status 206" } } as const;
    seen.at("10s").reads("exchanges", enabled("A", "B", "C", "NEW"), { evidence });
    expect(seen.alerts()).toStrictEqual(["ExchangeDisabled A firing (unknown)"]);
    expect(seen.entity("poller", "exchanges")?.facts).toMatchObject({
      left_out: 1,
      truncated_surfaces: 1,
      reason: "partial_content",
    });
  });

  it("admits more if more entries are watched", () => {
    const seen = world({ entitiesPerEntry: 4 });
    const [aggregator] = seen.policy.aggregators;
    if (aggregator === undefined) throw new Error("no aggregator");
    const pollers = aggregator.pollers.map((one) => ({ ...one, surfaces: new Set(["all"]) }));
    seen.policy = { ...seen.policy, aggregators: [{ ...aggregator, pollers }] };
    seen.sees("exchanges", enabled("A", "B", "C", "D", "E"));
    expect(names(seen)).toStrictEqual(["A", "B", "C", "D"]);
  });
});

describe("whatever an aggregator names", () => {
  const name = fc.integer({ min: 0, max: 30 }).map((number) => `X${number}`);
  const listing = fc.uniqueArray(name, { maxLength: 12 });

  it("never makes more entities than the limits, nor forgets their count", () => {
    fc.assert(
      fc.property(fc.array(listing, { maxLength: 30 }), fc.boolean(), (listings, restarts) => {
        const seen = world({ entities: 6 });
        for (const [index, ids] of listings.entries()) {
          seen.passes("10s").sees("exchanges", enabled(...ids));
          if (restarts && index % 7 === 3) seen.restarts();
          const known = names(seen);
          const missing = known.filter(
            (id) => seen.entity("exchange", id)?.facts["status"] === "missing",
          );
          expect(known.length).toBeLessThanOrEqual(6);
          expect(missing.length).toBeLessThanOrEqual(FEW.vanished);
          expect(seen.state.counts.get("bsc/exchange") ?? 0).toBe(known.length);
          expect([...(seen.state.vanished.get("bsc/exchange") ?? [])].sort()).toStrictEqual(
            missing.map((id) => `bsc/exchange/${id}`).sort(),
          );
        }
      }),
      { numRuns: 200 },
    );
  });
});
