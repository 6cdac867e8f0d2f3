import type { LackingFact } from "../../io/probe/lacking-facts.ts";
import type { ProbedRule } from "../../io/probe/judge-once.ts";
import type { ProbeReport } from "../../io/probe/probe.ts";
import { plain, table } from "../table.ts";

/** Which rules can judge what was read, and what is lacking of those that cannot. */
export function tellRules(
  { rules, facts }: ProbeReport,
  width: number | undefined,
): readonly string[] {
  if (rules.length === 0) return [];
  const lacking = facts.flatMap((one) => ["", ...tellFact(one)]);
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

function tellFact(one: LackingFact): readonly string[] {
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
  const blind = rules.filter(({ verdict }) => verdict === "blind").map(({ rule }) => rule);
  const of = (wanted: ProbedRule["verdict"]): string =>
    rules
      .filter(({ verdict }) => verdict === wanted)
      .map(({ rule }) => rule)
      .join(", ");
  const untried = of("not_tried");
  const waiting = of("waits");
  const changes = [
    ...new Set(
      facts.filter((fact) => fact.rules.length > 0).map(({ change }) => change.split(":")[0]),
    ),
  ].join(", ");
  return [
    ...(failed.length === 0
      ? []
      : [
          `Not read right: what ${failed.join(", ")} ${failed.length === 1 ? "needs" : "need"}. Nothing is concluded from it, and nothing repaired, until that is mended.`,
        ]),
    ...(blind.length === 0
      ? []
      : [
          `Blind: ${blind.join(", ")} can neither fire nor resolve on what is read. Set ${changes === "" ? "what is named above" : changes}.`,
        ]),
    ...(failed.length + blind.length > 0
      ? []
      : ["All that the pollers need is read right, and no enabled rule is blind to it."]),
    ...(waiting === ""
      ? []
      : [`Not known yet, as it follows from what is seen later: ${waiting}.`]),
    ...(untried === ""
      ? []
      : [`Not tried, as nothing of the kind exists now or is asked for: ${untried}.`]),
  ];
}

/** The rules and the lacking facts in `--json`. */
export function wireOfRules({ rules, facts }: ProbeReport): object {
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
