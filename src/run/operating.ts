import { explain, tellExplanation } from "../core/explain.ts";
import { fail, succeed } from "../domain/result.ts";
import type { Finding } from "../domain/finding.ts";
import type { Clock } from "../domain/time.ts";
import { entityKey } from "../domain/entity.ts";
import type { Journal } from "../io/journal.ts";
import type { ServerSource } from "../io/server-source.ts";
import type { Loop } from "./loop.ts";

/** What operators ask for, and ask about: the loop as the faces see it. */
export type Operating = Pick<ServerSource, "command" | "names" | "now" | "explain" | "history">;

export function createOperating(world: {
  readonly loop: Pick<Loop, "ask" | "policy" | "state">;
  readonly clock: Clock;
  readonly journal: Pick<Journal, "historyOf">;
}): Operating {
  const { loop, clock, journal } = world;
  return {
    command: (by, reason, command) => {
      const answer = loop.ask({ type: "command", by, reason, command });
      const found = answer?.result.findings.find(
        (finding): finding is Extract<Finding, { type: "command" }> => finding.type === "command",
      );
      if (answer === undefined || found === undefined) {
        const detail = "a bug in the core: its log says which, and acting is stopped";
        return { accepted: false, subject: "", detail, durable: false };
      }
      const { accepted, subject, detail } = found;
      return { accepted, subject, detail, durable: answer.durable };
    },
    names: () => {
      const { aggregators, kinds, rules } = loop.policy();
      return {
        aggregator: aggregators.map(({ name }) => name),
        kind: [...kinds.keys()],
        rule: [...rules.keys()],
      };
    },
    now: () => clock.now(),
    explain: (rule, entity) => {
      const policy = loop.policy();
      const explanation = explain(policy, loop.state(), rule, entity, loop.state().at);
      if (explanation !== undefined) {
        return succeed({ explanation, told: tellExplanation(policy, explanation) });
      }
      const known = policy.rules.get(rule);
      if (known === undefined) return fail(`there is no rule ${rule}`);
      if (known.kind !== entity.kind) {
        return fail(
          `the rule ${rule} judges entities of the kind ${known.kind}, not ${entity.kind}`,
        );
      }
      return fail(`${entityKey(entity)} is not known: it was never seen, or it is gone`);
    },
    history: journal.historyOf,
  };
}
