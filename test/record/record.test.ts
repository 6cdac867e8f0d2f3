/** Tests src/record: record. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SeenEntity } from "../../src/domain/entity.ts";
import type { Observation, Part, SurfaceReading } from "../../src/domain/observation.ts";
import type { Event, StepResult } from "../../src/domain/step.ts";
import { DAY, MINUTE, SECOND, type Instant } from "../../src/domain/time.ts";
import { toEnd } from "../../src/domain/slices.ts";
import { MOST_WAITING } from "../../src/record/pages.ts";
import { createRecorder } from "../../src/record/recorder.ts";
import type { Recorded } from "../../src/record/rebuild.ts";
import { exchange, pair, pool } from "../core/fixtures.ts";
import { START } from "../core/world.ts";
import { recordInMemory, tellOf } from "./in-memory.ts";

const NOTHING: StepResult = { changes: [], effects: [], findings: [] };
const WATCHED = [
  { name: "bsc", pollers: [{ name: "exchanges", intervalMs: 10_000, staleAfterMs: 30_000 }] },
];
const STARTED: Event = { type: "started" };
const all = [exchange("A", "enabled"), exchange("B", "disabled"), pair("A", "X-Y")];

function observation(parts: readonly Part[], change: Partial<Observation> = {}): Observation {
  const { askedAt = 0 } = parts[0] ?? {};
  const seen = { aggregator: "bsc", poller: "exchanges", parts, origin: "poll" } as const;
  return { ...seen, durationMs: askedAt, ...change };
}

function partOf(entities: readonly SeenEntity[]): Part {
  return { surface: "all", askedAt: 0, reading: { ok: true, complete: true, entities } };
}

function polled(at: Instant, entities: readonly SeenEntity[] = all): Event {
  const reading = { ok: true, complete: true, entities } as const;
  const parts = [{ surface: "all", askedAt: at - 5, reading }];
  return { type: "observed", observation: observation(parts, { durationMs: 5 }) };
}

/** Readings whose order has no meaning, by surface. */
function plain(of: Observation): unknown {
  const readings = of.parts.map(({ surface, reading }): [string, unknown] => [
    surface,
    reading.ok
      ? { ...reading, entities: new Map(reading.entities.map((one) => [one.kind + one.id, one])) }
      : reading,
  ]);
  return [of.aggregator, of.poller, of.origin, new Map(readings)];
}

function observations(told: readonly Recorded[]): Array<{ at: Instant; of: Observation }> {
  return told.flatMap((one) =>
    one.type === "event" && one.event.type === "observed"
      ? [{ at: one.at, of: one.event.observation }]
      : [],
  );
}

const entity: fc.Arbitrary<SeenEntity> = fc.oneof(
  fc
    .tuple(fc.constantFrom("A", "B", "C"), fc.constantFrom("enabled", "disabled"))
    .map(([id, status]) => exchange(id, status === "enabled" ? "enabled" : "disabled")),
  fc
    .tuple(fc.constantFrom("A", "B"), fc.constantFrom("X-Y", "Z-Y"))
    .map(([one, other]) => pair(one, other)),
  fc.tuple(fc.constantFrom("P", "Q"), fc.double({ noNaN: true, noDefaultInfinity: true })).map(
    // JSON knows no negative zero.
    ([id, base]) => pool(id, base + 0),
  ),
);
const reading: fc.Arbitrary<SurfaceReading> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .uniqueArray(entity, { selector: ({ kind, id }) => kind + id })
      .map((entities) => ({ ok: true, complete: true, entities }) as const),
  },
  fc.constant({ ok: true, complete: false, entities: all, note: "cut" } as const),
  fc.constant({ ok: true, complete: false, missing: true, entities: [] } as const),
  fc.constant({ ok: false, failure: { reason: "timeout", message: "no answer" } } as const),
);
const poll = fc.record({
  poller: fc.constantFrom("exchanges", "pools"),
  origin: fc.constantFrom("poll", "poll", "probe"),
  readings: fc.uniqueArray(fc.tuple(fc.constantFrom("all", "one", "two"), reading), {
    minLength: 1,
    selector: ([surface]) => surface,
  }),
  again: fc.integer({ min: 0, max: 3 }),
  pause: fc.integer({ min: 1, max: 3 * MINUTE }),
});

