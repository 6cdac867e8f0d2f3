import type { Signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { call, refusalOf } from "./session.ts";
import { signInFromField } from "./token-input.ts";
import type { Backtest } from "../data/answers.ts";

const PATH = "api/v1/backtest";
const ASKED_EACH_MS = 500;

/** A backtest; of one that is not shown here, as it replays other rules, only who runs it and how far it is. */
export type Shown = Backtest & { readonly isOther?: true };

/** What a view keeps while a person looks at another one, in which a backtest goes on. */
export type Kept = {
  readonly known: Signal<Shown | undefined>;
  /** The last that was started here, which is told from others' by its span. */
  own?: Pick<Backtest, "since" | "until">;
};

/** What a person has replayed. */
export type Replaying = {
  /** Undefined until the first is asked for here. */
  readonly status: Shown | undefined;
  readonly isRunning: boolean;
  /** Why it cannot be; empty if nothing is wrong. */
  readonly problem: string;
  readonly start: (asked: { since: string; until?: string; rules?: string }) => void;
  readonly cancel: () => void;
};

/** A backtest that is started here, and its progress. */
export function useBacktest(kept: Kept, isTrial = false): Replaying {
  const { known } = kept;
  const [problem, setProblem] = useState("");
  const askFor = async (method: string, body?: unknown): Promise<void> => {
    // The token in the field may be half typed, so only a press of the button takes it.
    const refused = method === "GET" ? undefined : await signInFromField();
    const answer = refused ?? (await asked(method, body));
    if (typeof answer !== "string") {
      if (method === "POST") kept.own = answer;
      const shown = shownOf(answer, kept.own, isTrial);
      // Why there is none of one's own is said for as long as it holds.
      if (!isRunningOther(shown)) setProblem(shown.problem ?? "");
      known.value = shown;
      return;
    }
    setProblem(answer);
    if (method === "GET") known.value = undefined;
    if (method !== "POST" || refused !== undefined) return;
    // A backtest that runs already can be watched, and cancelled.
    const other = await asked("GET");
    if (typeof other !== "string" && other.state === "running")
      known.value = shownOf(other, kept.own, isTrial);
  };
  const status = known.value;
  const isRunning = status?.state === "running";
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setTimeout(() => void askFor("GET"), ASKED_EACH_MS);
    return () => clearTimeout(timer);
  }, [status]);
  return {
    status,
    isRunning,
    problem,
    start: (body) => void askFor("POST", body),
    cancel: () => void askFor("DELETE"),
  };
}

function isRunningOther({ state, isOther }: Shown): boolean {
  return isOther === true && state === "running";
}

/** All replays by the rules in force are alike; rules that are tried are those of one person. */
function shownOf(answer: Backtest, own: Kept["own"], isTrial: boolean): Shown {
  const { since, until, tried } = answer;
  const isOwn = own?.since === since && own.until === until;
  if (isOwn || (!isTrial && tried === null)) return answer;
  return { ...answer, problem: null, result: null, isOther: true };
}

/** The status, or why there is none. */
async function asked(method: string, body?: unknown): Promise<Backtest | string> {
  const answer = await call<Backtest>(method, PATH, body);
  return answer.ok ? answer.value : refusalOf(answer);
}
