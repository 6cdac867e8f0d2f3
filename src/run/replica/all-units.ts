import { countCovered } from "../../core/change/holds.ts";
import { entityKey, type EntityId } from "../../domain/entity.ts";
import type { ServerSource } from "../../io/api/server-source.ts";
import { LEFT_TO_HOME } from "../units/unit-setup.ts";

/** Units whose rows are shown as one. */
export type ShownUnits = {
  /** The units of senders, whose rows are shown too. */
  readonly units: readonly string[];
  /** What the units know that are owned here, which is more than their rows. */
  readonly owned: () => ReadonlyArray<Pick<ServerSource, "idle" | "view" | "explain" | "polls">>;
  readonly command: ServerSource["command"];
};

/**
 * A hold or a silence is applied by one unit, but what it covers is counted in all units that are shown here. Why
 * something is so, and how its polls went, the owner knows best.
 */
export function toAllUnits(
  source: ServerSource,
  { units, owned, command }: ShownUnits,
): ServerSource {
  if (units.length === 0) return source;
  return {
    ...source,
    explain: async (rule, entity, at) => {
      const own = at === undefined ? await ownExplained(owned(), rule, entity) : undefined;
      return own ?? (await source.explain(rule, entity, at));
    },
    polls: {
      of: (...poller) => {
        const known = owned().map(({ polls }) => polls.of(...poller));
        return known.find(({ minutes }) => minutes.length > 0) ?? source.polls.of(...poller);
      },
    },
    command: (by, reason, asked) => {
      const isScoped = asked.name === "hold" || asked.name === "silence";
      const covered = isScoped ? { covered: countCovered(source.view(), asked.scope) } : {};
      return command(by, reason, { ...asked, ...covered });
    },
  };
}

/** What the unit here that watches the entity says; undefined if none does. */
async function ownExplained(
  owned: ReturnType<ShownUnits["owned"]>,
  rule: string,
  entity: EntityId,
): Promise<Awaited<ReturnType<ServerSource["explain"]>> | undefined> {
  // Each unit has one of its own, which knows a part of the pollers.
  if (LEFT_TO_HOME.has(entity.kind)) return undefined;
  for (const { idle, view, explain } of owned) {
    await idle();
    if (!view().entities.has(entityKey(entity))) continue;
    const answer = await explain(rule, entity, undefined);
    return answer.ok ? answer : undefined;
  }
  return undefined;
}
