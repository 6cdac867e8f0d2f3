import type { Entity } from "../../domain/entity.ts";
import { formatInstant, type Instant } from "../../domain/time.ts";
import type { Checker } from "../witness.ts";
import { createDurableBook } from "./durable-book.ts";

/** When an entity was first seen never moves while it is there, over all restarts. */
export function checkFirstSeen(): Checker {
  const firstSeen = createDurableBook<Instant>();
  return {
    invariant: "7 first seen",
    witness: (seen) => {
      if (seen.type === "restarted") {
        firstSeen.restore((key) => seen.state.tables.entity.get(key)?.firstSeen);
        return [];
      }
      if (seen.type !== "step") return [];
      const found: string[] = [];
      for (const { table, key, value } of seen.result.changes) {
        if (table !== "entity") continue;
        const now = (value as Entity | undefined)?.firstSeen;
        const before = firstSeen.get(key);
        if (now === undefined) firstSeen.delete(key);
        else firstSeen.set(key, now);
        if (now === undefined || before === undefined || now === before) continue;
        const [from, to] = [formatInstant(before), formatInstant(now)];
        found.push(`${key} was first seen at ${from}, and now at ${to}`);
      }
      if (seen.durable) firstSeen.settle();
      return found;
    },
  };
}
