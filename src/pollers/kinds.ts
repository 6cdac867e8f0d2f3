import type { KindDefinition } from "../domain/entity.ts";
import { FAILURE_REASONS } from "../domain/http.ts";
import { DOUBT_REASONS } from "../domain/observation.ts";
import { flag, instant, number, text, words } from "./fact-types.ts";
import { POLLER_NAMES, pollers } from "./index.ts";

/**
 * The kinds of entity that rules can judge: those of the pollers, and three that the core itself gives.
 * Every kind also has the common facts `first_seen` and `since`. A fact that a reply does not show is
 * left out (unknown).
 */

/** The core itself gives this kind: what it knows of each poller of each aggregator. */
const pollerKind = {
  kind: "poller",
  means: "One of aggwatch's own pollers: what is known of the watching itself.",
  facts: {
    name: words(POLLER_NAMES, "The poller's name, e.g. exchanges."),
    up: flag("The last poll read at least one of its surfaces; left out before the first poll."),
    stale: flag("No successful poll for longer than `stale_after`."),
    failing_surfaces: number("Surfaces (senders, orders …) whose last reading failed."),
    truncated_surfaces: number("Surfaces whose last listing was cut, is a part, or is doubted."),
    left_out: number(
      "Entities of its last listings that are not watched, because there are more than `limits.entities`.",
    ),
    missing_surfaces: number("Surfaces whose watched id the aggregator answers with 404."),
    all_missing: flag("These are all that it reads: the path may be wrong as well."),
    surfaces: number("Surfaces that it reads."),
    undecided_ratio: number(
      "Of what the last poll read, the largest share on which one rule cannot decide, because a fact is not known: 1 is all of it.",
    ),
    undecided: text("Which rules these are, and which facts they lack, for people; else empty."),
    consecutive_failures: number("Polls in a row that read nothing."),
    last_success: {
      ...instant("When the last poll that read something was asked; left out before the first."),
      past: true,
    },
    reason: words(
      [...FAILURE_REASONS, ...DOUBT_REASONS, ""],
      "Why the last failure failed, or a listing is doubted, one of the closed list of reasons; else empty.",
    ),
    error: text(
      "The last failure, or why a listing is not complete, or that every watched id is answered with 404, for people; else empty.",
    ),
  },
  whenAbsent: "gone",
} as const satisfies KindDefinition;

/** The core itself gives this kind: what the pollers of an aggregator together know of it. */
const aggregatorKind = {
  kind: "aggregator",
  means: "The interface of an aggregator as a whole: whether it answers at all.",
  facts: {
    name: text("The aggregator's name in the config."),
    pollers: number("Pollers that watch it."),
    failing_pollers: number("Pollers whose last poll read nothing."),
    consecutive_failures: number("Polls in a row, of all pollers, that read nothing."),
    error: text("Why the last poll read nothing, for people; empty if it read something."),
  },
  whenAbsent: "gone",
  derived: true,
} as const satisfies KindDefinition;

/** The core itself gives this kind too: what became of its repairing of an entity. */
const repairKind = {
  kind: "repair",
  means:
    "An entity that aggwatch tried to repair, and what came of it: the repairing itself is watched.",
  facts: {
    kind: text("The kind of the entity, e.g. exchange."),
    entity: text("The entity's id, e.g. BINANCE."),
    action: text("The last action."),
    rule: text("The rule that asked for it."),
    last_outcome: text("`verified`, `unverified` or `rejected`."),
    last_attempt: instant("When the last attempt was sent."),
    detail: text("What is known of the last attempt, for people."),
    failures: number("Failed attempts in a row."),
    exhausted: flag("The alert fires on, and its rule's attempts are used up."),
    undone: number("How often in a row a repair was undone soon after."),
    quarantined: flag("It is left alone until an operator releases it: a tug of war."),
  },
  whenAbsent: "gone",
} as const satisfies KindDefinition;

const ownKinds: readonly KindDefinition[] = [pollerKind, aggregatorKind, repairKind];

/** Kinds that no reading shows: the core makes their entities of its polling and repairing. */
export const OWN_KINDS: ReadonlySet<string> = new Set(ownKinds.map(({ kind }) => kind));

export const kinds: ReadonlyMap<string, KindDefinition> = new Map(
  [...pollers.flatMap((poller) => poller.kinds), ...ownKinds].map(
    (definition): [string, KindDefinition] => [definition.kind, definition],
  ),
);
