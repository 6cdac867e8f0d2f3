import type { ActionReply } from "../../src/domain/action.ts";
import type { SeenEntity } from "../../src/domain/entity.ts";
import { MINUTE, SECOND } from "../../src/domain/time.ts";
import { AGGREGATOR, exchange, factIs, order, pair, repair, rule } from "../core/fixtures.ts";
import { observed, partOf } from "../core/readings.ts";
import { World } from "../core/world.ts";
import type { Fault, Happening, Poller } from "./core-happenings.ts";

const EXCHANGES = ["A", "B", "C", "D"] as const;
const ORDERS = ["o1", "o2"] as const;

/** The truth, of which the core only ever sees readings. */
export type Truth = { readonly bad: boolean[] };

export function isBad(truth: Truth, kind: string, id: string): boolean {
  if (kind === "exchange") return truth.bad[EXCHANGES.findIndex((name) => name === id)] === true;
  if (kind === "pair") return truth.bad[id.startsWith("A/") ? 4 : 5] === true;
  return truth.bad[id === "o1" ? 6 : 7] === true;
}

function listing(truth: Truth, surface: string): SeenEntity[] {
  const status = (bad: boolean | undefined) => (bad === true ? "disabled" : "enabled");
  if (surface !== "all") {
    return [order(surface, isBad(truth, "liquidation", surface) ? "STUCK" : "CANCELED")];
  }
  return [
    ...(truth.bad[4] === true ? [pair("A", "ORN-USDT")] : []),
    ...EXCHANGES.map((name, index) => exchange(name, status(truth.bad[index]))),
    ...(truth.bad[5] === true ? [pair("B", "ORN-USDT")] : []),
  ];
}

const timing = { cooldownMs: 10 * SECOND, attempts: 2, verifyWithinMs: 15 * SECOND } as const;

export const rules = [
  rule({
    forMs: 10 * SECOND,
    keepFiringForMs: 5 * SECOND,
    act: repair({
      ...timing,
      budget: { max: 2, perMs: MINUTE },
      storm: { max: 3, maxRatio: 0.5, withinMs: 20 * SECOND },
    }),
  }),
  rule({
    alert: "NotListed",
    windows: [{ name: "flaps", fact: "listed", function: "count", lengthMs: 30 * SECOND }],
    when: factIs("listed", false),
    act: repair({
      ...timing,
      attempts: 1,
      budget: { max: 3, perMs: 2 * MINUTE },
      storm: { max: 3, maxRatio: 1, withinMs: MINUTE },
    }),
  }),
  rule({
    alert: "PairDisabled",
    kind: "pair",
    when: factIs("status", "disabled"),
    act: repair({
      ...timing,
      action: "enable_pair",
      budget: { max: 2, perMs: MINUTE },
      storm: { max: 1, maxRatio: 0.1, withinMs: 0 },
    }),
  }),
  rule({
    alert: "Stuck",
    kind: "liquidation",
    when: factIs("final", false),
    act: repair({
      ...timing,
      action: "force_cancel_order",
      mode: "propose",
      approvals: 2,
      budget: { max: 1, perMs: MINUTE },
    }),
  }),
] as const;

export const acting = {
  budget: { max: 4, perMs: MINUTE },
  budgets: { enable_exchange: { max: 3, perMs: MINUTE } },
  settleAfterStartMs: 3 * SECOND,
  maxAgeMs: 3 * SECOND,
  confirmWithinMs: 5 * SECOND,
  approvalExpiresAfterMs: 90 * SECOND,
  undoWindowMs: 30 * SECOND,
  undoLimit: 2,
  rampIntervalMs: 5 * SECOND,
} as const;

export class Chaos {
  readonly world = new World({ rules, acting, probes: "silent" });
  readonly truth: Truth = { bad: Array.from({ length: 8 }, () => false) };
  private downFor = "1s";
  private answeredProbes = 0;
  private readonly replied = new Set<string>();

