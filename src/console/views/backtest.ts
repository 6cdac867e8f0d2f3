import { useEffect, useState } from "preact/hooks";
import { html, type Markup } from "../element.ts";
import type { Backtest } from "../data/answers.ts";
import { write } from "../data/fetch.ts";
import { clock, view, zone } from "../data/store.ts";
import { session } from "../operate/session.ts";
import { signInFromField, TokenInput } from "../operate/token-input.ts";
import { Clock, Quiet, Section } from "../parts/small.ts";
import { fieldText, instantOf } from "../text/time.ts";
import { BacktestResult } from "./backtest-result.ts";

const PATH = "api/v1/backtest";
const HOUR = 3_600_000;
const ASKED_EACH_MS = 500;

/** What today's rules would have done: asks for a backtest, shows how far it is, and what differs. */
export function BacktestView(): Markup {
  const [status, setStatus] = useState<Backtest | undefined>();
  const [problem, setProblem] = useState("");
  const call = async (method: string, body?: unknown): Promise<void> => {
    const refused = await signInFromField();
    const answer = refused ?? (await asked(method, body));
    if (typeof answer === "string") return setProblem(answer);
    setProblem("");
    setStatus(answer);
  };
  const isRunning = status?.state === "running";
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setTimeout(() => void call("GET"), ASKED_EACH_MS);
    return () => clearTimeout(timer);
  }, [status]);
  const submit = (event: Event): void => {
    event.preventDefault();
    const of = new FormData(event.currentTarget as HTMLFormElement);
    const instant = (name: string): string =>
      new Date(instantOf(of.get(name) as string, zone.value)).toISOString();
    void call("POST", { since: instant("since"), until: instant("until") });
  };
  return html`<${Section} title="What today's rules would have done">
    <${Quiet}
      >What was read then is replayed by the rules and settings in force, beside what was really
      found. Nothing is sent.<//
    >
    <${Form} onSubmit=${submit} isRunning=${isRunning} />
    ${
      isRunning &&
      html`<p class="buttons">
        <progress value=${status.progress} aria-label="Replayed"></progress>
        <button type="button" onClick=${() => void call("DELETE")}>Cancel</button>
      </p>`
    }
    <output class="bad" role="status">${problem}${status?.problem}</output>
    ${status?.state === "cancelled" && html`<${Quiet}>It was cancelled.<//>`}
    ${
      status !== undefined &&
      status.result !== null &&
      html`<p>
          From <${Clock} at=${status.result.since} /> to <${Clock} at=${status.result.until} />:
        </p>
        <${BacktestResult} result=${status.result} />`
    }
  <//>`;
}

function Form(properties: {
  readonly onSubmit: (event: Event) => void;
  readonly isRunning: boolean;
}): Markup {
  const { onSubmit, isRunning } = properties;
  const since = Date.parse(view.value.filters["since"] ?? "");
  // Once, so that what a person writes is not replaced as time passes.
  const [until] = useState(clock.value);
  const field = (name: string, label: string, at: number): Markup =>
    html`<label
      >${label} (${zone.value})
      <input
        type="datetime-local"
        name=${name}
        step="1"
        required
        value=${fieldText(at, zone.value)}
    /></label>`;
  return html`<form class="try" onSubmit=${onSubmit}>
    <p class="buttons">
      ${field("since", "From", Number.isNaN(since) ? until - HOUR : since)}
      ${field("until", "to", until)}
    </p>
    <${TokenInput} />
    <p class="buttons">
      <button type="submit" class="act" disabled=${isRunning}>
        ${isRunning ? "Replaying …" : "Replay"}
      </button>
    </p>
  </form>`;
}

/** The status, or why there is none. */
async function asked(method: string, body: unknown): Promise<Backtest | string> {
  const answer = await write<Backtest>(method, PATH, session.value?.token ?? "", body);
  if (answer.ok) return answer.value;
  const { status, problem } = answer;
  return status === undefined ? `No answer: ${problem}` : `Refused (${status}): ${problem}`;
}
