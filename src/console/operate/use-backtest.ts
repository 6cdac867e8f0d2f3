import type { Signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { call, refusalOf } from "./session.ts";
import { signInFromField } from "./token-input.ts";
import type { Backtest } from "../data/answers.ts";

const PATH = "api/v1/backtest";
const ASKED_EACH_MS = 500;

/** What a person has replayed. */
export type Replaying = {
  /** Undefined until the first is asked for here. */
  readonly status: Backtest | undefined;
  readonly isRunning: boolean;
  /** Why it cannot be; empty if nothing is wrong. */
  readonly problem: string;
  readonly start: (asked: { since: string; until?: string; rules?: string }) => void;
  readonly cancel: () => void;
};

/**
 * A backtest that begins here, and how far it is. It goes on while a person looks at another view, and `known` is what
 * is known of it then.
 */
export function useBacktest(known: Signal<Backtest | undefined>): Replaying {
  const [problem, setProblem] = useState("");
  const askFor = async (method: string, body?: unknown): Promise<void> => {
    // Only what a person presses takes what stands in the field, which may not be all of it yet.
    const refused = method === "GET" ? undefined : await signInFromField();
    const answer = refused ?? (await asked(method, body));
    if (typeof answer !== "string") {
      setProblem(answer.problem ?? "");
      known.value = answer;
      return;
    }
    setProblem(answer);
    if (method === "GET") known.value = undefined;
    if (method !== "POST" || refused !== undefined) return;
    // What is under way already can be looked at, and cancelled.
    const other = await asked("GET");
    if (typeof other !== "string" && other.state === "running") known.value = other;
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

/** The status, or why there is none. */
async function asked(method: string, body?: unknown): Promise<Backtest | string> {
  const answer = await call<Backtest>(method, PATH, body);
  return answer.ok ? answer.value : refusalOf(answer);
}
