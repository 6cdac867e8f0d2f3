import { joined } from "./identifier.ts";
import type { Instant, Millis } from "./time.ts";

/**
 * Entity: a thing seen (`exchange BINANCE`). Kind: its type. Fact: one attribute.
 * A fact that is not there is unknown: it is left out, never guessed.
 */

export type FactType = "string" | "double" | "bool" | "timestamp";

/** Timestamps are `Instant`s; the kind's definition says which facts are timestamps. */
export type FactValue = string | number | boolean;

export type Facts = Readonly<Record<string, FactValue>>;

export type FactDefinition = {
  readonly type: FactType;
  /** One sentence for docs/rules.md, with the unit if there is one. */
  readonly means: string;
  /** Every word that a text can be; left out if the aggregator may use others. */
  readonly values?: readonly string[];
  /** The least that a number can be. */
  readonly least?: number;
  /** A timestamp of aggwatch's own clock: it is never after now. */
  readonly past?: boolean;
  /** The kind that it follows from, so it may be unknown although the entity was read completely. */
  readonly follows?: string;
  /** The field of an entry, in the default shape, without which it is not known: `lockOrder.expiration`. */
  readonly field?: string;
  /** The setting of an aggregator whose words give it its meaning: `swap_statuses`. */
  readonly words?: string;
  /** It may change while nothing else of the entity does: an approval depends on it only if the rule reads it. */
  readonly drifts?: true;
};

/** What rules may say of a kind of entity, and what its absence from a complete listing means. */
export type KindDefinition = {
  readonly kind: string;
  readonly means: string;
  readonly facts: Readonly<Record<string, FactDefinition>>;
  /**
   * `gone`: an entity that is absent from a complete listing of its surface has ended.
   * Facts: it stays, with these facts (an exchange in neither listing is `missing`).
   */
  readonly whenAbsent: "gone" | Facts;
  /**
   * Facts that follow from other entities of the same aggregator; added each time the entity is read.
   * If something that a fact follows from is unknown, the fact is left out.
   */
  readonly enrich?: (facts: Facts, lookup: Lookup) => Facts;
  /**
   * How long an entity took that these facts show to have ended; the duration goes to the baseline of its group, an
   * entity of the kind `into`. Undefined if it has not just ended.
   */
  readonly took?: (
    before: Facts,
    after: Facts,
    at: Instant,
  ) => { readonly into: string; readonly group: string; readonly tookMs: Millis } | undefined;
  /**
   * The surfaces that may list an entity, if it depends on the watch list which one does: that of all, or one of its
   * own. If the list changes, it has not ended before one of them has been read without it.
   */
  readonly surfaces?: (id: string) => readonly string[];
  /** The core itself derives these from what it saw: a failed reading does not make them unknown. */
  readonly derived?: true;
  /** The kind of what each belongs to: a scope that names that covers it too. */
  readonly parent?: string;
  /** Only those that are bad are listed, so their total is not known. */
  readonly listsOnlyBad?: true;
};

/** Why nothing is known of an entity any more. */
export type EndedBecause = "gone" | "unwatched";

/** The same as a sentence; one that is listed only while it is bad may still exist. */
export function endedText(because: EndedBecause, kind: KindDefinition | undefined): string {
  if (because === "unwatched") return "it is not watched any more";
  return kind?.listsOnlyBad === true ? "it is not listed any more" : "it is gone";
}

/** What is surely known of other entities of the same aggregator. */
export type Lookup = {
  /** Undefined if there is none, or nothing sure is known of it. */
  readonly one: (kind: string, id: string) => Facts | undefined;
  /**
   * Every one of the kind; undefined if nothing sure is known of one of them, or of their listing. While that is the
   * same, so is the list, so that what `madeOnce` makes of it serves all entities that are read at once.
   */
  readonly all: (kind: string) => readonly Facts[] | undefined;
};

/** Facts of every kind; the core keeps them, and no poller gives them. */
export const COMMON_FACTS = {
  first_seen: {
    type: "timestamp",
    means: "When aggwatch first saw the entity; it survives restarts.",
    past: true,
  },
  since: {
    type: "timestamp",
    means: "When the fact `status` got its current value; `first_seen` if the kind has no status.",
    past: true,
  },
} as const satisfies Readonly<Record<string, FactDefinition>>;

/** Whether a fact of a kind is a timestamp; includes the facts of every kind. */
export function isTimestamp(definition: KindDefinition | undefined, name: string): boolean {
  const common: Readonly<Record<string, FactDefinition>> = COMMON_FACTS;
  return (definition?.facts[name] ?? common[name])?.type === "timestamp";
}

/** Who an entity is. `aggregator` is part of every identity, as one daemon may watch many. */
export type EntityId = {
  readonly aggregator: string;
  readonly kind: string;
  /** Unique within aggregator and kind. */
  readonly id: string;
};

