import { entityKey } from "../../domain/entity.ts";
import { surfaceKey, type Observation, type Part } from "../../domain/observation.ts";
import type { Event, Policy } from "../../domain/step.ts";
import type { Instant, Millis } from "../../domain/time.ts";
import type { RunEvent, Step } from "../run-event.ts";
import { groupOf, holdsTooMany } from "./entity-bounds.ts";
import type { KnownEntity, KnownSurface } from "./known-entity.ts";
import { isUnsure, lacksHalf, leftOutOf, severalOf } from "./listings.ts";
import { Verdicts } from "./verdicts.ts";
import { watchedPoller } from "../../core/policy.ts";
import { pollerOfSurface } from "./watched-pollers.ts";

/**
 * What was read: the entities that each surface showed last, and (in `verdicts`) what the rules say of them
 * and since when nothing sure is known. If the core may conclude one thing or wait for another reading,
 * the ledger says that it does not know.
 */
export class ObservedEntities {
  readonly verdicts = new Verdicts();
  /** The stamp of the running process's `started` event. */
  startedAt: Instant = Number.POSITIVE_INFINITY;
  private readonly entities = new Map<string, KnownEntity>();
  private readonly keysBySurface = new Map<string, Set<string>>();
  private readonly surfaces = new Map<string, KnownSurface>();
  private lastAt: Instant = Number.NEGATIVE_INFINITY;
  /** Times of this process in which nothing could be read. */
  private gaps: Array<{ readonly from: Instant; readonly to: Instant }> = [];
  private isDurable = true;

  entity(key: string): KnownEntity | undefined {
    return this.entities.get(key);
  }

  surface(key: string): KnownSurface | undefined {
    return this.surfaces.get(key);
  }

  /** How much of the time since then nothing could be read. */
  gapMsSince(since: Instant): Millis {
    return this.gaps.reduce(
      (sum, { from, to }) => sum + Math.max(0, to - Math.max(from, since)),
      0,
    );
  }

  record(event: RunEvent): void {
    if (event.type === "restarted") {
      this.surfaces.clear();
      this.gaps = [];
      this.startedAt = Number.POSITIVE_INFINITY;
      for (const [key, known] of this.entities) {
        // A new process does not know that an earlier listing lacked the entity as well.
        known.absences = 0;
        this.verdicts.lose(key, this.lastAt);
      }
      if (!this.isDurable) this.verdicts.blur();
    } else if (event.type === "step") {
      this.take(event, event.event);
      this.forgetLeftOut(event);
      this.lastAt = event.stampedAt;
      this.isDurable = event.durable;
    }
  }

  /** Forgets entities that the core left out, because too many had vanished or were in the journal. */
  private forgetLeftOut({ result, state, stampedAt }: Step): void {
    for (const finding of result.findings) {
      if (finding.type !== "left_out" || finding.why === "listed") continue;
      for (const [key, { id }] of this.entities) {
        if (groupOf(id) !== groupOf(finding) || state.tables.entity.has(key)) continue;
        this.remove(key);
        if (finding.why === "vanished") this.verdicts.leaveOut(key, stampedAt);
        else this.verdicts.forget(key);
      }
    }
  }

  /** Commits were lost: nothing sure is known until the next process has read it. */
  lose(): void {
    this.verdicts.loseAll(this.entities.keys(), this.lastAt);
  }

  private forget(key: string): void {
    this.remove(key);
    this.verdicts.forget(key);
  }

  private put(key: string, known: KnownEntity): void {
    const before = this.entities.get(key)?.surface;
    this.entities.set(key, known);
    if (before === known.surface) return;
    if (before !== undefined) this.keysBySurface.get(before)?.delete(key);
    const keys = this.keysBySurface.get(known.surface) ?? new Set();
    this.keysBySurface.set(known.surface, keys.add(key));
  }

  private remove(key: string): void {
    const surface = this.entities.get(key)?.surface;
    if (surface !== undefined) this.keysBySurface.get(surface)?.delete(key);
    this.entities.delete(key);
  }

  private takePart(step: Step, observation: Observation, part: Part): void {
    const { stampedAt: at, policy } = step;
    const name = surfaceKey(observation.aggregator, observation.poller, part.surface);
    const before = this.surfaces.get(name);
    if (before !== undefined && part.askedAt < before.askedAt) return;
    const absent = new Set(this.keysBySurface.get(name));
    if (!part.reading.ok) {
      for (const key of absent) this.verdicts.lose(key, at);
      return;
    }
    const { aggregator } = observation;
    const complete = part.reading.complete && !holdsTooMany(step, aggregator, part);
    const isLeftOut = leftOutOf(step, aggregator);
    const everWhole = complete || before?.everWhole === true;
    const present = [...absent]
      .flatMap((key) => this.entities.get(key) ?? [])
      .filter((one) => !one.isAbsent);
    const isFirst = part.reading.entities.length === 0 && before?.wasSudden !== true;
    const lostKinds = isFirst ? severalOf(present) : new Set<string>();
    const wasSudden = complete && lacksHalf(present, part.reading.entities);
    this.surfaces.set(name, { askedAt: part.askedAt, everWhole, lostKinds, wasSudden });
    const { staleAfterMs = 0 } =
      watchedPoller(policy, observation.aggregator, observation.poller) ?? {};
    if (before === undefined || at - before.askedAt > staleAfterMs) this.verdicts.doubt(absent, at);
    for (const seen of part.reading.entities) {
      const id = { aggregator: observation.aggregator, kind: seen.kind, id: seen.id };
      const key = entityKey(id);
      if (isLeftOut(key, seen)) continue;
      absent.delete(key);
      const known = {
        id,
        parent: seen.parent,
        surface: name,
        facts: seen.facts,
        isAbsent: false,
        absences: 0,
      };
      this.put(key, known);
      this.verdicts.judge(step, key, known, isUnsure(part.reading, seen));
    }
    const isPoll = observation.origin === "poll";
    for (const key of absent) this.missIn(step, key, { isWhole: complete, isPoll, wasSudden });
  }

