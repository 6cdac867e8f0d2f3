import type { ASTNode } from "@marcbachmann/cel-js";
import { childrenOf } from "../cel/nodes.ts";
import { both, clausesOf, conditionsOf, type Clause } from "./clauses.ts";
import { isWritten, type LintCheck, type LintedRule } from "./lint-check.ts";

/** Whether a rule acts with good reason, and with care. */

export const actsOnLostData: LintCheck = {
  id: "lint/acts-on-lost-data",
  means: "An action can be sent because data is missing.",
  why: "A missing fact or a failed poll says nothing about the entity, so it is no reason to repair it; a person should look.",
  mend: "Test the fact itself instead of its absence, add `has()` of it to `act.if`, or leave the action out.",
  find: (linted) => {
    const why = linted.rule.act === undefined ? undefined : whyLost(linted);
    return why === undefined ? undefined : { path: ["act"], message: why };
  },
};

function whyLost(linted: LintedRule): string | undefined {
  if (linted.rule.kind === "poller")
    return "the rule judges a poller, so it acts when data is lost";
  const [when, condition] = conditionsOf(linted).map(({ ast }) => ast);
  if (when === undefined) return undefined;
  const clauses = both(clausesOf(when), condition === undefined ? [[]] : clausesOf(condition));
  if (clauses === undefined) return undefined;
  const lost = clauses.map(missingFact).find((name) => name !== undefined);
  return lost === undefined ? undefined : `the action can be sent because ${lost} is not known`;
}

/** A fact that must be missing if the condition is true in this way. */
function missingFact(clause: Clause): string | undefined {
  const isKnown = new Set(
    clause.flatMap(({ node, positive }) => (positive ? (askedFact(node) ?? []) : [])),
  );
  for (const { node } of clause) {
    // Within a comparison or a loop, `has()` may stand for either.
    const asked = askedFact(node) ?? hiddenQuestion(node);
    if (asked !== undefined && !isKnown.has(asked)) return asked;
  }
  return undefined;
}

function askedFact(node: ASTNode): string | undefined {
  if (node.op !== "call" || node.args[0] !== "has") return undefined;
  const [argument] = node.args[1];
  return argument === undefined ? undefined : textOf(argument);
}

function hiddenQuestion(node: ASTNode): string | undefined {
  for (const child of childrenOf(node)) {
    const found = askedFact(child) ?? hiddenQuestion(child);
    if (found !== undefined) return found;
  }
  return undefined;
}

function textOf(node: ASTNode): string {
  return node.input.slice(node.start, node.end);
}

export const forceCancelActs: LintCheck = {
  id: "lint/force-cancel-acts",
  means: "An action that cannot be undone is sent without an approval.",
  why: "A forced cancel is final. If the data is misleading, it cannot be stopped.",
  mend: "Write `mode: propose`, or say in an ignore comment who decided that no approval is needed.",
  find: ({ rule: { act } }, { actions }) =>
    act?.mode === "act" && actions.get(act.action)?.irreversible === true
      ? {
          path: ["act", "mode"],
          message: `"${act.action}" cannot be undone, and needs no approval`,
          hint: "write mode: propose",
        }
      : undefined,
};

export const noVerifyWithin: LintCheck = {
  id: "lint/no-verify-within",
  means: "An action does not say how soon its effect must be seen.",
  why: "An action counts as failed if its effect is not seen within `verify_within`. The right time differs between deployments, so choose it deliberately.",
  mend: "Write `verify_within`, at least as long as two polls of the kind that the rule judges.",
  find: (linted) =>
    linted.rule.act === undefined || isWritten(linted, ["act", "verify_within"])
      ? undefined
      : {
          path: ["act"],
          message: "the action does not say how soon its effect must be seen",
          hint: "write verify_within: 1m",
        },
};
