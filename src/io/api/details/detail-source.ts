import type { OutboxRow } from "../../../domain/notification.ts";
import type { Rule } from "../../../domain/rule.ts";
import type { StoredFinding } from "../../journal/rows.ts";
import type { View } from "../lists/view.ts";
import { ruleInForce } from "../past/in-force.ts";
import type { Moment } from "../past/moment.ts";
import type { LoopSource, ServerSource } from "../server-source.ts";

/** The data for details, now or at an instant in the past. A journal in a database answers asynchronously. */
export type DetailSource = {
  readonly view: () => View;
  readonly isPast: boolean;
  /** Those in force now and, for the past, those that were in force then. */
  readonly rules: ReadonlyArray<Pick<Rule, "alert" | "kind">>;
  /** As YAML; undefined if there is no such rule, or its text was not recorded. */
  readonly ruleText: (rule: string) => string | undefined;
  readonly explain: LoopSource["explain"];
  readonly historyOf: (alert: string) => StoredFinding[] | Promise<StoredFinding[]>;
  /** Undefined for the past, because it is not kept. */
  readonly outbox: ReadonlyMap<string, OutboxRow> | undefined;
};

export function detailOf(source: ServerSource, { view, past }: Moment): DetailSource {
  const { at } = view;
  const isPast = past !== undefined;
  return {
    view: isPast ? () => view : source.view,
    isPast,
    rules: [...view.rules.values(), ...(past?.inForce.rules ?? [])],
    ruleText: (rule) => {
      if (isPast) return past.inForce.rules?.find(({ alert }) => alert === rule)?.text;
      const known = source.view().rules.get(rule);
      return known && ruleInForce(known).text;
    },
    explain: (rule, entity) => source.explain(rule, entity, isPast ? at : undefined),
    historyOf: (alert) => source.past.historyOf(alert, isPast ? at : source.now()),
    outbox: isPast ? undefined : source.outbox(),
  };
}
