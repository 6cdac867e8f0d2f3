import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSettled } from "../../src/domain/remediation.ts";
import { Chaos, isBad } from "./core-chaos.ts";
import { happening, type Happening } from "./core-happenings.ts";
import { holdInvariants } from "./core-invariants.ts";

/** `PROPERTY_RUNS=5000` looks further, from another seed each time; else every run is the same. */
const asked = process.env["PROPERTY_RUNS"];
const runs = asked === undefined ? { numRuns: 60, seed: 42 } : { numRuns: Number(asked) };
const happenings = fc.array(happening, { minLength: 20, maxLength: 120, size: "max" });

function play(what: readonly Happening[]): Chaos {
  const chaos = new Chaos();
  holdInvariants(chaos.world);
  chaos.world.starts();
  for (const each of what) chaos.happen(each);
  return chaos;
}

/** Everything works again, and is polled for two minutes. */
function calmDown(chaos: Chaos): void {
  const { world } = chaos;
  world.crashNext = undefined;
  if (world.crashed) world.restarts();
  world.journalHeals();
  for (let poll = 0; poll < 12; poll += 1) {
    world.passes("10s");
    chaos.poll("exchanges", "none");
    chaos.poll("liquidations", "none");
  }
}

/** What was reached by the time that it was calm again, and what is left then, which is looked at and not changed. */
type Played = { readonly reached: ReadonlySet<string>; readonly calm: Chaos };

/** The properties look at the same runs, so each is played once. */
const known = new Map<string, Played>();

function playAndCalm(what: readonly Happening[]): Played {
  const key = JSON.stringify(what);
  const before = known.get(key);
  if (before !== undefined) return before;
  const calm = play(what);
  const played = { reached: reachedBy(calm), calm };
  calmDown(calm);
  // Runs that are asked for are many, and each is another.
  if (asked === undefined) known.set(key, played);
  return played;
}

/** The states of remediations, the reasons of guards, and more that happened. */
function reachedBy({ world }: Chaos): ReadonlySet<string> {
  const reached = new Set<string>(world.suppressions());
  for (const { state, approvedBy } of world.state.tables.remediation.values()) {
    reached.add(state);
    if (approvedBy !== undefined) reached.add("approved");
  }
  if (world.found("unconfirmed").length > 0) reached.add("unconfirmed");
  return reached;
}

describe("the core, whatever happens", () => {
  it("keeps every invariant, at every step", () => {
    fc.assert(
      fc.property(happenings, (what) => {
        playAndCalm(what);
      }),
      runs,
    );
  });

  it("settles every remediation, fires for all that is bad and for nothing else, once it is calm", () => {
    fc.assert(
      fc.property(happenings, (what) => {
        const { world, truth } = playAndCalm(what).calm;
        // Those sent within the last polls may be open still.
        for (const one of world.state.tables.remediation.values()) {
          expect(isSettled(one) || world.now - one.requestedAt < 30_000).toBe(true);
        }
        for (const rule of world.policy.rules.values()) {
          for (const { kind, id } of world.state.tables.entity.values()) {
            if (kind !== rule.kind) continue;
            const state = world.alert(rule.alert, kind, id)?.state ?? "none";
            expect(state === "firing", `${rule.alert} ${id}`).toBe(isBad(truth, kind, id));
          }
        }
      }),
      runs,
    );
  });

  it("has nothing stand in its way once it is calm but what a person or too many bad ones left", () => {
    fc.assert(
      fc.property(happenings, (what) => {
        const { world } = playAndCalm(what).calm;
        const { hold, silence, storm, kill } = world.state.tables;
        expect([...hold.keys(), ...silence.keys(), ...kill.keys()]).toEqual(
          [...kill.keys()].filter((source) => source === "operator" || source === "file"),
        );
        for (const { rule: name, clearedAt } of storm.values()) {
          expect(clearedAt, `${name} storms on`).toBeUndefined();
          const bad = [...world.state.tables.alert.values()].filter(
            ({ rule, state }) => rule === name && state !== "resolved",
          );
          expect(bad.length).toBeGreaterThan(1);
        }
      }),
      runs,
    );
  });

  it("remembers just what was committed", () => {
    fc.assert(
      fc.property(happenings, (what) => {
        const { world } = playAndCalm(what).calm;
        const remembered = Object.entries(world.state.tables).flatMap(([table, rows]) =>
          [...(rows as Map<string, unknown>)].map(([key, value]) => [`${table} ${key}`, value]),
        );
        const committed = [...world.journal.rows].map(([key, { value }]) => [key, value]);
        const byKey = (rows: readonly unknown[][]) => Object.fromEntries(rows) as unknown;
        expect(byKey(remembered)).toStrictEqual(byKey(committed));
      }),
      runs,
    );
  });

  it("does the same again, byte for byte", () => {
    const record = (what: readonly Happening[]): string => {
      const chaos = new Chaos();
      const results: unknown[] = [];
      chaos.world.onStep = (event, result) => results.push(structuredClone([event, result]));
      chaos.world.starts();
      for (const each of what) chaos.happen(each);
      return JSON.stringify([results, [...chaos.world.journal.rows]]);
    };
    fc.assert(
      fc.property(happenings, (what) => record(what) === record(what)),
      { ...runs, numRuns: Math.ceil(runs.numRuns / 5) },
    );
  });
});

it("the chaos does reach what it is to test", () => {
  const reached = new Set<string>();
  fc.assert(
    fc.property(happenings, (what) => {
      const { reached: by } = known.get(JSON.stringify(what)) ?? { reached: reachedBy(play(what)) };
      for (const word of by) reached.add(word);
    }),
    { ...runs, numRuns: runs.numRuns * 4 },
  );
  const states =
    "requested acknowledged in_doubt verified unverified rejected approved unconfirmed";
  const reasons =
    "killed held starting stale in_flight quarantined cooldown attempts storm budget approval";
  for (const word of [...states.split(" "), ...reasons.split(" ")]) expect(reached).toContain(word);
});
