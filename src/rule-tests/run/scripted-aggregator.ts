import type { RuleTest, ScriptedEntity } from "../file/rule-test.ts";
import { sampleAt, type Timeline } from "../file/timeline.ts";
import type { ActionName } from "../../domain/action.ts";
import { entityKey, type Facts, type FactValue, type SeenEntity } from "../../domain/entity.ts";
import { FAILURE_REASONS, type FailureReason } from "../../domain/http.ts";
import type { Part, SurfaceReading } from "../../domain/observation.ts";
import type { Instant } from "../../domain/time.ts";
import { kinds } from "../../pollers/kinds.ts";
import { missing } from "../../pollers/poller.ts";
import { asPolled, impliedFacts, repaired, surfaceOf } from "./implied-facts.ts";

/** The name of the one aggregator of a rule test. */
export const AGGREGATOR = "test";

/** The aggregator that a test's timelines describe. */
export type ScriptedAggregator = {
  /** The surfaces of each poller in the test. */
  readonly surfaces: ReadonlyMap<string, ReadonlySet<string>>;
  /** Undefined if no poll takes place then. */
  readonly poll: (poller: string, at: Instant) => readonly Part[] | undefined;
  readonly read: (poller: string, surface: string, at: Instant) => SurfaceReading;
  /** Repairs an entity: until the next run of its timelines, it shows the facts that the action changes. */
  readonly repair: (action: ActionName, kind: string, id: string, at: Instant) => void;
};

type Placed = ScriptedEntity & { readonly surface: string };

/** The facts that an action changed, and the runs of the timelines at that instant. */
type Repair = { readonly facts: Facts | "gone"; readonly runs: string };

export function scriptedAggregator(test: RuleTest): ScriptedAggregator {
  const entities = test.entities.map(place);
  const repairs = new Map<string, Repair>();
  const surfaces = surfacesOf(test, entities);
  const indexAt = (at: Instant): number => Math.floor((at - test.startsAt) / test.everyMs);
  const outcomeOf = (poller: string, surface: string, at: Instant): string => {
    const own = test.polls.filter((one) => one.poller === poller);
    const poll =
      own.find((one) => one.surface === surface) ?? own.find((one) => one.surface === undefined);
    return poll === undefined ? "ok" : wordAt(poll.outcomes, indexAt(at));
  };
  const read = (poller: string, surface: string, at: Instant): SurfaceReading => {
    const outcome = outcomeOf(poller, surface, at);
    const reason = failureOf(outcome);
    if (reason !== undefined)
      return { ok: false, failure: { reason, message: `the test says ${outcome}` } };
    const own = entities.filter((one) => one.poller === poller && one.surface === surface);
    if (outcome === "missing") return missing(own.flatMap(showMissing));
    const shown = own.flatMap(
      (entity) => show(test, entity, indexAt(at), repairs.get(keyOf(entity))) ?? [],
    );
    return { ok: true, complete: outcome !== "truncated", entities: shown };
  };
  return {
    surfaces,
    read,
    poll: (poller, at) => {
      const own = [...(surfaces.get(poller) ?? [])];
      if (own.every((surface) => outcomeOf(poller, surface, at) === "missed")) return undefined;
      return own.map((surface) => ({ surface, askedAt: at, reading: read(poller, surface, at) }));
    },
    repair: (action, kind, id, at) => {
      const entity = entities.find((one) => one.kind === kind && one.id === id);
      if (entity === undefined) return;
      const runs = runsAt(entity, indexAt(at));
      repairs.set(keyOf(entity), { facts: repaired(action), runs });
    },
  };
}

function place(entity: ScriptedEntity): Placed {
  // A swap's sender does not change, and must be known before the swap is first listed.
  const sender = entity.facts["sender"]?.find(({ sample }) => sample.is === "value")?.sample;
  const said: Facts = sender?.is === "value" ? { sender: sender.value } : {};
  return { ...entity, surface: surfaceOf(entity.kind, entity.id, said) };
}