  happen(what: Happening): void {
    const { world } = this;
    if (world.crashed) world.restarts(this.downFor);
    switch (what.do) {
      case "pass":
        world.passes(`${what.seconds}s`);
        return;
      case "moment":
        world.passes("400ms");
        return;
      case "flip":
        this.truth.bad[what.entity] = this.truth.bad[what.entity] !== true;
        return;
      case "poll":
        this.poll(what.poller, what.fault);
        return;
      case "probe":
        this.answerProbe(what.index, what.fault);
        return;
      case "reply":
        this.reply(what.index, what.outcome, what.applied);
        return;
      case "kill":
      case "unkill":
        world.commands({ name: what.do, source: what.source });
        return;
      case "repair":
        this.repair(what.of, what.answer);
        return;
      case "approve":
      case "deny":
        this.decide(what.do, what.proposal, what.by);
        return;
      case "hold":
      case "silence":
        world.commands({
          name: what.do,
          scope: what.scope,
          until: world.now + what.milliseconds,
        });
        return;
      case "release":
        world.commands({ name: "release", hold: `h${what.number}` });
        return;
      case "unsilence":
        world.commands({ name: "unsilence", silence: `s${what.number}` });
        return;
      case "release_quarantine": {
        const name = EXCHANGES[what.exchange] ?? "";
        world.commands({ name: what.do, entity: `${AGGREGATOR}/exchange/${name}` });
        return;
      }
      case "journal":
        if (what.broken) world.journal.broken = true;
        else world.journalHeals();
        return;
      case "crash":
        this.downFor = what.downFor;
        if (what.boundary === "now") world.crashes();
        else world.crashNext = what.boundary;
    }
  }

  private repair(of: "A" | "B" | "o1", answer: ActionReply["outcome"]): void {
    const poller = of === "o1" ? "liquidations" : "exchanges";
    this.truth.bad[["A", "B", "", "", "", "", "o1"].indexOf(of)] = true;
    this.poll(poller, "none");
    this.world.passes("11s");
    this.poll(poller, "none");
    if (of === "o1") this.decide("approve", 0, "alice and bob");
    this.answerProbe(0, "none");
    this.reply(0, answer, true);
    this.world.passes("1s");
    this.poll(poller, "none");
  }

  private decide(name: "approve" | "deny", proposal: number, by: string): void {
    const { tables } = this.world.state;
    const newest = tables.counter.get("proposal") ?? 1;
    const id = `p${newest - proposal}`;
    const digest = [...tables.proposal.values()].find((known) => known.id === id)?.digest;
    const command =
      name === "deny" ? { name, proposal: id } : ({ name, proposal: id, digest } as const);
    for (const one of by.split(" and ")) {
      this.world.tell({ type: "command", by: one, reason: "", command });
    }
  }

  poll(name: Poller, fault: Fault): void {
    const surfaces = name === "exchanges" ? ["all"] : ORDERS;
    const parts = surfaces.map((surface, place) =>
      this.read(surface, place === 0 ? fault : "none"),
    );
    this.world.tell(observed(name, parts));
  }

  private read(surface: string, fault: Fault, asked = this.world.now): ReturnType<typeof partOf> {
    const askedAt = fault === "late" ? asked - 11 * SECOND : asked;
    if (fault === "failed") return partOf(surface, askedAt, "failed");
    const entities = listing(this.truth, surface);
    return fault === "cut"
      ? partOf(surface, askedAt, entities.slice(0, 3), false)
      : partOf(surface, askedAt, entities);
  }

  /** The latest probes are the ones that matter; those that are never chosen are never answered. */
  private answerProbe(index: number, fault: Fault): void {
    const { probes } = this.world;
    const probe = probes[probes.length - 1 - index];
    if (probe === undefined) return;
    this.answeredProbes += 1;
    if (fault === "none") this.world.passes("1s");
    if (fault === "slow") this.world.passes("4s");
    const part = this.read(probe.surface, fault, Math.min(this.world.now, probe.at + 1));
    this.world.tell(observed(probe.poller, [part], "probe"));
  }

  private reply(index: number, outcome: ActionReply["outcome"], applied: boolean): void {
    const open = this.world.sent.filter(({ remediation }) => !this.replied.has(remediation));
    const act = open[index];
    if (act === undefined) return;
    this.replied.add(act.remediation);
    if (applied && outcome !== "rejected") this.apply(act.call.args);
    this.world.replies(act.remediation, outcome);
  }

  private apply(args: Readonly<Record<string, string>>): void {
    const { exchange: name, assetPair, orderId } = args;
    if (orderId !== undefined) this.truth.bad[orderId === "o1" ? 6 : 7] = false;
    else if (assetPair !== undefined) this.truth.bad[name === "A" ? 4 : 5] = false;
    else this.truth.bad[EXCHANGES.findIndex((known) => known === name)] = false;
  }
}
