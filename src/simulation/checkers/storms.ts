import type { Rule } from "../../domain/rule.ts";
import { formatInstant, type Instant } from "../../domain/time.ts";
import type { State } from "../../core/state.ts";
import { guardBook, type GuardBook, type Step, type Want } from "./acts.ts";
import { acceptedCommand } from "./operators.ts";
import type { Readings } from "./readings.ts";
import type { Verdict } from "./verdicts.ts";

/** A time from which acting may only grow: one action, then two, then four … an interval. */
type Ramp = { readonly from: Instant; readonly why: string };
type Sent = { readonly at: Instant; readonly rule: string; readonly aggregator: string };

/** After so many intervals acting is free again. */
const INTERVALS = 6;

class StormBook {
  readonly storming = new Set<string>();
  readonly ramps = new Map<string, Ramp>();
  readonly sent: Sent[] = [];
  readonly untilOf = new Map<string, Instant>();
  /** What was sent under intervals of another length says nothing of these. */
  private interval = { lengthMs: 0, since: Number.NEGATIVE_INFINITY };
  private readonly readings: Readings;

  constructor(readings: Readings) {
    this.readings = readings;
  }

  noteInterval({ policy, stampedAt: since }: Step): void {
    const { rampIntervalMs: lengthMs } = policy.acting;
    if (lengthMs !== this.interval.lengthMs) this.interval = { lengthMs, since };
  }

  noteStorms(step: Step): void {
    for (const { name } of step.policy.aggregators) {
      for (const rule of step.policy.rules.values()) {
        // What time alone makes well is not noticed here at once.
        if (rule.act === undefined || rule.windows.length > 0 || rule.when.readsTime) continue;
        const key = `${rule.alert} on ${name}`;
        // A new process counts what was bad before it, though nobody has read it since.
        const counts = step.event.type === "started" ? isBad : isSurelyBad;
        const excess = excessOf(this.readings, step.state, rule, name, counts);
        if (excess !== undefined) this.storming.add(key);
        else if (this.storming.delete(key)) {
          this.ramps.set(key, { from: step.stampedAt, why: "a storm has cleared" });
        }
      }
    }
  }

  /** A hold that runs out is noticed by the step that comes first. */
  noteOrders(step: Step): void {
    const { stampedAt: from } = step;
    for (const [id, until] of this.untilOf) {
      if (until > from) continue;
      this.untilOf.delete(id);
      this.ramps.set("*", { from, why: `the hold ${id} has run out` });
    }
    const said = acceptedCommand(step);
    if (said?.command.name === "hold") this.untilOf.set(said.subject, said.command.until);
    if (said?.command.name === "release") this.untilOf.delete(said.command.hold);
    for (const one of step.result.findings) {
      if (one.type === "kill" && !one.on)
        this.ramps.set("*", { from, why: `${one.source} let go` });
      if (one.type === "hold" && one.change === "ended") {
        this.ramps.set("*", { from, why: `the hold ${one.hold.id} has ended` });
      }
    }
  }

  /** All within the ramp until now, as its intervals may begin a moment later for the core. */
  rampObjection({ rule, entity, at, policy }: Want): string | undefined {
    const own = `${rule.alert} on ${entity.aggregator}`;
    for (const key of [own, "*"]) {
      const ramp = this.ramps.get(key);
      if (ramp === undefined) continue;
      const interval = Math.floor((at - ramp.from) / policy.acting.rampIntervalMs);
      if (interval < 0 || interval >= INTERVALS) continue;
      const most = 2 ** (interval + 1) - 1;
      const from = Math.max(ramp.from, this.interval.since);
      const count = this.sent.filter(
        (one) => one.at >= from && (key === "*" || `${one.rule} on ${one.aggregator}` === own),
      ).length;
      if (count < most) continue;
      return `${count} were sent since ${formatInstant(ramp.from)} (${ramp.why}), and a slow growth allows ${most} by then`;
    }
    return undefined;
  }

  objection(want: Want): string | undefined {
    const { rule, entity, state } = want;
    const excess = excessOf(this.readings, state, rule, entity.aggregator);
    return excess ?? this.rampObjection(want);
  }
}

/**
 * While more entities are bad than a rule may repair, it repairs none; and after a storm, a hold or a
 * kill switch acting grows slowly. Counted by the readings, and not by the core's alerts.
 */
export function checkStorms(readings: Readings): GuardBook {
  const book = new StormBook(readings);
  return guardBook("2 storms", (want) => book.objection(want), {
    note: (step) => {
      const { type } = step.event;
      book.noteInterval(step);
      if (type === "observed" || type === "policy_changed" || type === "started")
        book.noteStorms(step);
      book.noteOrders(step);
    },
    done: ({ at, rule, entity }) =>
      void book.sent.push({ at, rule: rule.alert, aggregator: entity.aggregator }),
    restart: ({ tables }) => {
      book.untilOf.clear();
      for (const { id, until } of tables.hold.values()) book.untilOf.set(id, until);
    },
  });
}

const isBad = ({ truth }: Verdict): boolean => truth === "bad";
const isSurelyBad = (verdict: Verdict): boolean =>
  isBad(verdict) && verdict.lostSince === undefined;

/** Says what is too much; only what is surely bad just now counts, unless it is said otherwise. */
export function excessOf(
  readings: Readings,
  state: State,
  rule: Rule,
  aggregator: string,
  counts = isSurelyBad,
): string | undefined {
  const limit = rule.act?.storm;
  if (limit === undefined || rule.windows.length > 0) return undefined;
  let bad = 0;
  for (const [key, verdict] of readings.verdicts.ofRule(rule.alert)) {
    if (counts(verdict) && key.startsWith(`${aggregator}/`)) bad += 1;
  }
  if (bad <= 1) return undefined;
  if (bad > limit.max) return `${bad} are bad at once, and storm.max is ${limit.max}`;
  // Of pairs only the disabled ones are listed, so that there is nothing to be a part of.
  if (rule.kind === "pair") return undefined;
  let total = 0;
  for (const entity of state.tables.entity.values()) {
    if (entity.aggregator === aggregator && entity.kind === rule.kind) total += 1;
  }
  if (bad <= total * limit.maxRatio + 1e-9) return undefined;
  return `${bad} of ${total} are bad at once, and storm.max_ratio is ${limit.maxRatio}`;
}
