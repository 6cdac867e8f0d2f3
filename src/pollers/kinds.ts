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
  means: "One of aggwatch's own pollers.",
  facts: {
    name: words(POLLER_NAMES, "The poller's name, e.g. exchanges."),
    up: flag("Whether the last poll read at least one surface; unknown before the first poll."),
    stale: flag("Whether the last successful poll is older than `stale_after`."),
    failing_surfaces: number("Number of surfaces (senders, orders …) whose last reading failed."),
    truncated_surfaces: number(
      "Number of surfaces whose last listing was cut, partial or doubted.",
    ),
    left_out: number(
      "Number of entities in its last listings that are not watched, because there are more than `limits.entities`.",
    ),
    missing_surfaces: number(
      "Number of surfaces whose watched id the aggregator answers with 404.",
    ),
    all_missing: flag("Whether that is so for all of its surfaces; then the path may be wrong."),
    surfaces: number("Number of surfaces that it reads."),
    undecided_ratio: number(
      "The largest share of the last poll's entities on which one rule cannot decide, because a fact is unknown: 1 is all of them.",
    ),
    undecided: text(
      "Which rules cannot decide, and which facts they lack, as a text for people; empty if there is no such rule.",
    ),
    consecutive_failures: number("Number of polls in a row that read nothing."),
    last_success: {
      ...instant("When the last poll that read something was requested; unknown before the first."),
      past: true,
    },
    reason: words(
      [...FAILURE_REASONS, ...DOUBT_REASONS, ""],
      "Why the last failed reading failed, or a listing is doubted, as a word of a closed list; empty if there is no reason.",
    ),
    error: text(
      "The last failure, why a listing is not complete, or that every watched id is answered with 404, as a text for people; may be empty.",
    ),
  },
  whenAbsent: "gone",
} as const satisfies KindDefinition;

/** The core itself gives this kind: what the pollers of an aggregator together know of it. */
const aggregatorKind = {
  kind: "aggregator",
  means: "An aggregator as a whole: whether it answers at all.",
  facts: {
    name: text("The aggregator's name in the config."),
    pollers: number("Number of pollers that watch it."),
    failing_pollers: number("Number of its pollers whose last poll read nothing."),
    consecutive_failures: number(
      "Number of polls in a row, of all its pollers, that read nothing.",
    ),
    error: text("Why the last poll read nothing, for people; empty if it read something."),
  },
  whenAbsent: "gone",
  derived: true,
} as const satisfies KindDefinition;

/** The core itself gives this kind too: what became of its repairing of an entity. */
const repairKind = {
  kind: "repair",
  means: "An entity that aggwatch tried to repair, and the result.",
  facts: {
    kind: text("The kind of the entity, e.g. exchange."),
    entity: text("The entity's id, e.g. BINANCE."),
    action: text("The last action."),
    rule: text("The rule that asked for it."),
    last_outcome: text("`verified`, `unverified` or `rejected`."),
    last_attempt: instant("When the last attempt was sent."),
    detail: text("Details of the last attempt, as a text for people."),
    failures: number("Failed attempts in a row."),
    exhausted: flag("Whether the alert still fires and its rule's attempts are used up."),
    undone: number("How many times in a row a repair was soon undone."),
    quarantined: flag(
      "Whether it is left alone until an operator releases it, because of a tug of war.",
    ),
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
