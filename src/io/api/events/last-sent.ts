import type { Facts } from "../../../domain/entity.ts";
import { shownFacts } from "../answer-parts.ts";
import { instant, orNull, type JsonOf } from "../codec.ts";
import {
  conditionOf,
  entityRow,
  entityRowOf,
  statusTextOf,
  type OpenAlerts,
} from "../lists/entity-row.ts";
import type { View } from "../lists/view.ts";

type EntityJson = JsonOf<typeof entityRow>;
type OpenOf = (key: string) => OpenAlerts;

/** A changed row: all of it if it is new, the fields that differ, or that it is gone. */
type RowChange<Json> =
  | { readonly key: string; readonly row: Json }
  | ({ readonly key: string } & Partial<Json>)
  | { readonly key: string; readonly gone: true };

/** An entity as viewers know it. Its facts are the core's, which replaces and never changes them. */
type Known = Readonly<{
  facts: Facts;
  /** Another one means that it was gone meanwhile. */
  firstSeen: number;
  since: number;
  unknownSince: number | undefined;
  condition: EntityJson["condition"];
  open: OpenAlerts;
}>;

/** Remembers of each entity only what can change, without copies, because there may be many. */
export function createSentEntities() {
  const sent = new Map<string, Known>();
  const knownOf = (key: string, view: View, open: OpenAlerts): Known | undefined => {
    const entity = view.entities.get(key);
    if (entity === undefined) return undefined;
    const { facts, firstSeen, since, unknownSince } = entity;
    return { facts, firstSeen, since, unknownSince, condition: conditionOf(entity, open), open };
  };
  return {
    /** Remembers an entity as it is: viewers that read a list from now on know it. */
    remember: (key: string, view: View, open: OpenOf): void => {
      const now = knownOf(key, view, open(key));
      if (now !== undefined) sent.set(key, now);
    },
    /** The change that viewers do not know yet; undefined if there is none. */
    change: (key: string, view: View, openOf: OpenOf): RowChange<EntityJson> | undefined => {
      const open = openOf(key);
      const before = sent.get(key);
      const now = knownOf(key, view, open);
      const entity = view.entities.get(key);
      if (now === undefined || entity === undefined) {
        return sent.delete(key) ? { key, gone: true } : undefined;
      }
      sent.set(key, now);
      if (before?.firstSeen !== now.firstSeen)
        return { key, row: entityRow.encode(entityRowOf(entity, open, view.kinds)) };
      const differs: Partial<EntityJson> = {
        ...changedFacts(before, now, entity.kind, view),
        ...(statusTextOf(before) === statusTextOf(now)
          ? {}
          : { status: statusTextOf(now) ?? null }),
        ...(before.since === now.since ? {} : { since: instant.encode(now.since) }),
        ...(before.unknownSince === now.unknownSince
          ? {}
          : { unknown_since: orNull(instant).encode(now.unknownSince) }),
        ...(before.condition === now.condition ? {} : { condition: now.condition }),
        ...(before.open.count === open.count ? {} : { alerts: open.count }),
        ...(before.open.severity === open.severity ? {} : { severity: open.severity ?? null }),
      };
      return Object.keys(differs).length === 0 ? undefined : { key, ...differs };
    },
  };
}

/** Only the facts that differ; one that is no longer known is null. */
function changedFacts(
  { facts: before }: Known,
  { facts: now }: Known,
  kind: string,
  { kinds }: View,
): { facts?: Record<string, Facts[string]> } {
  if (before === now) return {};
  const changed = Object.entries(now).filter(([name, value]) => !Object.is(before[name], value));
  const lost = Object.keys(before).filter((name) => now[name] === undefined);
  if (changed.length + lost.length === 0) return {};
  const facts: Record<string, Facts[string] | null> = {
    ...shownFacts(Object.fromEntries(changed), kinds.get(kind)),
    ...Object.fromEntries(lost.map((name) => [name, null])),
  };
  return { facts: facts as Record<string, Facts[string]> };
}

/** Remembers the rows themselves, for alerts and remediations, which are fewer. */
export function createSentRows<Json extends object>() {
  const sent = new Map<string, Map<string, string>>();
  return {
    change: (key: string, row: Json | undefined): RowChange<Json> | undefined => {
      const before = sent.get(key);
      if (row === undefined) return sent.delete(key) ? { key, gone: true } : undefined;
      const now = new Map(
        Object.entries(row).map(([name, value]) => [name, JSON.stringify(value)] as const),
      );
      sent.set(key, now);
      if (before === undefined) return { key, row };
      const differs = Object.entries(row).filter(([name]) => before.get(name) !== now.get(name));
      if (differs.length === 0) return undefined;
      return { key, ...(Object.fromEntries(differs) as Partial<Json>) };
    },
  };
}