/** One text for an identity, used as a map key and in the journal. Only `id` may hold a slash. */
export function entityKey(entity: EntityId): string {
  return `${entity.aggregator}/${entity.kind}/${entity.id}`;
}

/** The same text as `entityKey`, made slower: for keys that are kept. */
export function keptEntityKey({ aggregator, kind, id }: EntityId): string {
  return joined(aggregator, kind, id);
}

/** The inverse of `entityKey`. */
export function parseEntityKey(key: string): EntityId {
  const [aggregator = "", kind = "", ...id] = key.split("/");
  return { aggregator, kind, id: id.join("/") };
}

/** An entity as people write it: the kind may be left out, as in an alias, and the aggregator mostly is. */
export type WrittenEntity = Partial<Omit<EntityId, "id">> & Pick<EntityId, "id">;

/**
 * Reads `KIND/ID`, `AGGREGATOR/KIND/ID` or an id alone. An id may hold slashes, so it depends on the names that are
 * known which of the two it is: an aggregator may be called like a kind.
 */
export function readWrittenEntity(
  text: string,
  known: { readonly aggregator: readonly string[]; readonly kind: readonly string[] },
): WrittenEntity {
  const [first = "", second, ...rest] = text.split("/");
  if (second === undefined) return { id: text };
  const isKind = known.kind.includes(first);
  const beginsWithAggregator = known.kind.includes(second)
    ? !isKind || known.aggregator.includes(first)
    : !isKind && known.aggregator.includes(first);
  return beginsWithAggregator && rest.length > 0
    ? { aggregator: first, kind: second, id: rest.join("/") }
    : { kind: first, id: [second, ...rest].join("/") };
}

/** The kind in an entity's key, without splitting the rest. */
export function kindOfKey(key: string): string {
  const start = key.indexOf("/") + 1;
  return key.slice(start, key.indexOf("/", start));
}

/** Whether all facts are the same, and none is in only one of the two. */
export function sameFacts(one: Facts, other: Facts): boolean {
  // An answer with the same bytes gives the same objects.
  if (one === other) return true;
  let count = 0;
  for (const name in one) {
    if (!Object.is(one[name], other[name])) return false;
    count += 1;
  }
  return count === Object.keys(other).length;
}

/** Key-less identity of the entity that another one belongs to: a pair's exchange, a swap's sender. */
export type Parent = { readonly kind: string; readonly id: string };

/** An entity as one answer shows it. */
export type SeenEntity = {
  readonly kind: string;
  readonly id: string;
  readonly parent?: Parent;
  readonly facts: Facts;
};

/** An entity as the core remembers it. */
export type Entity = EntityId & {
  readonly parent?: Parent;
  /** The surface it is read from; `aggregator/poller/surface`. */
  surface: string;
  facts: Facts;
  readonly firstSeen: Instant;
  /** Since when the fact `status` has had its value. */
  since: Instant;
  /** What `status` was when it was last shown; set while it is not. */
  lastStatus?: FactValue;
  /** Set while nothing sure is known of it: its surface failed, or its listing was cut. */
  readonly unknownSince?: Instant;
  /** What the rules' windows remember of it, by the key of the series. */
  windows?: Record<string, WindowSeries>;
};

/** Texts that an entity shares with the answer that shows it, so that they are kept once. */
export type Shown = Pick<Entity, "id" | "parent" | "surface">;

/**
 * An entity that is known again, without `unknownSince`. It is a new object: `delete` would leave one that takes four
 * times the memory, after an outage for every entity. Texts that came from the journal are replaced by those of the
 * answer.
 */
export function knownAgain(entity: Entity, shown?: Shown): Entity {
  const { unknownSince: _, ...known } = entity;
  if (shown?.id !== known.id || shown.surface !== known.surface) return known;
  const { id, surface, parent } = shown;
  if (parent?.id !== known.parent?.id || parent?.kind !== known.parent?.kind)
    return { ...known, id, surface };
  return { ...known, id, surface, ...(parent && { parent }) };
}

/**
 * What is remembered of one fact for windows of one length. A value holds until another is read,
 * so the past is a list of pieces, and a value that does not change takes no room.
 */
export type WindowSeries = {
  /** What is remembered begins here: the first reading of the fact, or what has left the window. */
  from: Instant;
  /** Oldest first, without gaps between them, from `from` to `at`. */
  pieces: readonly WindowPiece[];
  /** The value since `at`; null: not known. */
  value: FactValue | null;
  at: Instant;
  /** While `value` is null, what was known last, if changes are counted. */
  before?: FactValue;
};

/** A stretch of the past: one value, or what is left of several that came within one slice. */
export type WindowPiece = {
  readonly until: Instant;
  /** What the series is for: a value, the highest, the mean … of the piece; null: not known. */
  readonly value: number | null;
  /** For how much of the piece the fact was unknown; left out if for none. */
  readonly lost?: Millis;
};
