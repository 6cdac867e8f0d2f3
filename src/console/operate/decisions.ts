import { html } from "../element.ts";
import type { Guard, Proposal } from "../data/answers.ts";
import { overview } from "../data/store.ts";
import { Ago, Since } from "../parts/small.ts";
import { nameOf } from "../text/words.ts";
import { FactList } from "../parts/facts.ts";
import type { Operation } from "./operation.ts";

/** Approving and denying a proposal. */

export function decision(proposal: Proposal, verb: "Approve" | "Deny"): Operation {
  const { id, digest } = proposal;
  const call = verb.toLowerCase();
  return {
    title: `${verb} ${id}`,
    verb,
    needs: "approve",
    method: "POST",
    path: `api/v1/proposals/${encodeURIComponent(id)}/${call}`,
    isIrreversible: verb === "Approve" && proposal.irreversible,
    about: () => {
      const current = presentOf(id, digest, verb);
      return current === undefined ? undefined : aboutOf(current);
    },
    gone: () => `It does not wait for this decision any more${endOf(id, digest)}.`,
    // The digest is of what is shown here: something shown later is not approved by it.
    body: (_given, reason) => (verb === "Approve" ? { reason, digest } : { reason }),
  };
}

/** The proposal as it is now, if it still is what was shown and still waits for this decision. */
function presentOf(id: string, digest: string, verb: string): Proposal | undefined {
  const found = overview.value?.proposals.find((one) => one.id === id && one.digest === digest);
  const waits = verb === "Approve" ? ["waiting"] : ["waiting", "approved"];
  return found !== undefined && waits.includes(found.state) ? found : undefined;
}

/** What became of it, as far as the overview says. */
function endOf(id: string, digest: string): string {
  const found = overview.value?.proposals.find((one) => one.id === id);
  if (found === undefined) return ": it was carried out, or its alert has ended";
  const { denial, withdrawn, approvals, because } = found;
  if (withdrawn !== null) return `: it is withdrawn, as ${withdrawn.why}`;
  if (denial !== null) return `: ${denial.by} denied it (${denial.reason})`;
  if (found.digest !== digest)
    return `: it is another now${because === null ? "" : `, as ${because}`}`;
  return approvals.length === 0
    ? ""
    : `: it is approved by ${approvals.map(({ by }) => by).join(", ")}`;
}

function aboutOf(proposal: Proposal): ReturnType<Operation["about"]> {
  const { rule, entity, fired_at: firedAt, unknown_since: unknownSince } = proposal;
  return [
    ["Sends", html`<b>${proposal.action}</b> <code>${callText(proposal)}</code>`],
    [
      "On",
      html`1 ${entity.kind}:
        <b>${nameOf(entity.id, proposal.facts)}</b>
        ${nameOf(entity.id, proposal.facts) !== entity.id && html`<small>${entity.id}</small>`} on
        ${entity.aggregator}`,
    ],
    ["Because", html`${rule} fires${firedAt !== null && html` for <${Since} at=${firedAt} />`}`],
    ["Facts", html`<${FactList} facts=${proposal.facts} id=${entity.id} />`],
    [
      "Not sure",
      unknownSince !== null && html`what it shows was not seen for <${Since} at=${unknownSince} />`,
    ],
    ["Guards", html`<${GuardSummary} guards=${proposal.guards} />`],
    ["Approvals", approvalText(proposal)],
    ["Ends", html`<${Ago} at=${proposal.expires_at} />`],
  ];
}

/** The request that it will send: `enableExchange exchange=BINANCE`. */
export function callText({ call }: Proposal): string {
  const given = Object.entries(call.args).map(([name, value]) => `${name}=${value}`);
  return [call.endpoint, ...given].join(" ");
}

export function approvalText({ approvals, approvals_needed: needed, denial }: Proposal): string {
  if (denial !== null) return `denied by ${denial.by}: ${denial.reason}`;
  const who = approvals.map(({ by, reason }) => `${by}: ${reason}`);
  return [`${approvals.length} of ${needed}`, ...who].join("; ");
}

/** What the guards say, apart from the one that waits for this very decision. */
export function GuardSummary({ guards }: { readonly guards: readonly Guard[] }) {
  const others = guards.filter(({ guard }) => guard !== "approval");
  const objecting = others.filter(({ objects }) => objects);
  if (others.length === 0) return html`<span>not known: its rule or entity is gone</span>`;
  if (objecting.length === 0) return html`<span>none of ${others.length} objects</span>`;
  return html`<ul class="guards">
    ${objecting.map(({ guard, detail }) => html`<li><b>${guard}</b>: ${detail}</li>`)}
  </ul>`;
}
