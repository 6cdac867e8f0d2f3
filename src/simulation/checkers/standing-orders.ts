import { covers, formatScope, type Scope } from "../../domain/hold.ts";
import { formatInstant, type Instant } from "../../domain/time.ts";
import type { State } from "../../core/state.ts";
import { guardBook, type GuardBook, type Step, type Want } from "./acts.ts";
import { createDurableBook } from "./durable-book.ts";
import { acceptedCommand } from "./operators.ts";
import type { Readings } from "./readings.ts";

type Held = { readonly scope: Scope; readonly from: Instant; readonly until: Instant };

class OrderBook {
  readonly holds = createDurableBook<Held>();
  readonly kills = createDurableBook<Instant>();
  private readonly readings: Readings;

  constructor(readings: Readings) {
    this.readings = readings;
  }

  note(step: Step): void {
    const { event, stampedAt: at } = step;
    if (event.type === "started") for (const source of LIFTED_BY_START) this.lift(source);
    if (event.type === "journal" && event.writable) this.lift("journal");
    if (event.type === "journal" && !event.writable) this.kills.set("journal", at);
    const said = acceptedCommand(step);
    if (said === undefined) return;
    const { command, subject } = said;
    if (command.name === "kill") this.kills.set(command.source, at);
    if (command.name === "unkill") this.kills.delete(command.source);
    if (command.name === "release") this.holds.delete(command.hold);
    if (command.name !== "hold") return;
    this.holds.set(subject, { scope: command.scope, from: at, until: command.until });
  }

  private lift(source: string): void {
    if (this.kills.get(source) !== undefined) this.kills.delete(source);
  }

  objection({ at, rule, entity, key }: Want): string | undefined {
    for (const [source, since] of this.kills.entries()) {
      return `the kill switch (${source}) is on since ${formatInstant(since)}`;
    }
    const parent = this.readings.entity(key)?.parent;
    const member = parent === undefined ? entity : { ...entity, parent };
    for (const [id, { scope, from, until }] of this.holds.entries()) {
      if (from > at || at >= until || !covers(scope, rule.alert, member)) continue;
      return `the hold ${id} on ${formatScope(scope)} stands until ${formatInstant(until)}`;
    }
    return undefined;
  }

  /** What an operator has said, and the core does not know any more. */
  lost({ state, stampedAt: at }: Step): string[] {
    const found: string[] = [];
    for (const [source, since] of this.kills.entries()) {
      if (killedSince(state.tables, source) !== undefined) continue;
      found.push(`the kill switch (${source}), on since ${formatInstant(since)}, is off`);
    }
    for (const [id, { until }] of this.holds.entries()) {
      if (until <= at) this.holds.delete(id);
      else if (!state.tables.hold.has(id))
        found.push(`the hold ${id}, until ${formatInstant(until)}, is gone`);
    }
    return found;
  }
}

/** No action while the kill switch is on or a hold covers the entity, as operators spoke them. */
export function checkStandingOrders(readings: Readings): GuardBook {
  const book = new OrderBook(readings);
  return guardBook("2 standing orders", (want) => book.objection(want), {
    note: (step) => book.note(step),
    end: (step) => {
      const found = book.lost(step);
      if (step.durable) {
        book.holds.settle();
        book.kills.settle();
      }
      return found;
    },
    restart: ({ tables }) => {
      book.holds.restore((id) => tables.hold.get(id));
      book.kills.restore((source) => killedSince(tables, source));
    },
  });
}

/** What a new process mends by itself, or finds anew. */
const LIFTED_BY_START = ["journal", "bug"];

function killedSince({ kill }: State["tables"], source: string): Instant | undefined {
  return [...kill.values()].find((one) => one.source === source)?.since;
}
