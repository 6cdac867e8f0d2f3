import type { Signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { call, refusalOf } from "./session.ts";
import { signInFromField } from "./token-input.ts";
import type { BacktestJson } from "../data/answers.ts";

const PATH = "api/v1/backtest";
const ASKED_EACH_MS = 500;

/** A backtest; of one that is not shown here, as it replays other rules, only who runs it and how far it is. */
export type Shown = BacktestJson & { readonly isOther?: true };

/** What a view keeps while a person looks at another one, in which a backtest goes on. */
export type Kept = {
  readonly known: Signal<Shown | undefined>;
  /**
   * By id, the rules of those that were started here, or whose answer was lost: so they are told from others'. Empty for
   * the rules in force.
   */
  readonly own: Map<string, string>;
};

type Asked = { readonly since: string; readonly until?: string; readonly rules?: string };

/** What a person has replayed. */
export type Replaying = {
  /** Undefined until the first is asked for here. */
  readonly status: Shown | undefined;
  readonly isRunning: boolean;
  /** Why it cannot be; empty if nothing is wrong. */
  readonly problem: string;
  readonly start: (asked: Asked) => void;
  readonly cancel: () => void;
};

/** A backtest that is started here, and its progress. */
export function useBacktest(kept: Kept, isTrial = false): Replaying {
  const { known } = kept;
  const [problem, setProblem] = useState("");
  const show = (answer: BacktestJson): void => {
    const shown = shownOf(answer, kept.own, isTrial);
    // Why there is none of one's own is said for as long as it holds.
    if (!isRunningOther(shown)) setProblem(shown.problem ?? "");
    known.value = shown;
  };
  const askFor = async (method: "GET" | "DELETE"): Promise<void> => {
    // The token in the field may be half typed, so only a press of the button takes it.
    const refused = method === "GET" ? undefined : await signInFromField();
    const answer = refused ?? (await asked(method));
    if (typeof answer !== "string") return show(answer);
    setProblem(answer);
    if (method === "GET") known.value = undefined;
    return undefined;
  };
  const start = async (body: Asked): Promise<void> => {
    const refused = await signInFromField();
    if (refused !== undefined) return setProblem(refused);
    const id = newId();
    kept.own.set(id, body.rules ?? "");
    const answer = await asked("POST", { ...body, id });
    if (typeof answer !== "string") return show(answer);
    setProblem(answer);
    const now = await asked("GET");
    if (typeof now === "string") return undefined;
    // It may have begun though its answer was lost. Another that runs already can be watched, and cancelled.
    if (now.id === id) show(now);
    else if (now.state === "running") known.value = shownOf(now, kept.own, isTrial);
    return undefined;
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
    start: (body) => void start(body),
    cancel: () => void askFor("DELETE"),
  };
}

function isRunningOther({ state, isOther }: Shown): boolean {
  return isOther === true && state === "running";
}

/** All replays by the rules in force are alike; rules that are tried are those of one person. */
function shownOf(answer: BacktestJson, own: Kept["own"], isTrial: boolean): Shown {
  const { id, tried } = answer;
  const isOwn = id !== null && own.has(id);
  if (isOwn || (!isTrial && tried === null)) return answer;
  return { ...answer, problem: null, result: null, isOther: true };
}

/** Not `randomUUID`, which browsers offer over TLS and loopback alone. */
function newId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}

/** The status, or why there is none. */
async function asked(method: string, body?: unknown): Promise<BacktestJson | string> {
  const answer = await call<BacktestJson>(method, PATH, body);
  return answer.ok ? answer.value : refusalOf(answer);
}
