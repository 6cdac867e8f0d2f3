import { counted } from "../../domain/wording.ts";
import type { CommandOutcome, Covered } from "../../domain/command.ts";
import type { Alert } from "../../domain/alert.ts";
import { entityKey, type Entity } from "../../domain/entity.ts";
import {
  covers,
  COVERS_NOTHING,
  formatScope,
  includes,
  type Hold,
  type Scope,
} from "../../domain/hold.ts";
import type { Rule } from "../../domain/rule.ts";
import { eachInSlices, toEnd, type Slices } from "../../domain/slices.ts";
import { formatInstant, MINUTE, type Instant } from "../../domain/time.ts";
import { nextNumber, put, remove, touch, type Draft } from "../draft.ts";
import { judges } from "../judge/verdict.ts";
import { REPAIR_KIND } from "../act/repairs.ts";
import { rampText, startRamp } from "../act/storm.ts";

/** Holds stop actions until they end, and silences stop notifications. */

/** How long before its end a reminder of a hold is found. */
export const REMINDER = 10 * MINUTE;

type Holding = {
  readonly scope: Scope;
  readonly until: Instant;
  readonly by: string;
  readonly reason: string;
  readonly id?: string;
  readonly covered?: Covered;
};

/**
 * So many holds, and so many silences, people may make: each is a row that outlives a restart, and is shown everywhere.
 * One with an id is not counted, as that of a maintenance window or a copy of another: it must not be refused.
 */
export const MOST_OVERRIDES = 1_000;

function refusal({ size }: ReadonlyMap<string, unknown>, id: string | undefined) {
  if (id !== undefined || size < MOST_OVERRIDES) return undefined;
  return { accepted: false, detail: `there are ${MOST_OVERRIDES} already: end some first` };
}

/** No action is ever about a `repair`, so a hold of one would stop nothing; that of a maintenance window is let be. */
function refusalOfRepair({ aggregator, kind, id }: Scope, made: string | undefined) {
  if (kind !== REPAIR_KIND || made !== undefined) return undefined;
  const repaired = [aggregator, id].filter((part) => part !== undefined).join("/");
  const instead = id === undefined ? "hold what is repaired" : `hold ${repaired} instead`;
  return { accepted: false, detail: `a hold of a repair would stop no action: ${instead}` };
}

export function* hold(
  draft: Draft,
  { scope, until, by, reason, id, covered }: Holding,
): Slices<CommandOutcome> {
  if (until <= draft.at) return { accepted: false, detail: "it would have ended already" };
  const refused = refusal(draft.state.tables.hold, id) ?? refusalOfRepair(scope, id);
  if (refused !== undefined) return refused;
  const made: Hold = {
    id: id ?? `h${nextNumber(draft, "hold")}`,
    owner: by,
    reason,
    scope,
    from: draft.at,
    until,
  };
  const before = draft.state.tables.hold.get(made.id);
  put(draft, "hold", made.id, made);
  // What it no longer covers has waited too, and must not act all at once.
  if (before !== undefined && !includes(scope, before.scope)) {
    startRamp(draft, `the hold ${made.id} of ${before.owner} covers less than before`);
  }
  const detail = `${made.id}: ${formatScope(scope)} until ${formatInstant(until)}; ${yield* describeCovered(draft, scope, covered)}`;
  draft.findings.push({ type: "hold", change: "began", hold: { ...made }, detail: reason });
  return { accepted: true, detail, subject: made.id };
}

export function release(draft: Draft, id: string): CommandOutcome {
  const held = draft.state.tables.hold.get(id);
  if (held === undefined) return { accepted: false, detail: `no hold ${id} stands` };
  end(draft, held, "released");
  return { accepted: true, detail: `${id}: ${formatScope(held.scope)}; ${rampText(draft)}` };
}

export function* silence(
  draft: Draft,
  { scope, until, by, reason, covered, ...named }: Holding,
): Slices<CommandOutcome> {
  if (until <= draft.at) return { accepted: false, detail: "it would have ended already" };
  const refused = refusal(draft.state.tables.silence, named.id);
  if (refused !== undefined) return refused;
  const id = named.id ?? `s${nextNumber(draft, "silence")}`;
  const made = { id, owner: by, reason, scope, from: draft.at, until };
  put(draft, "silence", id, made);
  const detail = `${id}: ${formatScope(scope)} until ${formatInstant(until)}; ${yield* describeCovered(draft, scope, covered)}`;
  return { accepted: true, detail, subject: id };
}

export function unsilence(draft: Draft, id: string): CommandOutcome {
  if (!remove(draft, "silence", id)) {
    return { accepted: false, detail: `no silence ${id} stands` };
  }
  return { accepted: true, detail: id };
}

type Known = {
  readonly rules: ReadonlyMap<string, Pick<Rule, "kind" | "aggregators">>;
  readonly entities: ReadonlyMap<string, Readonly<Entity>>;
  readonly alerts: ReadonlyMap<string, Readonly<Alert>>;
};

