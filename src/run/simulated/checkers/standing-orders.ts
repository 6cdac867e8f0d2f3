import { covers, formatScope, type Scope } from "../../../domain/hold.ts";
import { formatInstant, type Instant } from "../../../domain/time.ts";
import type { State } from "../../../core/state.ts";
import { guardBook, type GuardBook, type Step } from "./acts.ts";
import { createDurableBook } from "./durable-book.ts";
import { acceptedCommand } from "./operators.ts";
import type { Readings } from "./readings.ts";

type Held = { readonly scope: Scope; readonly from: Instant; readonly until: Instant };

/** No action while the kill switch is on or a hold covers the entity, as operators spoke them. */
export function checkStandingOrders(readings: Readings): GuardBook {
  const holds = createDurableBook<Held>();
  const kills = createDurableBook<Instant>();

  function note(step: Step): void {
    const { event, stampedAt: at } = step;
    if (event.type === "started") for (const source of LIFTED_BY_START) lift(source);
    if (event.type === "journal" && event.writable) lift("journal");
    if (event.type === "journal" && !event.writable) kills.set("journal", at);
    const said = acceptedCommand(step);
    if (said === undefined) return;
    const { command, subject } = said;
    if (command.name === "kill") kills.set(command.source, at);
    if (command.name === "unkill") kills.delete(command.source);
    if (command.name === "release") holds.delete(command.hold);
    if (command.name !== "hold") return;
    holds.set(subject, { scope: command.scope, from: at, until: command.until });
  }

  function lift(source: string): void {
    if (kills.get(source) !== undefined) kills.delete(source);
  }

  const objection: GuardBook["objection"] = ({ at, rule, entity, key }) => {
    for (const [source, since] of kills.entries()) {
      return `the kill switch (${source}) is on since ${formatInstant(since)}`;
    }
    const parent = readings.entity(key)?.parent;
    const member = parent === undefined ? entity : { ...entity, parent };
    for (const [id, { scope, from, until }] of holds.entries()) {
      if (from > at || at >= until || !covers(scope, rule.alert, member)) continue;
      return `the hold ${id} on ${formatScope(scope)} stands until ${formatInstant(until)}`;
    }
    return undefined;
  };

  return guardBook("2 standing orders", objection, {
    note,
    end: ({ durable }) => {
      if (!durable) return;
      holds.settle();
      kills.settle();
    },
    restart: ({ tables }) => {
      holds.restore((id) => tables.hold.get(id));
      kills.restore((source) => killedSince(tables, source));
    },
  });
}

/** What a new process mends by itself, or finds anew. */
const LIFTED_BY_START = ["journal", "bug"];

function killedSince({ kill }: State["tables"], source: string): Instant | undefined {
  return [...kill.values()].find((one) => one.source === source)?.since;
}
