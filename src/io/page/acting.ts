import { html } from "hono/html";
import type { ProposalStatus } from "../../core/explain/status-acting.ts";
import type { Status } from "../../core/explain/status.ts";
import { callText } from "../../core/act/shown.ts";
import { shownStorms, whoseOf, type Stops } from "../../domain/shown/acting.ts";
import { formatScope, type Silence } from "../../domain/hold.ts";
import { entityCell } from "./alerts.ts";
import type { operatorCalls } from "../api/operator-calls.ts";
import { HOW_TO_ENABLE } from "../api/tokens.ts";
import { ago, clock, factsText, length, section, table, type Markup } from "./parts.ts";

/** Proposals, overrides, storms and quarantines, with the commands that decide or end them. */

/** Banners about acting: storms and quarantines. */
export function actingBanners(
  status: Pick<Status, "storms" | "quarantines"> & Stops,
): Array<{ text: string; isCalm?: true }> {
  return [
    ...shownStorms(status).map(({ rule, aggregator, since, detail, ramp }) => {
      const whose = whoseOf({ rule, aggregator });
      if (ramp === undefined) {
        return { text: `Storm: ${whose} sends nothing since ${clock(since)}: ${detail}` };
      }
      const text = `Acting by ${whose} grows slowly until ${clock(ramp.until)}, now ${ramp.allowed} an interval: ${detail}`;
      // It ends by itself.
      return { text, isCalm: true as const };
    }),
    ...status.quarantines.map(({ entity, since, reason }) => ({
      text: `Quarantine: ${entity} has been left alone since ${clock(since)}: ${reason}. To end it: ${command("unquarantine", entity)}`,
    })),
  ];
}

/** `isEnabled`: whether there is a tokens file, without which nobody can decide. */
export function proposalSection(status: Status, isEnabled: boolean): Markup {
  if (status.proposals.length === 0) return html``;
  return section(
    "Waiting for a person",
    html`${table(
      ["Proposal", "Action", "Entity", "Why", "What the other guards say", "To decide"],
      status.proposals.map((proposal) => [
        stateCell(status, proposal),
        sentCell(proposal),
        // To act by hand, a person needs the whole id.
        html`${entityCell(status, proposal.entity)}<br /><small>${proposal.entity.id}</small>`,
        whyCell(status, proposal),
        guardsCell(proposal),
        decideCell(proposal),
      ]),
    )}
    ${isEnabled ? "" : html`<p class="quiet">Nobody can decide: ${HOW_TO_ENABLE}.</p>`}`,
  );
}

function stateCell({ at }: Status, proposal: ProposalStatus): Markup {
  const { id, digest, state, approvals, approvalsNeeded, denial, proposedAt, expiresAt } = proposal;
  const who = denial === undefined ? approvals : [denial];
  const why = proposal.withdrawn?.why ?? proposal.because;
  // Notifications link to this id.
  return html`<span id="${id}">${id}: ${state}</span> <code>${digest}</code><br /><small
      >${why === undefined ? "" : html`${why}<br />`}${approvals.length} of ${approvalsNeeded}
      approvals${who.map(({ by, reason }) => html`; ${by}: ${reason}`)}<br />made
      ${ago(at, proposedAt)}${
        // A denial lasts as long as its alert.
        state === "denied" ? "" : html`, expires ${ago(at, expiresAt)} (${clock(expiresAt)})`
      }</small
    >`;
}

function sentCell({ action, shown, irreversible }: ProposalStatus): Markup {
  return html`${action}<br /><small
      >${callText(shown.call)}${irreversible ? "; cannot be undone" : ""}</small
    >`;
}

function whyCell(status: Status, proposal: ProposalStatus): Markup {
  const { rule, entity, shown, firedAt, unknownSince } = proposal;
  const unsure =
    unknownSince === undefined ? "" : `not sure for ${length(status.at - unknownSince)}: `;
  return html`${rule}<br /><small
      >fires${firedAt === undefined ? "" : ` for ${length(status.at - firedAt)}`};
      ${unsure}${factsText(status, entity.kind, shown.facts)}</small
    >`;
}

function guardsCell({ guards }: ProposalStatus): Markup {
  const others = guards.filter(({ reason }) => reason !== "approval");
  const objecting = others.filter(({ objects }) => objects);
  if (others.length === 0) return html`<small>not known: its rule or entity is gone</small>`;
  if (objecting.length === 0) return html`<small>none of ${others.length} objects</small>`;
  return html`<small
    >${objecting.map(({ reason, detail }) => html`${reason}: ${detail}<br />`)}</small
  >`;
}

function decideCell({ id, digest, state }: ProposalStatus): Markup {
  if (state === "withdrawn") return html`<small>withdrawn: it cannot be approved</small>`;
  if (state === "denied") return html`<small>denied while this alert lasts</small>`;
  if (state === "approved") return html`<code>${command("deny", id)}</code>`;
  return html`<code>${command("approve", id, ` --digest ${digest}`)}</code><br /><code
      >${command("deny", id)}</code
    >`;
}

/** The command line, to copy. */
function command(name: keyof typeof operatorCalls, subject: string, options = ""): string {
  const word = /^[\w./-]+$/.test(subject) ? subject : `'${subject.replaceAll("'", `'\\''`)}'`;
  return `aggwatch ${name} ${word}${options} --reason "why"`;
}

export function overrideSection({ holds, silences, at }: Status): Markup {
  if (holds.length + silences.length === 0) return html``;
  const row = (what: string, end: "release" | "unsilence") => (one: Silence) => [
    `${what} ${one.id}`,
    formatScope(one.scope),
    one.owner,
    one.reason,
    `${ago(at, one.until)} (${clock(one.until)})`,
    html`<code>${command(end, one.id)}</code>`,
  ];
  return section(
    "Holds and silences",
    html`${table(
        ["What", "Covers", "Owner", "Reason", "Ends", "To end it now"],
        [...holds.map(row("hold", "release")), ...silences.map(row("silence", "unsilence"))],
      )}
      <p class="quiet">
        A hold stops actions, not alerts. A silence stops notifications, not actions.
      </p>`,
  );
}