/** How much a scope covers now; alerts count while they are pending or firing. */
export function* coveredInSlices(
  { rules, entities, alerts }: Known,
  scope: Scope,
): Slices<Covered> {
  const { rule = "" } = scope;
  const judge = rules.get(rule);
  // A rule that is gone judges nothing.
  const isJudged = ({ kind, aggregator }: Entity): boolean =>
    scope.rule === undefined || (judge?.kind === kind && judges(judge, aggregator));
  const covered = { entities: 0, alerts: 0 };
  yield* eachInSlices(entities.values(), (entity) => {
    // To people it is a part of what was repaired.
    if (entity.kind === REPAIR_KIND && ![scope.kind, judge?.kind].includes(REPAIR_KIND)) return;
    if (isJudged(entity) && covers(scope, rule, entity)) covered.entities += 1;
  });
  yield* eachInSlices(alerts.values(), (alert) => {
    const { rule: of, entity: id, parent } = alert;
    const entity = entities.get(entityKey(id)) ?? { ...id, ...(parent && { parent }) };
    if (alert.state !== "resolved" && covers(scope, of, entity)) covered.alerts += 1;
  });
  return covered;
}

/** The same at once. */
export function countCovered(known: Known, scope: Scope): Covered {
  return toEnd(coveredInSlices(known, scope));
}

function coveredIn({ policy: { rules }, state: { tables } }: Draft, scope: Scope): Slices<Covered> {
  return coveredInSlices({ rules, entities: tables.entity, alerts: tables.alert }, scope);
}

/** A misspelt id covers nothing, and its operator must see that; but not of one that is known, or cannot be now. */
function* describeCovered(draft: Draft, scope: Scope, known: Covered | undefined): Slices<string> {
  const { entities, alerts } = known ?? (yield* coveredIn(draft, scope));
  if (entities + alerts > 0)
    return `it covers ${counted(entities, "entity", "entities")} now, with ${counted(alerts, "alert")} pending or firing`;
  const why = yield* whyNothing(draft, scope);
  return why === undefined
    ? `it ${COVERS_NOTHING}: nothing that is watched fits, so check how it is spelt`
    : `it covers nothing now: ${why}`;
}

/** Why a scope covers nothing that may well cover something later; undefined if it seems to be a mistake. */
function* whyNothing(draft: Draft, scope: Scope): Slices<string | undefined> {
  const { rules, kinds } = draft.policy;
  const { rule: name, ...named } = scope;
  const { kind, id = "" } = named;
  const rule = rules.get(name ?? "");
  if (rule !== undefined) {
    if (Object.keys(named).length === 0) return `${name} judges nothing yet`;
    if (named.aggregator !== undefined && !judges(rule, named.aggregator)) return undefined;
    const isOfParent = kind !== undefined && kind === kinds.get(rule.kind)?.parent;
    if (kind !== undefined && kind !== rule.kind && !isOfParent) return undefined;
    if ((yield* coveredIn(draft, named)).entities > 0)
      return `${name} judges nothing yet of what it names, which is known`;
  }
  const isListedIfBad = kinds.get(kind ?? "")?.listsOnlyBad === true;
  if (!isListedIfBad || (rule !== undefined && rule.kind !== kind)) return undefined;
  const text = `a ${kind} is known only while it is listed`;
  if (id === "") return text;
  // A pair is of an exchange, and that is known also while the pair is enabled.
  const { kind: _own, ...beside } = named;
  const parent = { ...beside, id: id.slice(0, Math.max(0, id.indexOf("/"))) };
  return (yield* coveredIn(draft, parent)).entities > 0 ? text : undefined;
}

/** Ends holds and silences that have run out, and reminds of holds that soon will. */
export function expireOverrides(draft: Draft): void {
  for (const held of draft.state.tables.hold.values()) {
    if (held.until <= draft.at) end(draft, held, "it has run out");
    else if (held.until - draft.at <= REMINDER && held.reminded !== true) remind(draft, held);
  }
  for (const [id, { until }] of draft.state.tables.silence) {
    if (until <= draft.at) remove(draft, "silence", id);
  }
}

function remind(draft: Draft, held: Hold): void {
  held.reminded = true;
  touch(draft, "hold", held.id);
  // A hold this short has just been made, and needs no reminder.
  if (held.until - held.from <= REMINDER) return;
  const detail = `ends at ${formatInstant(held.until)}; add another hold before, or actions begin again`;
  draft.findings.push({ type: "hold", change: "ends_soon", hold: { ...held }, detail });
}

function end(draft: Draft, held: Hold, detail: string): void {
  remove(draft, "hold", held.id);
  startRamp(draft, `the hold ${held.id} of ${held.owner} has ended`);
  draft.findings.push({ type: "hold", change: "ended", hold: { ...held }, detail });
}
