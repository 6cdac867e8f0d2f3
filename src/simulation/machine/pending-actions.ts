import type { Effect } from "../../domain/step.ts";

/** Actions that were requested and not sent yet, to know which one a request on the wire belongs to. */
export function createPendingActions() {
  const waiting: Array<Extract<Effect, { type: "act" }>> = [];
  return {
    add: (effects: readonly Effect[]): void => {
      for (const effect of effects) if (effect.type === "act") waiting.push(effect);
    },
    /** Takes the oldest one whose arguments end the path; gives its remediation. */
    take: (aggregator: string, path: string): string | undefined => {
      const segments = path.split("/").map(decodeURIComponent);
      const index = waiting.findIndex(({ aggregator: own, call }) => {
        const args = Object.values(call.args);
        return own === aggregator && args.join("/") === segments.slice(-args.length).join("/");
      });
      return index < 0 ? undefined : waiting.splice(index, 1)[0]?.remediation;
    },
  };
}
