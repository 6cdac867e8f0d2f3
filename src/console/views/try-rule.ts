import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { html, type Markup } from "../element.ts";
import type { TrialJson } from "../data/answers.ts";
import { clock } from "../data/store.ts";
import { call, refusalOf } from "../operate/session.ts";
import { signInFromField, TokenInput } from "../operate/token-input.ts";
import { valueOf } from "../parts/filters.ts";
import { Badge, Banner, Quiet, Section } from "../parts/small.ts";
import { HOUR } from "../text/time.ts";
import { counted } from "../text/words.ts";
import { Replayed } from "./backtest.ts";
import { Tried } from "./tried.ts";
import { useBacktest, type Kept } from "../operate/use-backtest.ts";

/** What is in the editor: it stays while a person looks at another view. */
export const draft = signal(`groups:
  - name: mine
    rules:
      - alert: MyRule
        each: exchange
        when: exchange.status == "disabled"
        labels: { severity: warning }
        annotations: { summary: An exchange is disabled. }
`);

/** What came of the last replay. */
const kept: Kept = { known: signal(undefined), own: new Map() };

const LENGTHS = [
  { length: HOUR, said: "the last hour" },
  { length: 24 * HOUR, said: "the last day" },
];

/** Tries a rule on all that is known now, or on the last day: what is wrong with it, what it would find, and what it would do. */
export function TryRuleView(): Markup {
  const [trial, setTrial] = useState<{ rules: string; found: TrialJson } | undefined>();
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);
  const replaying = useBacktest(kept, true);
  const replayed = kept.own.get(replaying.status?.id ?? "");
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setProblem("");
    const rules = draft.value;
    const found = await tried(rules);
    if (typeof found === "string") setProblem(found);
    else setTrial({ rules, found });
    setBusy(false);
  };
  return html`<${Section} title="Try a rule">
    <${Quiet}
      >It is judged on all that is known now, or on what was recorded, as if no other rule were in
      force. Nothing of it is kept, and nothing comes of it.<//
    >
    <form class="try" onSubmit=${submit}>
      <label for="rule-text">A rule file, as YAML</label>
      <textarea
        id="rule-text"
        rows="14"
        spellcheck="false"
        value=${draft.value}
        onInput=${(event: Event) => {
          draft.value = valueOf(event);
        }}
      ></textarea>
      <${TokenInput} />
      <p class="buttons">
        <button type="submit" class="act" disabled=${isBusy}>
          ${isBusy ? "Trying …" : "Try it on what is known now"}
        </button>
        ${LENGTHS.map(
          ({ length, said }) =>
            html`<button
              type="button"
              disabled=${replaying.isRunning}
              onClick=${() => replaying.start({ since: before(length), rules: draft.value })}
            >
              on ${said}
            </button>`,
        )}
      </p>
      <output class="bad" role="status">${problem}</output>
    </form>
    ${
      trial !== undefined && html`<${Old} rules=${trial.rules} /><${Result} trial=${trial.found} />`
    }
    ${replaying.status?.result && html`<${Old} rules=${replayed} />`}
    <${Replayed} replaying=${replaying} isTrial />
  <//>`;
}

function before(length: number): string {
  return new Date(clock.value - length).toISOString();
}

/** What is below is of these rules, and the editor may have others by now. */
function Old({ rules }: { readonly rules: string | undefined }): Markup | undefined {
  if (rules === draft.value) return undefined;
  return html`<${Banner} tone="warning"
    >The text was changed since: what is below is of the text as it was before.<//
  >`;
}

/** The answer, or why there is none. */
async function tried(rules: string): Promise<TrialJson | string> {
  const refused = await signInFromField();
  if (refused !== undefined) return refused;
  const answer = await call<TrialJson>("POST", "api/v1/try-rule", { rules });
  return answer.ok ? answer.value : refusalOf(answer);
}

function Result({ trial }: { readonly trial: TrialJson }): Markup {
  const { problems, rules } = trial;
  return html`${problems.map(
    ({ severity, rendered }) =>
      html`<div class="card problem">
        <${Badge} word=${severity} tone=${severity === "error" ? "bad" : "pending"} />
        <pre tabindex="0">${rendered}</pre>
      </div>`,
  )}
  ${rules.map((rule) => html`<${RuleResult} key=${rule.alertname} rule=${rule} />`)}`;
}

function RuleResult({ rule }: { readonly rule: TrialJson["rules"][number] }): Markup {
  const { alertname, kind, counts, action, bad, unknown, ok } = rule;
  const many = counted(counts.bad, kind);
  return html`<article class="card">
    <h3>${alertname}</h3>
    <p>
      It would find <b>${many}</b> bad now, ${counts.unknown} unknown, and ${counts.ok} ok.
      ${
        action !== null &&
        html`Its action is <b>${action.name}</b> (${action.mode})${
            action.is_storm && html`; <b>that is a storm, in which none is repaired</b>`
          }.`
      }
    </p>
    <${Tried} truth="bad" all=${counts.bad} tried=${bad} />
    <${Tried} truth="unknown" all=${counts.unknown} tried=${unknown} />
    <${Tried} truth="ok" all=${counts.ok} tried=${ok} />
  </article>`;
}
