import {
  isAllDecided,
  isFreshnessUnjudged,
  isPollerWell,
  isReadAgain,
  keysRead,
  noteReadAgain,
  type KeysRead,
} from "../core/observe/read-again.ts";
import type { State } from "../core/state.ts";
import { surfaceKey, type Observation, type Part } from "../domain/observation.ts";
import type { Event, Finding, Policy, StateTable, StepResult } from "../domain/step.ts";
import type { Instant } from "../domain/time.ts";
import type { Ticks } from "./ticks.ts";

/**
 * Most of a record is polls that read the same as the poll before them. As long as there are only polls, and nothing is
 * due by time, such a poll needs no step.
 */
type Repeats = {
  /** Takes a poll that repeats the one before it, and gives its finding; undefined if the poll needs a step. */
  readonly take: (state: State, observation: Observation, at: Instant) => Finding | undefined;
  /** Called after every step. */
  readonly note: (event: Event, result: StepResult, state: State) => void;
  /** Sets the policy from now on. */
  readonly adopt: (policy: Policy) => void;
};

type Polled = Extract<Finding, { type: "polled" }>;
type Shown = {
  readonly parts: readonly Part[];
  readonly polled: Polled;
  readonly keys: KeysRead;
};

export function createRepeats(ticks: Ticks): Repeats {
  /** The last poll of each poller, as long as a repetition of it needs no step. */
  const shown = new Map<string, Shown>();
  let policy: Policy | undefined;
  let isUnjudged = false;

  /** Call it if time changed alerts: a poller says which rules cannot decide. Alerts on it do not move by time. */
  function keepDecided(by: Policy, state: State): void {
    for (const [key, { polled }] of shown) {
      if (!isAllDecided(by, state, polled)) shown.delete(key);
    }
  }

  return {
    take: (state, observation, at) => {
      const { aggregator, poller, parts, durationMs } = observation;
      if (policy === undefined || !isUnjudged) return undefined;
      const before = shown.get(surfaceKey(aggregator, poller, ""));
      if (before === undefined || !isSame(before.parts, parts)) return undefined;
      if (!isReadAgain(state, observation, before.keys)) return undefined;
      if (!ticks.isQuietUntil(policy, state, at)) return undefined;
      noteReadAgain(state, observation, before.keys, at);
      return { ...before.polled, durationMs };
    },
    note: (event, result, state) => {
      if (policy === undefined) return;
      const polled = result.findings.find((finding) => finding.type === "polled");
      if (event.type === "tick" && isOfAlertsAlone(result)) {
        if (result.changes.length > 0) keepDecided(policy, state);
      } else if (event.type === "observed" && polled !== undefined && isWhole(polled, result)) {
        const { aggregator, poller, parts, earlier } = event.observation;
        const key = surfaceKey(aggregator, poller, "");
        const isAll = earlier === undefined;
        if (isAll && isPollerWell(policy, state, polled))
          shown.set(key, { parts, polled, keys: keysRead(policy, event.observation) });
        else shown.delete(key);
      } else shown.clear();
    },
    adopt: (adopted) => {
      policy = adopted;
      isUnjudged = isFreshnessUnjudged(adopted) && adopted.notify.channels.length === 0;
      shown.clear();
    },
  };
}

const OF_ALERTS: ReadonlySet<StateTable> = new Set(["alert", "became_bad", "counter"] as const);

function isOfAlertsAlone({ changes, effects }: StepResult): boolean {
  return effects.length === 0 && changes.every(({ table }) => OF_ALERTS.has(table));
}

/** Whether a poll read everything, and its step requested nothing. The last polls of other pollers then stay valid. */
function isWhole({ origin, outcome }: Polled, { effects }: StepResult): boolean {
  return origin === "poll" && outcome === "complete" && effects.length === 0;
}

/** Whether the same surfaces gave the very same readings. */
function isSame(before: readonly Part[], parts: readonly Part[]): boolean {
  if (before.length !== parts.length) return false;
  return parts.every(({ surface, reading }, index) => {
    const known = before[index];
    return known !== undefined && known.reading === reading && known.surface === surface;
  });
}