  /**
   * A listing lacks the entity. Once may be the server's mistake; after two complete polls in a row, it is surely not
   * listed. If a listing suddenly lacks much, the entities that it lacks are unknown, even if absent before.
   */
  private missIn(
    step: Step,
    key: string,
    { isWhole, isPoll, wasSudden }: Record<"isWhole" | "isPoll" | "wasSudden", boolean>,
  ): void {
    const known = this.entities.get(key);
    if (known === undefined) return;
    known.isAbsent = isWhole;
    if (!isWhole) known.absences = 0;
    else if (isPoll) known.absences += 1;
    this.verdicts.lose(key, step.stampedAt);
    this.verdicts.blur(key);
    if (known.absences < 2 || wasSudden) return;
    const { whenAbsent: absent = "gone", facts = {} } = step.policy.kinds.get(known.id.kind) ?? {};
    if (absent === "gone") return this.forget(key);
    known.facts = { ...known.facts, ...absent };
    // Without its entry, nothing is known of what only that said.
    known.facts = Object.fromEntries(
      Object.entries(known.facts).filter(([name]) => facts[name]?.field === undefined),
    );
    this.verdicts.judge(step, key, known);
    this.verdicts.blur(key);
  }

  private take(step: Step, event: Event): void {
    if (event.type === "started") {
      this.startedAt = step.stampedAt;
      this.forgetUnwatched(step.policy);
    } else if (event.type === "policy_changed") {
      this.forgetUnwatched(step.policy);
      for (const name of event.moved) this.moveAway(name, step.stampedAt);
      this.verdicts.adopt(step, event.rulesBefore, this.entities);
    } else if (event.type === "resumed") {
      this.gaps.push({ from: event.since, to: step.stampedAt });
      this.loseOld(step, event);
    } else if (event.type === "watch_changed") {
      this.forgetUnwatched(step.policy);
    } else if (event.type === "observed") {
      const { observation } = event;
      const { aggregator, poller } = observation;
      const planned = watchedPoller(step.policy, aggregator, poller)?.surfaces;
      for (const part of observation.parts) {
        // A surface may have left the watch list while it was read.
        if (planned?.has(part.surface) !== false) this.takePart(step, observation, part);
      }
      if (planned === undefined) this.forgetUnread(observation);
    }
  }

  /** Entities that were read too long ago are unknown since the gap began. */
  private loseOld(step: Step, { since, awayMs }: Extract<Event, { type: "resumed" }>): void {
    for (const [key, { surface }] of this.entities) {
      const { staleAfterMs = 0 } = pollerOfSurface(step.policy, surface).poller ?? {};
      const ageMs = step.stampedAt - (this.surfaces.get(surface)?.askedAt ?? 0);
      if (Math.max(ageMs, awayMs) > staleAfterMs) this.verdicts.lose(key, since);
    }
  }

  private forgetUnwatched(policy: Policy): void {
    const isWatched = (surface: string): boolean => {
      const { poller, name } = pollerOfSurface(policy, surface);
      return poller !== undefined && poller.surfaces?.has(name) !== false;
    };
    for (const [key, { surface }] of this.entities) if (!isWatched(surface)) this.forget(key);
    for (const surface of this.surfaces.keys())
      if (!isWatched(surface)) this.surfaces.delete(surface);
  }

  /** If the surfaces of a poller are unknown, a complete poll has read all that are watched. */
  private forgetUnread({ aggregator, poller, parts, origin, ongoing, earlier }: Observation): void {
    if (origin !== "poll" || ongoing === true || earlier !== undefined) return;
    const planned = new Set(parts.map((part) => surfaceKey(aggregator, poller, part.surface)));
    const prefix = surfaceKey(aggregator, poller, "");
    for (const [key, { surface }] of this.entities) {
      if (surface.startsWith(prefix) && !planned.has(surface)) this.forget(key);
    }
  }

  private moveAway(aggregator: string, at: Instant): void {
    for (const [key, { id }] of this.entities)
      if (id.aggregator === aggregator) this.verdicts.lose(key, at);
    for (const name of this.surfaces.keys()) {
      if (name.startsWith(`${aggregator}/`)) this.surfaces.delete(name);
    }
  }
}
