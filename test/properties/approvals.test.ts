/** Tests src/core/act: whatever changes when, an action is sent on the facts that a person has read and approved. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { HOUR } from "../../src/domain/time.ts";
import { factIs, order, repair, rule } from "../core/fixtures.ts";
import { scriptedWorld, type World } from "../core/world.ts";

const AMOUNTS = [10, 20, 10_000] as const;
const person = fc.constantFrom("alice", "bob");
const happening = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("read" as const), by: person }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("approve" as const), by: person }) },
  fc.record({ do: fc.constant("changes" as const), to: fc.constantFrom(...AMOUNTS) }),
  { weight: 2, arbitrary: fc.constant({ do: "polls" as const }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("passes" as const),
      seconds: fc.constantFrom(0.05, 0.2, 1, 12),
    }),
  },
  fc.constantFrom(
    { do: "holds" as const },
    { do: "releases" as const },
    { do: "restarts" as const },
  ),
);
type Happening = typeof happening extends fc.Arbitrary<infer Made> ? Made : never;

const stuck = rule({
  alert: "Stuck",
  kind: "liquidation",
  when: factIs("final", false),
  act: repair({
    action: "force_cancel_order",
    mode: "propose",
    attempts: 100,
    cooldownMs: 0,
    budget: { max: 100, perMs: HOUR },
  }),
});

type Read = { readonly id: string; readonly digest: string; readonly amount: unknown };

/** One order, and two persons who approve what they have read, some time ago. */
class Story {
  readonly world: World;
  /** Sent, with the amount at that moment, and those that were approved of the proposal that it used up. */
  readonly sent: Array<{ amount: unknown; approved: readonly unknown[] }> = [];
  refused = 0;
  private readonly unanswered: string[] = [];
  private readonly reads = new Map<string, Read>();
  private readonly approved: Read[] = [];
  private amount: number = AMOUNTS[0];

  constructor(approvals: number) {
    const act = stuck.act && { ...stuck.act, approvals };
    this.world = scriptedWorld({
      rules: [{ ...stuck, ...(act === undefined ? {} : { act }) }],
      acting: { rampIntervalMs: 1_000, budget: { max: 100, perMs: HOUR } },
    });
    this.world.onStep = (_event, { effects }) => {
      for (const effect of effects) if (effect.type === "act") this.noteSent();
    };
    this.take({ do: "polls" });
  }

  /** What is sent is rejected, so that the order stays stuck, and is proposed again. */
  takeAndAnswer(what: Happening): void {
    this.take(what);
    for (const id of this.unanswered.splice(0)) this.world.replies(id, "rejected");
  }

  private take(what: Happening): void {
    const { world } = this;
    switch (what.do) {
      case "read": {
        const [shown] = world.state.tables.proposal.values();
        if (shown === undefined) return;
        const { id, digest } = shown;
        this.reads.set(what.by, { id, digest, amount: shown.shown.facts["amount"] });
        return;
      }
      case "approve":
        return this.approve(what.by);
      case "changes":
        this.amount = what.to;
        // Whoever reads it next sees it, be it a poll or the reading right before the action.
        return void world.becomes("liquidations", [this.order()], "o1");
      case "polls":
        return void world.polls("liquidations", { o1: [this.order()] });
      case "passes":
        return void world.passes(`${what.seconds * 1_000}ms`);
      case "holds": {
        const until = world.now + HOUR;
        return void world.commands({ name: "hold", id: "h1", scope: {}, until });
      }
      case "releases":
        return void world.commands({ name: "release", hold: "h1" });
      case "restarts":
        return void world.restarts();
    }
  }

  private order() {
    return order("o1", "STUCK", { amount: this.amount });
  }

  private approve(by: string): void {
    const read = this.reads.get(by);
    if (read === undefined) return;
    const command = { name: "approve", proposal: read.id, digest: read.digest } as const;
    const before = this.world.found("command").length;
    this.approved.push(read);
    this.world.tell({ type: "command", by, reason: "", command });
    if (this.world.found("command")[before]?.accepted === true) return;
    this.approved.pop();
    this.refused += 1;
  }

  private noteSent(): void {
    const newest = `p${this.world.state.tables.counter.get("proposal")}`;
    const own = this.approved.filter(({ id }) => id === newest);
    this.sent.push({ amount: this.amount, approved: own.map(({ amount }) => amount) });
    this.unanswered.push(`r${this.world.state.tables.counter.get("remediation")}`);
  }
}

it("sends only what as many persons as are needed have read and approved, as it is at that moment", () => {
  const reached = { sent: 0, refused: 0, withdrawn: 0 };
  fc.assert(
    fc.property(
      fc.constantFrom(1, 2),
      fc.array(happening, { minLength: 20, maxLength: 60 }),
      (approvals, happenings) => {
        const story = new Story(approvals);
        for (const what of happenings) story.takeAndAnswer(what);
        for (const { amount, approved } of story.sent) {
          expect(approved.length).toBeGreaterThanOrEqual(approvals);
          expect([...new Set(approved)]).toEqual([amount]);
        }
        reached.sent += story.sent.length;
        reached.refused += story.refused;
        reached.withdrawn += story.world.found("withdrawn").length;
      },
    ),
    { numRuns: 200 },
  );
  // It was not idle.
  for (const count of Object.values(reached)) expect(count).toBeGreaterThan(50);
});
