import { UNSENT } from "../core/act/details.ts";
import type { ActionReply } from "../domain/action.ts";
import type { Remediation } from "../domain/remediation.ts";
import type { Event, StepResult } from "../domain/step.ts";
import type { Acted, Sent } from "./entry.ts";

/** What is sent, and the answers to it. An answer may come after the settling: it changes no row, but what is sent next. */
export type Requests = {
  /** What a step is recorded by: the answer that it was told, and what it sent. */
  readonly entriesOf: (event: Event, result: StepResult) => Array<Acted | Sent>;
  /** Drops the requests without an answer: the record begins again, and does not have them. */
  readonly forget: () => void;
};

export function createRequests(): Requests {
  /** What has no answer yet, by remediation. */
  const awaited = new Map<string, Pick<Sent, "action" | "entity">>();
  return {
    entriesOf: (event, result) => {
      const answers = answersIn(event).flatMap(([id, reply]): Acted[] => {
        const on = awaited.get(id);
        awaited.delete(id);
        return on === undefined ? [] : [{ t: "acted", dt: 0, ...on, ...reply }];
      });
      const sent = sentIn(result).map(({ id, action, entity }): Sent => {
        awaited.set(id, { action, entity });
        return { t: "sent", dt: 0, action, entity, awaits: 1 };
      });
      return [...answers, ...sent];
    },
    forget: () => awaited.clear(),
  };
}

/** What the journal kept from being sent was refused, in effect. */
function answersIn(event: Event): ReadonlyArray<readonly [id: string, reply: ActionReply]> {
  if (event.type === "acted") return [[event.remediation, event.reply]];
  if (event.type !== "journal") return [];
  return event.unsent.map((id) => [id, { outcome: "rejected", detail: UNSENT }]);
}

function sentIn({ changes, effects }: StepResult): Remediation[] {
  return effects.flatMap((effect) => {
    if (effect.type !== "act") return [];
    const { remediation: id } = effect;
    const row = changes.find(({ table, key }) => table === "remediation" && key === id);
    return (row?.value as Remediation | undefined) ?? [];
  });
}