function keyOf({ kind, id }: ScriptedEntity): string {
  return entityKey({ aggregator: AGGREGATOR, kind, id });
}

/** A poller for which the test has no entity and no surface reads one surface, `all`, without entities. */
function surfacesOf(test: RuleTest, entities: readonly Placed[]): Map<string, Set<string>> {
  const surfaces = new Map<string, Set<string>>();
  for (const { poller } of [...entities, ...test.polls]) surfaces.set(poller, new Set());
  for (const { poller, surface } of [...entities, ...test.polls])
    if (surface !== undefined) surfaces.get(poller)?.add(surface);
  for (const names of surfaces.values()) if (names.size === 0) names.add("all");
  return surfaces;
}

function wordAt(outcomes: Timeline, index: number): string {
  const { sample } = sampleAt(outcomes, index);
  return sample.is === "value" ? String(sample.value) : "missed";
}

/** Undefined for `missed`: a probe succeeds while polls are missed, as the aggregator is there. */
function failureOf(outcome: string): FailureReason | undefined {
  if (outcome === "failed") return "timeout";
  return FAILURE_REASONS.find((reason) => reason === outcome);
}

function show(
  { startsAt }: RuleTest,
  entity: Placed,
  index: number,
  repair: Repair | undefined,
): SeenEntity | undefined {
  const { kind, id } = entity;
  const said = shownFacts(kind, entity.facts, index, startsAt);
  if (said === undefined) return undefined;
  const implied = { ...impliedFacts(kind, id, said), ...(isWatched(kind) && { missing: false }) };
  const hidden = new Set(Object.keys(entity.facts).filter((name) => said[name] === undefined));
  const without = Object.entries({ ...implied, ...said }).filter(([name]) => !hidden.has(name));
  const facts: Record<string, FactValue> = Object.fromEntries(without);
  const parent = parentOf(kind, facts);
  const seen = { kind, id, facts, ...(parent === undefined ? {} : { parent }) };
  if (repair === undefined || repair.runs !== runsAt(entity, index)) return seen;
  return repair.facts === "gone" ? undefined : { ...seen, facts: { ...facts, ...repair.facts } };
}

/** An entity that is watched by id is shown as missing; no other entity is shown. */
function showMissing({ kind, id }: ScriptedEntity): SeenEntity[] {
  if (!isWatched(kind)) return [];
  return [{ kind, id, facts: { ...impliedFacts(kind, id, {}), missing: true } }];
}

function isWatched(kind: string): boolean {
  return Object.hasOwn(kinds.get(kind)?.facts ?? {}, "missing");
}

/** The facts of an observation, without missing ones; undefined if the entity is absent. */
function shownFacts(
  kind: string,
  timelines: ScriptedEntity["facts"],
  index: number,
  startsAt: Instant,
): Facts | undefined {
  const types = kinds.get(kind)?.facts ?? {};
  const facts: Record<string, FactValue> = {};
  for (const [name, timeline] of Object.entries(timelines)) {
    const { sample } = sampleAt(timeline, index);
    if (sample.is === "gone") return undefined;
    if (sample.is !== "value") continue;
    // A test gives instants as times since its start.
    const isInstant = types[name]?.type === "timestamp";
    facts[name] = isInstant ? startsAt + Number(sample.value) : sample.value;
  }
  return asPolled(kind, facts);
}

function runsAt({ facts }: ScriptedEntity, index: number): string {
  return Object.values(facts)
    .map((timeline) => sampleAt(timeline, index).run)
    .join(" ");
}

function parentOf(kind: string, facts: Facts): SeenEntity["parent"] {
  if (kind === "pair") return { kind: "exchange", id: String(facts["exchange"] ?? "") };
  if (kind === "swap") return { kind: "sender", id: String(facts["sender"] ?? "") };
  return undefined;
}
