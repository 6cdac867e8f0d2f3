import { html, type Markup } from "../element.ts";
import type { RulesJson } from "../data/answers.ts";
import { linkTo, view } from "../data/store.ts";
import { useAnswer } from "../data/use-answer.ts";
import { FilterBar } from "../parts/filters.ts";
import { Ago, Badge, Quiet } from "../parts/small.ts";
import { counted, grouped } from "../text/words.ts";
import { draft } from "./try-rule.ts";
import { Fold } from "./alert-groups.ts";

type Rule = RulesJson["rules"][number];

/** The rules in force: what each says, how much of what is read it can judge, and what it finds. */
export function RulesView(): Markup {
  const answer = useAnswer<RulesJson>("api/v1/rules?coverage=true");
  if (answer === undefined) return html`<${Quiet}>Loading …<//>`;
  if (!answer.ok) return html`<p class="banner">${answer.problem}</p>`;
  const words = (view.value.filters["text"] ?? "").toLowerCase().split(/\s+/);
  const rules = answer.value.rules.filter(({ text }) =>
    words.every((word) => (text ?? "").toLowerCase().includes(word)),
  );
  return html`<${FilterBar} label="Rules" said=${counted(rules.length, "rule")}>
      <a href=${linkTo(["try"])}>Try a rule</a>
      <a href=${linkTo(["backtest"])}>Replay the past</a>
    <//>
    ${rules.map((rule) => html`<${RuleFold} key=${rule.alertname} rule=${rule} />`)}`;
}

function RuleFold({ rule }: { readonly rule: Rule }): Markup {
  const { alertname, kind, severity, firing, pending, action, mode } = rule;
  const state = firing > 0 ? "firing" : pending > 0 ? "pending" : "quiet";
  const blind = rule.coverage.some(({ of }) => of.undecided > 0);
  return html`<${Fold}
    tone=${`${state} ${severity}`}
    summary=${html`<b class="rule">${alertname}</b>
      <span class="counts"
        >${firing + pending > 0 && `${grouped(firing)} firing, ${grouped(pending)} pending`}</span
      >
      ${blind && html`<${Badge} word="partly blind" tone="pending" />`}
      <span class="quiet"
        >${severity || "no severity"}, each
        ${kind}${action !== null && `, ${action} (${mode})`}</span
      >`}
    >${() => html`<${RuleBody} rule=${rule} />`}<//
  >`;
}

function RuleBody({ rule }: { readonly rule: Rule }): Markup {
  const { alertname, file, line, last_fired_at: fired, coverage, text } = rule;
  return html`<div>
    <p class="quiet">
      ${`${file}:${line}`}${fired !== null && html`, last fired <${Ago} at=${fired} />`} ·${" "}
      <a href=${linkTo(["alerts"], { alertname })}>its alerts</a> ·${" "}
      <a
        href=${linkTo(["try"])}
        onClick=${() => {
          draft.value = text ?? "";
        }}
        >try a change of it</a
      >
    </p>
    ${coverage.map(
      ({ aggregator, of }) =>
        html`<p key=${aggregator}>
          On ${aggregator} it judges ${grouped(of.read - of.undecided - of.waiting)} of${" "}
          ${counted(of.read, "entity", "entities")}.${" "}
          ${of.lacks.map(({ facts, entities }) => `${facts} is not known of ${grouped(entities)}. `)}
        </p>`,
    )}
    <pre tabindex="0">${text}</pre>
  </div>`;
}
