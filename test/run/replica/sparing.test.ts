/** Tests src/run/replica/sparing.ts, by a keeper that asks. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TAKE_EVERY } from "../../../src/run/replica/lease-keeper.ts";
import { MOST_SPARED, SPARED_FOR } from "../../../src/run/replica/sparing.ts";
import { LASTS, USABLE, world } from "./lease-world.ts";

/** An owner, and a standby that has just asked. */
async function pair() {
  const { replica, pass, setAway } = world();
  const [a, b] = [replica("a"), replica("b")];
  await a.keeper.turn();
  await b.keeper.turn();
  const turn = async (...of: readonly (typeof a)[]): Promise<void> => {
    pass(TAKE_EVERY);
    for (const { keeper } of of) await keeper.turn();
  };
  const turnBoth = async (forMs: number): Promise<void> => {
    for (let passed = 0; passed < forMs; passed += TAKE_EVERY) await turn(b, a);
  };
  return { a, b, turn, turnBoth, setAway };
}

describe("an outage in which the owner's lease may have run out", () => {
  it("leaves it to its owner, which asks as often, and to another if that one is gone", async () => {
    const { a, b, turn, turnBoth, setAway } = await pair();
    setAway("no route");
    await turnBoth(2 * LASTS);
    setAway(undefined);
    await turnBoth(TAKE_EVERY);
    expect([a.told, a.keeper.lease()?.leftMs(), b.told]).toEqual([["taken 1"], USABLE, []]);
    // The next outage begins, and the owner does not outlive it.
    setAway("no route");
    await turnBoth(LASTS);
    setAway(undefined);
    let waited = 0;
    for (; b.told.length === 0; waited += TAKE_EVERY) await turn(b);
    expect([b.told, waited]).toEqual([["taken 2"], SPARED_FOR + TAKE_EVERY]);
  });

  it("leaves it to its owner also if it follows another outage at once", async () => {
    const { a, b, turnBoth, setAway } = await pair();
    for (let outages = 0; outages < 3; outages += 1) {
      setAway("no route");
      await turnBoth(2 * LASTS);
      setAway(undefined);
      await turnBoth(2 * TAKE_EVERY);
    }
    expect([a.told, b.told]).toEqual([["taken 1"], []]);
  });

  it("leaves it to its owner also if it was as short as that can be", async () => {
    const { a, b, turn, turnBoth, setAway } = await pair();
    await turnBoth(LASTS / 5 - TAKE_EVERY);
    // The standby is answered once more; the renewal that is due at that instant is not.
    await turn(b);
    setAway("no route");
    await a.keeper.turn();
    await turnBoth((LASTS / 5) * 4 - TAKE_EVERY);
    setAway(undefined);
    for (let waited = 0; waited < SPARED_FOR; waited += TAKE_EVERY) await turn(b);
    await a.keeper.turn();
    expect([a.told, a.keeper.lease()?.leftMs(), b.told]).toEqual([["taken 1"], USABLE, []]);
  });

  it("lets what was given back in it be taken at once", async () => {
    const { a, b, turn, setAway } = await pair();
    setAway("no route");
    await turn(b);
    setAway(undefined);
    await a.keeper.release();
    await turn(b);
    expect(b.told).toEqual(["taken 2"]);
  });
});

describe("a standby whose own questions fail now and then", () => {
  /** How long the owner is silent until the standby takes over, which asks at fixed intervals. */
  async function takeOver(fails: (question: number) => boolean) {
    const { b, turn, setAway } = await pair();
    const answered: number[] = [];
    for (let question = 1; question < 10_000; question += 1) {
      const failed = fails(question);
      setAway(failed ? "cut" : undefined);
      await turn(b);
      const silent = question * TAKE_EVERY;
      if (!failed && silent >= LASTS) answered.push(silent);
      if (b.told.length > 0) return { silent, answered };
    }
    throw new Error("it never takes over");
  }

  it.each([3, 10, 12])("takes over when the lease has run out, if one in %i fails", async (nth) => {
    const within = LASTS + 2 * TAKE_EVERY;
    for (let shift = 0; shift < nth; shift += 1)
      expect((await takeOver((question) => question % nth === shift)).silent).toBeLessThanOrEqual(
        within,
      );
  });

  it("takes over within three seconds more, if each second fails", async () => {
    const { silent } = await takeOver((question) => question % 2 === 0);
    expect(silent).toBeLessThanOrEqual(LASTS + SPARED_FOR + 2 * TAKE_EVERY);
  });

  /** Runs of questions that fail, and of some that do not. */
  const runs = (most: number) =>
    fc.array(fc.tuple(fc.nat({ max: most }), fc.nat({ max: 30 })), { maxLength: 20 });
  const scripted = async (lengths: readonly (readonly [number, number])[]) => {
    const script = lengths.flatMap(([failing, good]) => [
      ...Array.from({ length: failing }, () => true),
      ...Array.from({ length: good }, () => false),
    ]);
    return await takeOver((question) => script[question - 1] === true);
  };

  it("waits no longer than that after its first answer, whichever fail", async () => {
    await fc.assert(
      // In a longer run, the lease of the owner could run out.
      fc.asyncProperty(runs((LASTS * 0.8) / TAKE_EVERY - 2), async (lengths) => {
        const { silent, answered } = await scripted(lengths);
        const [first = 0] = answered;
        expect(silent).toBe(answered.at(-1));
        expect(answered.at(-2) ?? 0).toBeLessThan(first + SPARED_FOR);
      }),
      { numRuns: 300, seed: 42 },
    );
  });

  it("takes over after a bounded number of answers, however long outages are", async () => {
    await fc.assert(
      fc.asyncProperty(runs(90), async (lengths) => {
        const { answered } = await scripted(lengths);
        const each = SPARED_FOR / TAKE_EVERY;
        expect(answered.length).toBeLessThanOrEqual((1 + MOST_SPARED) * each + 1);
      }),
      { numRuns: 300, seed: 42 },
    );
  });

  it("takes over after a few answers, though an outage comes before each", async () => {
    const each = (2 * LASTS) / TAKE_EVERY;
    const { answered } = await takeOver((question) => question % each !== 0);
    expect(answered).toHaveLength(MOST_SPARED + 1);
  });

  it("leaves a lease that ran out as a question failed until the next, which may come late", async () => {
    const { silent } = await takeOver((question) => question === LASTS / TAKE_EVERY);
    expect(silent).toBe(LASTS + 2 * TAKE_EVERY);
  });

  it("takes over soon, if up to a third of them fails by chance", async () => {
    const chances = fc.infiniteStream(fc.noBias(fc.nat({ max: 99 })));
    await fc.assert(
      fc.asyncProperty(chances, async (chance) => {
        for (const share of [10, 20, 33]) {
          const { silent } = await takeOver(() => Number(chance.next().value) < share);
          expect(silent).toBeLessThanOrEqual(LASTS + SPARED_FOR + 4 * TAKE_EVERY);
        }
      }),
      { numRuns: 200, seed: 42 },
    );
  });
});
