import { entityKey } from "../domain/entity.ts";
import type { Millis } from "../domain/time.ts";
import type { RunEvent } from "./run-event.ts";

/** An event of a run, for the timeline of its report. Times count from the run's start. */
export type Moment = {
  /** The rule of an alert; or `actions`, `crashes`, `faults`, `violations`. */
  readonly track: string;
  readonly kind: "alert" | "action" | "crash" | "fault" | "violation";
  readonly from: Millis;
  /** Left out if it has no length, or lasts to the end. */
  readonly until?: Millis;
  readonly text: string;
};

const MOST_MOMENTS = 5_000;

export function createMoments() {
  const moments: Array<{ -readonly [Key in keyof Moment]: Moment[Key] }> = [];
  const firing = new Map<string, (typeof moments)[number]>();
  const push = (moment: (typeof moments)[number]): void => {
    if (moments.length < MOST_MOMENTS) moments.push(moment);
  };
  return {
    add: (event: RunEvent, at: Millis): void => {
      if (event.type === "crashed")
        push({ track: "crashes", kind: "crash", from: at, text: event.boundary });
      if (event.type !== "step") return;
      for (const finding of event.result.findings) {
        if (finding.type === "alert") {
          const { key, rule, entity } = finding.alert;
          const known = firing.get(key);
          if (finding.change === "firing" && known === undefined) {
            const text = entityKey(entity);
            const made: (typeof moments)[number] = { track: rule, kind: "alert", from: at, text };
            firing.set(key, made);
            push(made);
          } else if (finding.change === "resolved" && known !== undefined) {
            known.until = at;
            firing.delete(key);
          }
        } else if (finding.type === "remediation" && finding.corrected !== true) {
          const { action, entity, state } = finding.remediation;
          const text = `${action} ${entityKey(entity)} ${state}`;
          push({ track: "actions", kind: "action", from: at, text });
        }
      }
    },
    note: (kind: "fault" | "violation", text: string, at: Millis): void =>
      push({ track: `${kind}s`, kind, from: at, text }),
    all: (): readonly Moment[] => moments,
  };
}
