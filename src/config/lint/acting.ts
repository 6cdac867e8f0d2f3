import type { ASTNode } from "@marcbachmann/cel-js";
import { childrenOf } from "../cel/nodes.ts";
import { both, clausesOf, type Clause } from "./clauses.ts";
import { conditionsOf } from "./conditions.ts";
import type { LintCheck, LintedRule } from "./lint-check.ts";

export const actsOnLostData: LintCheck = {
  id: "lint/acts-on-lost-data",
  severity: "warning",
  means: "An action can be sent because data is missing.",
  why: "A missing fact or a failed poll says nothing about the entity, so it is no reason to repair it; a person should look.",
  mend: "Test the fact itself instead of its absence, add `has()` of it to `act.if`, or leave the action out.",
  find: (linted) => {
    const why = linted.rule.act === undefined ? undefined : whyLost(linted);
    return why === undefined ? [] : [{ path: ["act"], message: why }];
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
  for (const { node, positive } of clause) {
    const asked = askedFact(node);
    if (asked !== undefined && !positive && !isKnown.has(asked)) return asked;
    // Within a comparison or a loop, `has()` may stand for either.
    if (asked === undefined) {
      const hidden = hiddenQuestion(node);
      if (hidden !== undefined && !isKnown.has(hidden)) return hidden;
    }
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
