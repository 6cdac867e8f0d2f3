import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { html, type Markup } from "../element.ts";
import { clock, view, zone } from "../data/store.ts";
import { TokenInput } from "../operate/token-input.ts";
import { valueOf } from "../parts/filters.ts";
import { Clock, Quiet, Section } from "../parts/small.ts";
import { fieldText, HOUR, instantOf } from "../text/time.ts";
import { BacktestResult } from "./backtest-result.ts";
import { useBacktest, type Kept, type Replaying, type Shown } from "../operate/use-backtest.ts";

/** What came of the last one: it stays while a person looks at what it found. */
const kept: Kept = { known: signal(undefined), own: new Map() };

/** What today's rules would have done: asks for a backtest, shows how far it is, and what differs. */
export function BacktestView(): Markup {
  const replaying = useBacktest(kept);
  const { since = "" } = view.value.filters;
  const submit = (event: Event): void => {
    event.preventDefault();
    const of = new FormData(event.currentTarget as HTMLFormElement);
    const instant = (name: string): string =>
      new Date(instantOf(of.get(name) as string, zone.value)).toISOString();
    replaying.start({ since: instant("since"), until: instant("until") });
  };
  return html`<${Section} title="What today's rules would have done">
    <${Quiet}
      >What was read then is replayed by the rules and settings in force, beside what was really
      found. Nothing is sent.<//
    >
    <${Form} key=${since} since=${since} onSubmit=${submit} isRunning=${replaying.isRunning} />
    <${Replayed} replaying=${replaying} />
  <//>`;
}

/** How far a backtest is, and what came of it. */
export function Replayed(properties: {
  readonly replaying: Replaying;
  /** By rules that are tried. */
  readonly isTrial?: boolean;
}): Markup {
  const { replaying, isTrial = false } = properties;
  const { status, isRunning, problem, cancel } = replaying;
  return html`${
      isRunning &&
      html`${status?.isOther === true && html`<${Other} status=${status} />`}
        <p class="buttons">
          <progress value=${status?.progress} aria-label="Replayed"></progress>
          <button type="button" onClick=${cancel}>Cancel</button>
        </p>`
    }
    <output class="bad" role="status">${problem}</output>
    ${status?.state === "cancelled" && html`<${Quiet}>It was cancelled.<//>`}
    ${
      status !== undefined &&
      status.result !== null &&
      html`<p>
          From <${Clock} at=${status.result.since} /> to <${Clock} at=${status.result.until} />:
        </p>
        <${BacktestResult} result=${status.result} isTrial=${isTrial} />`
    }`;
}

/** Somebody else replays other rules, whose result would be taken for that of one's own. */
function Other({ status: { by, tried } }: { readonly status: Shown }): Markup {
  const rules = tried === null ? "the rules in force" : tried.join(", ");
  return html`<${Quiet}><b>${by}</b> replays ${rules}.<//>`;
}

function Form(properties: {
  /** Empty: an hour ago. */
  readonly since: string;
  readonly onSubmit: (event: Event) => void;
  readonly isRunning: boolean;
}): Markup {
  const { since, onSubmit, isRunning } = properties;
  const [span, setSpan] = useState(() => {
    const until = clock.peek();
    return { since: Number.isNaN(Date.parse(since)) ? until - HOUR : Date.parse(since), until };
  });
  const field = (name: keyof typeof span, label: string): Markup =>
    html`<label
      >${label} (${zone.value})
      <input
        type="datetime-local"
        name=${name}
        step="1"
        required
        value=${fieldText(span[name], zone.value)}
        onChange=${(event: Event) => {
          const at = instantOf(valueOf(event), zone.value);
          if (!Number.isNaN(at)) setSpan({ ...span, [name]: at });
        }}
    /></label>`;
  return html`<form class="try" onSubmit=${onSubmit}>
    <p class="buttons">${field("since", "From")} ${field("until", "to")}</p>
    <${TokenInput} />
    <p class="buttons">
      <button type="submit" class="act" disabled=${isRunning}>
        ${isRunning ? "Replaying …" : "Replay"}
      </button>
    </p>
  </form>`;
}
