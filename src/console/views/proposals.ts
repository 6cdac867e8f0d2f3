import { useEffect } from "preact/hooks";
import { hashOf } from "../address.ts";
import { html, type Markup } from "../element.ts";
import type { OverviewJson, Proposal } from "../data/answers.ts";
import { view } from "../data/store.ts";
import { isOffered, OperateButton } from "../operate/buttons.ts";
import { approvalText, callText, decision, GuardSummary } from "../operate/decisions.ts";
import { ask, asked } from "../operate/operation.ts";
import { FactList } from "../parts/facts.ts";
import { Ago, Badge, EntityLink, Section, Since, Terms } from "../parts/small.ts";

/** What waits for a person; it is decided in place. */
export function Proposals({ status }: { readonly status: OverviewJson }): Markup | undefined {
  const { proposals, why_read_only: whyReadOnly } = status;
  const linked = view.value.filters["proposal"];
  const isOver = linked !== undefined && proposals.every(({ id }) => id !== linked);
  const over = isOver && html`<${OverProposal} id=${linked} />`;
  if (proposals.length === 0) return over || undefined;
  const [waiting, others] = [
    proposals.filter(({ state }) => state === "waiting"),
    proposals.filter(({ state }) => state !== "waiting"),
  ];
  return html`${over}<${Section} title="Waiting for a person" count=${waiting.length}>
      ${whyReadOnly !== null && html`<p class="quiet">Nobody can decide here: ${whyReadOnly}.</p>`}
      ${[...waiting, ...others].map(
        (proposal) => html`<${ProposalCard} key=${proposal.id} proposal=${proposal} />`,
      )}
    <//>`;
}

/** Who follows the link of an old notification is told where to look. */
function OverProposal({ id }: { readonly id: string }): Markup {
  const href = hashOf(["timeline"], { text: id });
  return html`<p class="banner">
    ${id} does not wait for a decision any more, or never did:${" "}
    <a href=${href}>the timeline says what became of it</a>.
  </p>`;
}

function ProposalCard({ proposal }: { readonly proposal: Proposal }): Markup {
  const { id, state, digest, rule, entity, unknown_since: unknownSince } = proposal;
  const why = proposal.withdrawn?.why ?? proposal.because;
  const isLinked = view.value.filters["proposal"] === id;
  // A user who follows the link of a notification came to decide. Closed, it stays closed.
  useEffect(() => {
    if (isLinked && state === "waiting" && asked.value === undefined && isOffered("approve"))
      ask(decision(proposal, "Approve"));
  }, [isLinked, id]);
  return html`<article id=${id} class=${`card proposal ${state} ${isLinked ? "linked" : ""}`}>
    <header>
      <${Badge} word=${state} />
      <b>${proposal.action}</b>
      <${EntityLink} entity=${entity} facts=${proposal.facts} />
      <span class="quiet">${entity.kind} on ${entity.aggregator}</span>
      <span class="buttons"><${DecideButtons} proposal=${proposal} /></span>
    </header>
    <${Terms}
      terms=${[
        [
          "Sends",
          html`<code>${callText(proposal)}</code>${
              proposal.irreversible && html` <strong class="bad">cannot be undone</strong>`
            }`,
        ],
        [
          "Because",
          html`${`${rule} fires`}${proposal.fired_at !== null && html` for <${Since} at=${proposal.fired_at} />`}${
              unknownSince !== null && html`; <b>not sure for <${Since} at=${unknownSince} /></b>`
            }: <${FactList} facts=${proposal.facts} id=${entity.id} />`,
        ],
        ["Guards", html`<${GuardSummary} guards=${proposal.guards} />`],
        [
          "Approvals",
          html`${approvalText(proposal)}; made <${Ago} at=${proposal.proposed_at} />, ends${" "}
            <${Ago} at=${proposal.expires_at} />${why !== null && `; ${why}`}`,
        ],
        [
          "By command",
          (state === "waiting" || state === "approved") &&
            html`<code>${commandOf(proposal)}</code>`,
        ],
      ]}
    />
    <span class="quiet">${id} · ${digest}</span>
  </article>`;
}

function DecideButtons({ proposal }: { readonly proposal: Proposal }): Markup {
  const { state } = proposal;
  if (state === "withdrawn") return html`<small>withdrawn: it cannot be approved</small>`;
  if (state === "denied") return html`<small>denied while this alert lasts</small>`;
  const button = (verb: "Approve" | "Deny") =>
    html`<${OperateButton}
      operation=${() => decision(proposal, verb)}
      tone=${verb === "Approve" ? "act" : ""}
      >${verb}<//
    >`;
  return html`${state === "waiting" && button("Approve")} ${button("Deny")}`;
}

function commandOf({ id, digest, state }: Proposal): string {
  if (state === "waiting") return `aggwatch approve ${id} --digest ${digest} --reason "why"`;
  return `aggwatch deny ${id} --reason "why"`;
}
