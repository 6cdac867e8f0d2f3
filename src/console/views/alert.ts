import { html, type Markup } from "../element.ts";
import type { AlertJson, Guard } from "../data/answers.ts";
import { linkTo, view } from "../data/store.ts";
import { useAnswer } from "../data/use-answer.ts";
import { OperateButton } from "../operate/buttons.ts";
import { override } from "../operate/operations.ts";
import { Sentence } from "../parts/sentence.ts";
import { Clock, EntityLink, Quiet, Section, Since, Terms } from "../parts/small.ts";
import { AlertBadge, alertText, resultText, stateSince } from "./alert-rows.ts";
import { History, Lifetimes, Told } from "./history.ts";
import { Runbook } from "./runbook.ts";
import { Why } from "./why.ts";

/** The page of one alert: notifications and chats can link to it. */
export function AlertView(): Markup {
  const [, alertname = "", aggregator = "", kind = "", id = ""] = view.value.path;
  const entity = { aggregator, kind, id };
  const scope = { ...entity, rule: alertname };
  const parts = [alertname, aggregator, kind, id].map(encodeURIComponent);
  const answer = useAnswer<AlertJson>(`api/v1/alerts/${parts.join("/")}`);
  if (answer === undefined) return html`<${Quiet}>Loading …<//>`;
  if (!answer.ok) return html`<p class="banner">${answer.problem}</p>`;
  const { alert, explanation, sentences, lifetimes, told, history, rule_text: rule } = answer.value;
  const about =
    alert === null
      ? undefined
      : html`<${About} alert=${alert} guards=${explanation?.action?.guards} />`;
  return html`<div class="pagehead">
      <div>
        <p class="quiet">
          <a href=${linkTo(["alerts"], { alertname })}>Alerts</a> of this rule, on${" "}
          <${EntityLink} entity=${entity} facts=${answer.value.entity?.facts} /> (${kind} on
          ${aggregator})
        </p>
        <h2>${alertname}</h2>
        ${about ?? html`<p>It is neither pending nor firing, and was not resolved lately.</p>`}
      </div>
      <p class="buttons">
        <${OperateButton} operation=${() => override("silence", scope)}>Silence<//>
        <${OperateButton} operation=${() => override("hold", scope)}>Hold<//>
      </p>
    </div>
    ${
      explanation !== null &&
      html`<${Section} title="Why">
        <div class="card"><${Why} explanation=${explanation} sentences=${sentences} /></div>
      <//>`
    }
    ${alert !== null && html`<${Runbook} annotations=${alert.annotations} />`}
    <${Told} told=${told} />
    <${Lifetimes} lifetimes=${lifetimes} />
    ${rule !== null && html`<${Section} title="Rule"><pre tabindex="0">${rule}</pre><//>`}
    <${History} history=${history} />`;
}

function About(properties: {
  readonly alert: NonNullable<AlertJson["alert"]>;
  readonly guards: readonly Guard[] | undefined;
}): Markup {
  const { alert, guards } = properties;
  const { active_at: active, fired_at: fired, resolved_at: resolved } = alert;
  const labels = Object.entries(alert.labels).map(
    ([name, value]) => html`<code>${name}=${value}</code> `,
  );
  return html`<p>
      <${AlertBadge} alert=${alert} /> ${alert.severity}, for${" "}
      <${Since} at=${stateSince(alert)} />: ${alertText(alert)}
    </p>
    <${Terms}
      terms=${[
        ["Bad since", html`<${Clock} at=${active} />`],
        ["Fired", fired !== null && html`<${Clock} at=${fired} />`],
        ["Resolved", resolved !== null && html`<${Clock} at=${resolved} />`],
        ["Done", html`<${Sentence} text=${resultText(alert, guards)} />`],
        ["Labels", labels.length > 0 && labels],
      ]}
    />`;
}
