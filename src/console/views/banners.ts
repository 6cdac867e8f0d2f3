import { html, type Markup } from "../element.ts";
import type { OverviewJson } from "../data/answers.ts";
import { shownStorms } from "../../domain/shown/acting.ts";
import { unkill, unquarantine } from "../operate/operations.ts";
import { OperateButton } from "../operate/buttons.ts";
import { Banner, Clock, Since } from "../parts/small.ts";
import { counted } from "../text/words.ts";

/** What must be seen first: aggwatch itself is not well, nothing is sent, a channel is down. */
export function Banners({ status }: { readonly status: OverviewJson }): Markup {
  const { replica, notices, killed, quarantines, channels } = status;
  return html`${replica !== null && html`<p class="quiet replica">${replica}</p>`}
  ${notices.map((notice) => html`<${Banner}>${notice}<//>`)}
  ${killed.map(
    ({ source, since, by, reason }) =>
      html`<${Banner}
        aside=${source === "operator" && html`<${OperateButton} operation=${unkill}>Release<//>`}
        >No action is sent: the kill switch is on (${source}) since <${Clock} at=${since} />${" "}
        by ${by}: ${reason}<//
      >`,
  )}
  ${shownStorms(status).map(
    ({ rule, aggregator, since, detail, ramp }) =>
      html`<${Banner} tone="warning"
        >${rule === "*" ? "All rules" : `${rule} on ${aggregator}`}:${" "}
        ${
          ramp === null
            ? html`a storm, nothing is sent since <${Clock} at=${since} />`
            : html`acting grows slowly until <${Clock} at=${ramp.until} />, now ${ramp.allowed} an
                interval`
        }:
        ${detail}<//
      >`,
  )}
  ${quarantines.map(
    ({ entity, since, reason }) =>
      html`<${Banner}
        tone="warning"
        aside=${html`<${OperateButton} operation=${() => unquarantine(entity)}>End it<//>`}
        >Quarantine: ${entity} has been left alone since <${Clock} at=${since} />: ${reason}<//
      >`,
  )}
  ${channels
    .filter(({ failing_since: failing }) => failing !== null)
    .map(
      ({ name, failing_since: failing, waiting, last_error: why }) =>
        html`<${Banner}
          >No notification has reached ${name} for <${Since} at=${failing} />:${" "}
          ${why ?? "it is not known why"}. ${counted(waiting, "notification")} waiting.<//
        >`,
    )}`;
}
