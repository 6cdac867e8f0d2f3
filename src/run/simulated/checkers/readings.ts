import { entityKey, type EntityId, type Facts, type SeenEntity } from "../../../domain/entity.ts";
import { surfaceKey, type Observation, type Part } from "../../../domain/observation.ts";
import type { Event, Policy } from "../../../domain/step.ts";
import type { Instant } from "../../../domain/time.ts";
import type { Witnessed } from "../witness.ts";
import { createVerdicts, type Verdicts } from "./verdicts.ts";

/**
 * What was read, in books of the checkers' own: which entity a surface showed last, since when nothing
 * sure is known of it, and (in `verdicts`) what the rules say of it. Where the core may conclude one
 * thing or wait for another reading, the books say that they do not know.
 */
export type Readings = {
  readonly verdicts: Verdicts;
  readonly note: (seen: Witnessed) => void;
  readonly entity: (key: string) => KnownEntity | undefined;
  readonly surface: (key: string) => KnownSurface | undefined;
  /** The stamp of the `started` event of the process that runs. */
  readonly startedAt: () => Instant;
};

export type KnownEntity = {
  readonly id: EntityId;
  readonly parent: SeenEntity["parent"];
  surface: string;
  facts: Facts;
  /** The last listing of its surface was whole, and lacked it. */
  isAbsent: boolean;
  /** How many polls in a row did. */
  absences: number;
};

export type KnownSurface = {
  /** Of the newest reading that came out, since the process started. */
  askedAt: Instant;
  /** A whole listing was read since the process started. */
  everWhole: boolean;
  /** The last listing was whole and empty, and lacks several of these kinds that the one before had. */
  lostKinds: ReadonlySet<string>;
};

type Step = Extract<Witnessed, { type: "step" }>;

export function createReadings(): Readings {
  const entities = new Map<string, KnownEntity>();
  const surfaces = new Map<string, KnownSurface>();
  const verdicts = createVerdicts();
  let startedAt: Instant = Number.POSITIVE_INFINITY;

  function forget(key: string): void {
    entities.delete(key);
    verdicts.forget(key);
  }

  function takePart(step: Step, observation: Observation, part: Part): void {
    const { stampedAt: at, policy } = step;
    const name = surfaceKey(observation.aggregator, observation.poller, part.surface);
    const before = surfaces.get(name);
    if (before !== undefined && part.askedAt < before.askedAt) return;
    const absent = new Set(keysOn(entities, name));
    if (!part.reading.ok) {
      for (const key of absent) verdicts.lose(key, at);
      return;
    }
    const { complete } = part.reading;
    const everWhole = complete || before?.everWhole === true;
    const present = [...absent]
      .flatMap((key) => entities.get(key) ?? [])
      .filter((one) => !one.isAbsent);
    const lostKinds = part.reading.entities.length === 0 ? severalOf(present) : new Set<string>();
    surfaces.set(name, { askedAt: part.askedAt, everWhole, lostKinds });
    const staleAfterMs = staleAfter(policy, observation);
    if (before === undefined || at - before.askedAt > staleAfterMs) verdicts.doubt(absent, at);
    for (const seen of part.reading.entities) {
      const id = { aggregator: observation.aggregator, kind: seen.kind, id: seen.id };
      const key = entityKey(id);
      absent.delete(key);
      const known = {
        id,
        parent: seen.parent,
        surface: name,
        facts: seen.facts,
        isAbsent: false,
        absences: 0,
      };
      entities.set(key, known);
      verdicts.judge(step, key, known);
    }
    for (const key of absent) missIn(step, key, complete, observation.origin === "poll");
  }

  /** Once may be the server's slip; twice in a row, by whole polls, it is surely not listed. */
  function missIn(step: Step, key: string, isWhole: boolean, isPoll: boolean): void {
    const known = entities.get(key);
    if (known === undefined) return;
    known.isAbsent = isWhole;
    if (!isWhole) known.absences = 0;
    else if (isPoll) known.absences += 1;
    verdicts.lose(key, step.stampedAt);
    verdicts.blur(key);
    if (known.absences < 2) return;
    const absent = step.policy.kinds.get(known.id.kind)?.whenAbsent ?? "gone";
    if (absent === "gone") return forget(key);
    known.facts = { ...known.facts, ...absent };
    verdicts.judge(step, key, known);
    verdicts.blur(key);
  }

  function take(step: Step, event: Event): void {
    if (event.type === "started") {
      startedAt = step.stampedAt;
      forgetUnwatched(step.policy);
    } else if (event.type === "policy_changed") {
      forgetUnwatched(step.policy);
      for (const name of event.moved) moveAway(name, step.stampedAt);
      verdicts.adopt(step, event.rulesBefore, entities);
    } else if (event.type === "observed") {
      for (const part of event.observation.parts) takePart(step, event.observation, part);
      if (event.observation.origin === "poll") forgetUnplanned(event.observation);
    }
  }

  function forgetUnwatched(policy: Policy): void {
    const watched = new Set(
      policy.aggregators.flatMap(({ name, pollers }) =>
        pollers.map((poller) => surfaceKey(name, poller.name, "")),
      ),
    );
    const isWatched = (surface: string): boolean =>
      watched.has(surface.split("/", 2).join("/").concat("/"));
    for (const [key, { surface }] of entities) if (!isWatched(surface)) forget(key);
    for (const surface of surfaces.keys()) if (!isWatched(surface)) surfaces.delete(surface);
  }

  function forgetUnplanned({ aggregator, poller, parts }: Observation): void {
    const planned = new Set(parts.map((part) => surfaceKey(aggregator, poller, part.surface)));
    const prefix = surfaceKey(aggregator, poller, "");
    for (const [key, { surface }] of entities) {
      if (surface.startsWith(prefix) && !planned.has(surface)) forget(key);
    }
  }

  function moveAway(aggregator: string, at: Instant): void {
    for (const [key, { id }] of entities) if (id.aggregator === aggregator) verdicts.lose(key, at);
    for (const name of surfaces.keys()) {
      if (name.startsWith(`${aggregator}/`)) surfaces.delete(name);
    }
  }

  let lastAt: Instant = Number.NEGATIVE_INFINITY;
  let isDurable = true;
  return {
    verdicts,
    entity: (key) => entities.get(key),
    surface: (key) => surfaces.get(key),
    startedAt: () => startedAt,
    note: (seen) => {
      if (seen.type === "restarted") {
        surfaces.clear();
        startedAt = Number.POSITIVE_INFINITY;
        for (const key of entities.keys()) verdicts.lose(key, lastAt);
        if (!isDurable) verdicts.blur();
      } else if (seen.type === "step") {
        take(seen, seen.event);
        lastAt = seen.stampedAt;
        isDurable = seen.durable;
      }
    },
  };
}

/** The kinds of which there is more than one. */
function severalOf(entities: readonly KnownEntity[]): ReadonlySet<string> {
  const byKind = Map.groupBy(entities, ({ id }) => id.kind);
  return new Set([...byKind].flatMap(([kind, those]) => (those.length > 1 ? [kind] : [])));
}

function keysOn(entities: ReadonlyMap<string, KnownEntity>, surface: string): string[] {
  return [...entities].flatMap(([key, known]) => (known.surface === surface ? [key] : []));
}

function staleAfter(policy: Policy, { aggregator, poller }: Observation): number {
  const own = policy.aggregators.find(({ name }) => name === aggregator);
  return own?.pollers.find(({ name }) => name === poller)?.staleAfterMs ?? 0;
}
