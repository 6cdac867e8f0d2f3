import { isOfWatching } from "../../core/observe/poller-health.ts";
import { parseEntityKey, type Entity, type Facts } from "../../domain/entity.ts";
import type { EntityLimits } from "../../domain/limits.ts";
import type { Instant } from "../../domain/time.ts";
import type { EntityPast, EntitySpan, PastState } from "../../io/api/past/entity-past.ts";
import type { PackedPage } from "../../io/journal/record-pages.ts";
import { gapBefore, type Recorded } from "../rebuild.ts";
import { createFactHistory, type FactSpan } from "./fact-history.ts";
import { isKept, recordedIn, withoutRules, type Kinds } from "./replay-entities.ts";
import { Watching } from "./watching.ts";

type Asked = EntitySpan & { readonly kinds: Kinds; readonly limits: EntityLimits };

/** As many changes as a band can show; what changed more often is shown from when it has so many. */
const MOST_STATES = 500;

/** What is known of it for a while; its facts are those that were read last. */
type Known = PastState & { readonly facts: Facts };

/**
 * Makes what was known of one entity over a span of time from the pages of the record, from the chapter that was under
 * way at its beginning. Undefined if the record has nothing of that time, or keeps nothing of such entities.
 */
export function replayEntity(
  pages: Iterable<PackedPage>,
  { key, from, until, kinds, limits }: Asked,
): EntityPast | undefined {
  const { kind } = parseEntityKey(key);
  if (!isKept(kinds, kind)) return undefined;
  const isWatching = isOfWatching(kind);
  const watching = new Watching(kinds, limits);
  const rules = new Set<string>();
  let told: ReturnType<typeof createTold> | undefined;
  for (const item of recordedIn(pages, kinds)) {
    const gap = gapBefore(item);
    if (gap !== undefined && gap.from < until) told?.next({ ...NOT_RECORDED, at: gap.from });
    if (item.at > until) break;
    for (const name of rulesFor(kind, item)) rules.add(name);
    watching.play(item);
    // Polls that read the same say nothing new, but of the watching itself.
    const entity = isWatching ? watching.entities?.get(key) : watching.entity(key);
    const known = knownOf(item.at, entity);
    told ??= createTold(Math.max(from, item.at), until, kinds.get(kind)?.facts ?? {});
    told.next(known);
  }
  return told && { ...told.end(), rules: [...rules] };
}

/** The names of the rules for a kind that this item puts in force. */
function rulesFor(kind: string, item: Recorded): string[] {
  const told = item.type === "opened" || item.type === "in_force" ? item.inForce : undefined;
  const rules = told?.rules ?? [];
  return rules.filter((rule) => rule.kind === kind).map(({ alert }) => alert);
}

const NOT_RECORDED = { state: "not_recorded", status: undefined, facts: {} } as const;

function knownOf(at: Instant, entity: Entity | undefined): Known {
  if (entity === undefined) return { at, state: "absent", status: undefined, facts: {} };
  const { facts } = withoutRules(entity);
  const { status } = facts;
  return {
    at,
    state: entity.unknownSince === undefined ? "seen" : "unknown",
    status: status === undefined ? undefined : String(status),
    facts,
  };
}

/** Puts together what is known from instant to instant. */
function createTold(from: Instant, until: Instant, definitions: FactSpan["definitions"]) {
  const history = createFactHistory({ from, until, definitions });
  const states: PastState[] = [];
  let last: Known | undefined;
  /** What was known lasted until then. */
  const lasted = (at: Instant): void => {
    if (last?.state === "seen")
      history.add(Math.max(from, last.at), Math.min(at, until), last.facts);
  };
  return {
    next: (known: Known): void => {
      const at = Math.max(from, known.at);
      if (last !== undefined && isSame(last, known) && last.facts === known.facts) return;
      lasted(at);
      if (last === undefined || !isSame(last, known)) {
        const { state, status } = known;
        // Before the span, only the last of them is in it.
        if (states.at(-1)?.at === at) states.pop();
        states.push({ at, state, status });
        if (states.length > MOST_STATES) states.shift();
      }
      last = { ...known, at };
    },
    end: (): Omit<EntityPast, "rules"> => {
      lasted(until);
      return { from, until, states, ...history.result() };
    },
  };
}

function isSame(one: PastState, other: PastState): boolean {
  return one.state === other.state && one.status === other.status;
}