describe("the record", () => {
  it("gives back every observation as it was, at the instant of its event", () => {
    fc.assert(
      fc.property(
        fc.array(poll, { maxLength: 20 }),
        fc.constantFrom({}, { longestChapter: 300 }, { mostChanges: 1 }, { mostChanges: 2 }),
        (polls, options) => {
          const record = recordInMemory(() => WATCHED, options);
          const given: Array<{ at: Instant; of: Observation }> = [];
          record.note(STARTED, START, NOTHING);
          let at = START;
          for (const { poller, origin, readings, again, pause } of polls) {
            for (let turn = 0; turn <= again; turn += 1) {
              at += pause;
              const read = origin === "probe" ? readings.slice(0, 1) : readings;
              const parts = read.map(([surface, said]) => ({
                surface,
                askedAt: at - 7,
                reading: said,
              }));
              const of = observation(parts, { poller, origin, durationMs: 7 });
              record.note({ type: "observed", observation: of }, at, NOTHING);
              given.push({ at, of });
            }
          }
          const { told, problems } = tellOf(record.pages(at));
          expect(problems).toEqual([]);
          const got = observations(told);
          expect(got.map(({ at: then }) => then)).toEqual(given.map(({ at: then }) => then));
          expect(got.map(({ of }) => plain(of))).toEqual(given.map(({ of }) => plain(of)));
          for (const { at: then, of } of got) {
            for (const { askedAt } of of.parts) expect(askedAt).toBe(then - 7);
          }
        },
      ),
    );
  });

  it("costs an unchanged poll no page: those of a minute are one", () => {
    const record = recordInMemory(() => WATCHED);
    record.note(STARTED, START, NOTHING);
    for (let at = START + SECOND; at <= START + 10 * MINUTE; at += SECOND) {
      record.note(polled(at), at, NOTHING);
    }
    const pages = record.pages(START + 10 * MINUTE);
    expect(pages.length).toBeLessThan(14);
    const { told } = tellOf(pages);
    expect(observations(told)).toHaveLength(600);
    const listings = observations(told).map(({ of }) => of.parts[0]?.reading);
    // One and the same value, so that the core need not look through it.
    expect(new Set(listings).size).toBe(1);
  });

  it("takes an unchanged surface as asked when its poll began, and never as younger", () => {
    const record = recordInMemory(() => WATCHED);
    record.note(STARTED, START, NOTHING);
    for (const at of [START + SECOND, START + 2 * SECOND]) {
      const parts = [9, 4].map((ago, index): Part => ({
        surface: `s${index}`,
        askedAt: at - ago,
        reading: { ok: true, complete: true, entities: [] },
      }));
      record.note({ type: "observed", observation: observation(parts) }, at, NOTHING);
    }
    const { told } = tellOf(record.pages(START + MINUTE));
    const asked = observations(told).map(({ at, of }) => of.parts.map((part) => at - part.askedAt));
    expect(asked).toEqual([
      [9, 4],
      [9, 9],
    ]);
  });

  it("knows how long a poll took that waited for its first request, or was handled late", () => {
    const record = recordInMemory(() => WATCHED);
    record.note(STARTED, START, NOTHING);
    const durations = [5, 5, 900, 700, 5, 0];
    durations.forEach((durationMs, index) => {
      const at = START + (index + 1) * SECOND;
      const askedAt = index === 5 ? at - 300 : at - 5;
      const parts = [{ ...partOf(all), askedAt }];
      record.note(
        { type: "observed", observation: observation(parts, { durationMs }) },
        at,
        NOTHING,
      );
    });
    const { told } = tellOf(record.pages(START + MINUTE));
    expect(observations(told).map(({ of }) => of.durationMs)).toEqual(durations);
  });

  it("begins a chapter each day, which is told without those before it", () => {
    const record = recordInMemory(() => WATCHED);
    record.note(STARTED, START, NOTHING);
    for (const at of [START + SECOND, START + DAY, START + DAY + SECOND]) {
      record.note(polled(at), at, NOTHING);
    }
    const pages = record.pages(START + 2 * DAY);
    const second = pages.findIndex(({ whole }, index) => whole && index > 0);
    const { told } = tellOf(pages.slice(second));
    expect(told.map(({ type }) => type)).toEqual(["opened", "event", "event"]);
    expect(plain(observations(told)[1]?.of ?? observation([]))).toEqual(
      plain(observations(tellOf(pages).told)[2]?.of ?? observation([])),
    );
  });

  it("keeps a listing however long it is, in pages that are not", () => {
    const names = Array.from({ length: 40_000 }, (_, index) => exchange(`E${index}`, "enabled"));
    const moved = names.map((one) => ({ ...one, parent: { kind: "market", id: "M" } }));
    const record = recordInMemory(() => WATCHED);
    record.note(STARTED, START, NOTHING);
    const listings = [names, moved, names.slice(0, 10)];
    for (const [index, listing] of listings.entries()) {
      const at = START + (index + 1) * SECOND;
      record.note(polled(at, listing), at, NOTHING);
    }
    const pages = record.pages(START + MINUTE);
    expect(pages.reduce((sum, { body }) => sum + body.length, 0)).toBeGreaterThan(MOST_WAITING);
    for (const { body } of pages) expect(body.length).toBeLessThan(300_000);
    const { told, problems } = tellOf(pages);
    expect(problems).toEqual([]);
    expect(observations(told).map(({ of }) => plain(of))).toEqual(
      listings.map((listing) => plain(observation([partOf(listing)]))),
    );
    // What is listed the first time is no reason for a chapter of its own at each poll.
    expect(pages.filter(({ whole }) => whole)).toHaveLength(1);
  });

  it("does not look through a listing that is the very same", () => {
    const record = recordInMemory(() => WATCHED);
    record.note(STARTED, START, NOTHING);
    let looked = 0;
    const listing = Object.assign([...all], {
      [Symbol.iterator]: () => {
        looked += 1;
        return all.values();
      },
    });
    for (const at of [START + SECOND, START + 2 * SECOND, START + 3 * SECOND])
      record.note(polled(at, listing), at, NOTHING);
    expect(looked).toBe(1);
    expect(observations(tellOf(record.pages(START + MINUTE)).told)).toHaveLength(3);
  });

  it("has what could wait written at once for who looks at it, and says when it is", async () => {
    const recorder = createRecorder(() => WATCHED);
    toEnd(recorder.note(STARTED, START, NOTHING));
    toEnd(recorder.note(polled(START + 1), START + 1, NOTHING));
    expect(recorder.due(START + 1)).toHaveLength(1);
    recorder.written();
    expect(recorder.hurry()).toBeUndefined();
    toEnd(recorder.note(polled(START + 10_000), START + 10_000, NOTHING));
    expect(recorder.due(START + 10_000)).toEqual([]);
    const written = recorder.hurry();
    expect(recorder.due(START + 10_001)).toMatchObject([{ until: START + 10_000 }]);
    recorder.written();
    await written;
    expect([recorder.hurry(), recorder.due(START + 10_002)]).toEqual([undefined, []]);
  });

  it("loses what a journal does not take beyond a bound, once, and begins again when it is written", () => {
    let lost = 0;
    const recorder = createRecorder(() => WATCHED, { onLost: () => (lost += 1) });
    const note = (at: Instant, entities: readonly SeenEntity[]): void =>
      toEnd(recorder.note(polled(at, entities), at, NOTHING));
    const many = Array.from({ length: 60_000 }, (_, index) => exchange(`E${index}`, "enabled"));
    toEnd(recorder.note(STARTED, START, NOTHING));
    note(START + 1, many);
    expect(recorder.due(START + 1).length).toBeGreaterThan(10);
    // The commit failed.
    note(START + 2, many);
    expect([recorder.due(START + 2), lost]).toEqual([[], 1]);
    for (const at of [START + 3, START + 4]) {
      note(at, many.slice(at - START));
      expect([recorder.due(at), lost]).toEqual([[], 1]);
    }
    recorder.written();
    note(START + 5, all);
    const [page] = recorder.due(START + 5);
    expect([page?.whole, page?.body]).toEqual([true, expect.stringContaining('"why":"gap"')]);
  });

  it("says how old is what was left out, before all that may make it unknown, and then says it again", () => {
    const pollers = WATCHED[0]?.pollers.map((own) => ({ ...own, surfaces: new Set(["all"]) }));
    const planned = [{ name: "bsc", pollers: pollers ?? [] }];
    const at = START + 70 * SECOND;
    const events: readonly Event[] = [
      { type: "resumed", since: at - 9 * SECOND, awayMs: 7 * SECOND },
      { type: "policy_changed", rulesBefore: new Map(), moved: ["bsc"] },
      { type: "watch_changed", listed: [] },
    ];
    for (const event of events) {
      const record = recordInMemory(() => planned);
      record.note(STARTED, START, NOTHING);
      for (let then = START + 10 * SECOND; then < at; then += 10 * SECOND)
        record.note(polled(then), then, NOTHING);
      record.note(event, at, NOTHING);
      record.note(polled(at + SECOND), at + SECOND, NOTHING);
      const { told } = tellOf(record.pages(at + SECOND), "changes");
      const [left, poll] = observations(told).slice(-2);
      expect(left).toMatchObject({ at, of: { origin: "probe" } });
      expect(left?.of.parts).toMatchObject([{ surface: "all", askedAt: at - 10 * SECOND - 5 }]);
      expect(poll?.of.parts).toHaveLength(1);
      const heard = told.flatMap((one) => (one.type === "event" ? [one.event] : []));
      expect(heard.slice(-3)).toMatchObject([{ type: "observed" }, event, { type: "observed" }]);
    }
  });

  it("says of each piece of a long poll, and not of a probe, how old is what was left out", () => {
    const planned = WATCHED.map(({ name, pollers }) => ({
      name,
      pollers: pollers.map((own) => ({ ...own, surfaces: new Set(["one", "two"]) })),
    }));
    const record = recordInMemory(() => planned);
    record.note(STARTED, START, NOTHING);
    const read = (surface: string, at: Instant, change: Partial<Observation>): void => {
      const parts = [{ ...partOf(all), surface, askedAt: at - 5 }];
      record.note({ type: "observed", observation: observation(parts, change) }, at, NOTHING);
    };
    const left = (at: Instant): unknown => {
      record.note({ type: "resumed", since: at, awayMs: 0 }, at, NOTHING);
      const { of } = observations(tellOf(record.pages(at), "changes").told).at(-1) ?? {};
      return of?.parts.map(({ surface, askedAt }) => [surface, at - askedAt]);
    };
    let at = START;
    const pollInPieces = (): void => {
      at += 10 * SECOND;
      read("one", at, { ongoing: true });
      const earlier = { parts: 1, failed: 0, cut: 0, askedAt: at - 5 };
      at += SECOND;
      read("two", at, { earlier });
    };
    for (let poll = 0; poll < 6; poll += 1) pollInPieces();
    expect(left(at + SECOND)).toEqual([
      ["one", 2 * SECOND + 5],
      ["two", SECOND + 5],
    ]);
    for (let poll = 0; poll < 6; poll += 1) pollInPieces();
    read("one", at + SECOND, { origin: "probe" });
    expect(left(at + 2 * SECOND)).toEqual([["two", 2 * SECOND + 5]]);
  });

  it("tells nothing after a page that is missing, until the next chapter", () => {
    const record = recordInMemory(() => WATCHED);
    record.note(STARTED, START, NOTHING);
    const listings = [all, all.slice(1), all.slice(2), all, all.slice(1)];
    for (const [index, listing] of listings.entries()) {
      const at = START + (index + 1) * SECOND;
      record.note(polled(at, listing), at, NOTHING);
    }
    record.note(STARTED, START + MINUTE, NOTHING);
    record.note(polled(START + MINUTE + 1), START + MINUTE + 1, NOTHING);
    const pages = record.pages(START + 2 * MINUTE);
    const { told, problems } = tellOf(pages.toSpliced(2, 1));
    expect(problems).toEqual(["the pages before 4 are missing"]);
    // Of what is lost anyway, it does not matter what else is missing.
    expect(tellOf(pages.filter(({ seq }) => seq !== 3 && seq !== 5)).problems).toEqual(problems);
    expect(told.map(({ type }) => type)).toEqual(["opened", "event", "opened", "event"]);
    expect(told[2]).toMatchObject({ why: "lost", lastAt: START + SECOND });
  });

  it("begins again with a chapter of which the page before is missing, and knows that it lacks one", () => {
    const record = recordInMemory(() => WATCHED);
    record.note(STARTED, START, NOTHING);
    for (const [index, after] of [SECOND, 2 * SECOND, DAY, 2 * DAY].entries())
      record.note(polled(START + after, all.slice(index)), START + after, NOTHING);
    const pages = record.pages(START + 2 * DAY);
    expect(pages.map(({ whole }) => whole)).toEqual([true, false, false, true, true]);
    const { told } = tellOf(pages.toSpliced(2, 1));
    const openings = told.flatMap((one) => (one.type === "opened" ? [[one.why, one.lastAt]] : []));
    expect(openings).toEqual([
      ["start", undefined],
      ["lost", START + SECOND],
      // Nothing is missing before this one.
      ["day", START + DAY],
    ]);
  });

  it("says what is wrong with a page that was damaged", () => {
    const record = recordInMemory(() => WATCHED);
    record.note(STARTED, START, NOTHING);
    record.note(polled(START + SECOND), START + SECOND, NOTHING);
    const [page] = record.pages(START + SECOND);
    if (page === undefined) throw new Error("no page");
    const wrong = (body: string) => tellOf([{ ...page, body }]).problems;
    expect(wrong("[")).toEqual([expect.stringMatching(/^page 1 of the record: not JSON: /)]);
    expect(wrong("{}")).toEqual(["page 1 of the record: not a list of entries"]);
    expect(wrong('[{"t":"open","dt":0,"why":"start","watched":[]},[1,2]]')).toEqual([
      "page 1 of the record: its entry 2 is not three numbers",
    ]);
    expect(wrong('[{"t":"later","dt":0}]')).toEqual([
      "page 1 of the record: its entry 1 is of a kind that this version does not know: later",
    ]);
    expect(wrong('[{"t":"read","dt":0,"s":1,"lag":2}]')).toEqual([
      'page 1 of the record: its entry 1 has no "parts" of the type array',
    ]);
  });

  it("leaves out kinds and facts that this version does not know, and says so once", () => {
    const record = recordInMemory(() => WATCHED);
    record.note(STARTED, START, NOTHING);
    const odd = (id: string): SeenEntity[] => [
      { kind: "spaceship", id, facts: { name: id } },
      { kind: "exchange", id, facts: { name: id, warp: 9, status: "enabled", listed: "yes" } },
    ];
    record.note(polled(START + 1, [...odd("A"), ...odd("B")]), START + 1, NOTHING);
    const { told, problems } = tellOf(record.pages(START + 1));
    expect(problems).toEqual([
      'entities of the kind "spaceship" are left out: this version knows no such kind',
      "the fact exchange.warp is left out: this version knows no such fact",
      "the fact exchange.listed is left out if it is a string: in this version it is a bool",
    ]);
    expect(observations(told)[0]?.of.parts[0]?.reading).toEqual({
      ok: true,
      complete: true,
      entities: ["A", "B"].map((id) => ({
        kind: "exchange",
        id,
        facts: { name: id, status: "enabled" },
      })),
    });
  });
});
