import type { LackingFact } from "../../io/probe/lacking-facts.ts";
import type { ProbedRule } from "../../io/probe/judge-once.ts";
import type { ProbeReport } from "../../io/probe/probe.ts";
import { plain, table } from "../table.ts";

/** Which rules can judge what was read, and what the others lack. */
export function ruleLines(
  { rules, facts }: ProbeReport,
  width: number | undefined,
): readonly string[] {
  if (rules.length === 0) return [];
  const lacking = facts.flatMap((one) => ["", ...factLines(one)]);
  return [
    "",
    ...table(
      ["rule", "kind", "read", "judged", "result"],
      rules.map((one) => [
        one.rule,
        one.kind,
        String(one.read),
        String(one.read - one.undecided - one.waiting),
        plain(resultOf(one)),
      ]),
      width,
    ),
    ...lacking.map(plain),
  ];
}

function resultOf({ verdict, why }: ProbedRule): string {
  switch (verdict) {
    case "judged":
      return "can be judged";
    case "blind":
      return `BLIND: ${why}`;
    case "waits":
      return `not yet: ${why}`;
    case "not_read":
      return `not read: ${why}`;
    case "not_tried":
      return `cannot be tried: ${why}`;
  }
}

function factLines(one: LackingFact): readonly string[] {
  const { kind, fact, read, given, rules, metrics, change } = one;
  const count = given === 0 ? `none of ${read}` : `${given} of ${read}`;
  const needing = [...rules, ...metrics];
  return [
    `${kind}.${fact}: given by ${count}`,
    `  needed by ${needing.length === 0 ? "no rule and no metric" : needing.join(", ")}`,
    `  change   ${change}`,
  ];
}

/** The last lines: what is right, what is not, and what could not be tried. */
export function verdictLines({ pollers, rules, facts }: ProbeReport): readonly string[] {
  const failed = pollers.filter(({ ok }) => !ok).map(({ name }) => name);
  const [blind, waiting, untried] = (["blind", "waits", "not_tried"] as const).map((wanted) =>
    rules
      .filter(({ verdict }) => verdict === wanted)
      .map(({ rule }) => rule)
      .join(", "),
  );
  const needed = facts.filter((fact) => fact.rules.length > 0);
  const changes = [...new Set(needed.map(({ change }) => change.split(":")[0]))].join(", ");
  const lines: string[] = [];
  if (failed.length > 0)
    lines.push(
      `Not read right: what ${failed.join(", ")} ${failed.length === 1 ? "needs" : "need"}. Nothing is concluded from it, and nothing repaired, until that is mended.`,
    );
  if (blind !== "")
    lines.push(
      `Blind: ${blind} can neither fire nor resolve on what is read. Set ${changes || "what is named above"}.`,
    );
  if (lines.length === 0)
    lines.push("All that the pollers need is read right, and no enabled rule is blind to it.");
  if (waiting !== "")
    lines.push(`Not known yet, because it follows from what is seen later: ${waiting}.`);
  if (untried !== "")
    lines.push(`Not tried, because nothing of the kind exists now or is asked for: ${untried}.`);
  return lines;
}

/** The rules and the lacking facts in `--json`. */
export function rulesJson({ rules, facts }: ProbeReport): object {
  return {
    rules: rules.map(({ rule, kind, read, undecided, waiting, verdict, why, lacks }) => ({
      alertname: rule,
      kind,
      read,
      judged: read - undecided - waiting,
      undecided,
      waiting,
      lacks,
      verdict,
      why,
    })),
    facts: facts.map(({ field, ...rest }) => ({ ...rest, field: field ?? null })),
  };
}
