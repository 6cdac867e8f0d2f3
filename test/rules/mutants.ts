import { isMap, isSeq, parseDocument, type Document, type YAMLMap } from "yaml";
import { COMMON_FACTS } from "../../src/domain/entity.ts";
import { formatDuration, parseDuration } from "../../src/domain/time.ts";
import { kinds } from "../../src/pollers/kinds.ts";

/**
 * Mutants of a rule file: the same text with one small mistake in one rule, as a slip of the hand
 * would make it. The tests of the rules are to notice every one.
 */
export type Mutant = {
  readonly alert: string;
  /** What was changed, as `for: 2m -> 1m`. */
  readonly change: string;
  readonly text: string;
};

type Change = { readonly what: string; readonly apply: (rule: YAMLMap) => void };

export function mutantsOf(text: string): readonly Mutant[] {
  const original = parseDocument(text);
  const rules = rulesIn(original);
  return rules.flatMap((rule, index) => {
    const alert = String(rule.get("alert"));
    return changesOf(rule).map(({ what, apply }): Mutant => {
      const document = original.clone();
      const copy = rulesIn(document)[index];
      if (copy === undefined) throw new Error(`the rule ${alert} is not there`);
      apply(copy);
      return { alert, change: what, text: document.toString() };
    });
  });
}

function rulesIn(document: Document): YAMLMap[] {
  const groups = document.get("groups");
  if (!isSeq(groups)) return [];
  return groups.items.flatMap((group) => {
    const rules = isMap(group) ? group.get("rules") : undefined;
    return isSeq(rules) ? rules.items.filter((rule) => isMap(rule)) : [];
  });
}

function changesOf(rule: YAMLMap): Change[] {
  const kind = String(rule.get("each"));
  return [
    ...expressionChanges(rule, ["when"], kind),
    ...expressionChanges(rule, ["act", "if"], kind),
    ...durationChanges(rule, ["for"]),
    ...durationChanges(rule, ["keep_firing_for"]),
    ...removal(rule, ["for"]),
    ...(rule.has("keep_firing_for")
      ? removal(rule, ["keep_firing_for"])
      : [setting(rule, ["keep_firing_for"], "1m")]),
    ...others(rule, ["labels", "severity"], ["critical", "warning", "info"]),
    ...windowChanges(rule, kind),
    ...actChanges(rule),
  ];
}

function actChanges(rule: YAMLMap): Change[] {
  if (!rule.has("act")) return [];
  const irreversible = rule.getIn(["act", "action"]) === "force_cancel_order";
  const mode = rule.getIn(["act", "mode"]) ?? (irreversible ? "propose" : "act");
  return [
    ...removal(rule, ["act"]),
    ...removal(rule, ["act", "if"]),
    ...["shadow", "propose", "act"]
      .filter((other) => other !== mode)
      .map((other) => setting(rule, ["act", "mode"], other)),
    ...numberChanges(rule, ["act", "attempts"]),
    ...durationChanges(rule, ["act", "cooldown"]),
    ...durationChanges(rule, ["act", "verify_within"]),
    ...numberChanges(rule, ["act", "budget", "max"]),
    ...durationChanges(rule, ["act", "budget", "per"]),
  ];
}

function windowChanges(rule: YAMLMap, kind: string): Change[] {
  const windows = rule.get("with");
  if (!isMap(windows)) return [];
  return windows.items.flatMap(({ key, value }) => {
    if (!isMap(value)) return [];
    const name = String(key);
    const own = value.items.map((item) => String(item.key)).filter((word) => word !== "fact");
    const fact = String(value.get("fact"));
    return own.flatMap((word) => {
      const length = value.get(word);
      const renamed = ["max", "min", "avg", "offset"].filter((other) => other !== word);
      return [
        ...durationChanges(rule, ["with", name, word]),
        ...others(rule, ["with", name, "fact"], sameType(kind, fact)),
        ...renamed.map((other) => ({
          what: `with.${name}: ${word} -> ${other}`,
          apply: (copy: YAMLMap): void => {
            copy.deleteIn(["with", name, word]);
            copy.setIn(["with", name, other], length);
          },
        })),
      ];
    });
  });
}

type Path = readonly string[];

function setting(rule: YAMLMap, path: Path, value: unknown): Change {
  const before = rule.getIn(path);
  return {
    what: `${path.join(".")}: ${JSON.stringify(before ?? "none")} -> ${JSON.stringify(value)}`,
    apply: (copy) => copy.setIn(path, value),
  };
}

function removal(rule: YAMLMap, path: Path): Change[] {
  if (!rule.hasIn(path)) return [];
  return [{ what: `${path.join(".")} dropped`, apply: (copy) => void copy.deleteIn(path) }];
}

function others(rule: YAMLMap, path: Path, values: readonly string[]): Change[] {
  const before = rule.getIn(path);
  if (before === undefined) return [];
  return values.filter((value) => value !== before).map((value) => setting(rule, path, value));
}

function durationChanges(rule: YAMLMap, path: Path): Change[] {
  const length = parseDuration(String(rule.getIn(path)));
  if (length === undefined || length === 0) return [];
  return [length / 2, length * 2].map((other) => setting(rule, path, formatDuration(other)));
}

function numberChanges(rule: YAMLMap, path: Path): Change[] {
  const value = rule.getIn(path);
  if (typeof value !== "number") return [];
  return [value - 1, value + 1]
    .filter((other) => other >= 1)
    .map((other) => setting(rule, path, other));
}

function expressionChanges(rule: YAMLMap, path: Path, kind: string): Change[] {
  const source = rule.getIn(path);
  if (typeof source !== "string") return [];
  const windows = rule.get("with");
  const names = isMap(windows) ? windows.items.map(({ key }) => String(key)) : [];
  const changed = [`!(${source})`, ...halves(source), ...replacements(source, kind, names)];
  return changed.map((other) => ({
    what: `${path.join(".")}: ${source} -> ${other}`,
    apply: (copy) => copy.setIn(path, other),
  }));
}

/** What is left where one side of an "and" or "or" is forgotten; none of our rules nests them. */
function halves(source: string): string[] {
  const sides = source.split(/ (?:&&|\|\|) /);
  return sides.length === 2 ? sides : [];
}

/** Every text with one operator, literal or fact of the expression replaced. */
function replacements(source: string, kind: string, windows: readonly string[]): string[] {
  const pattern = new RegExp(
    String.raw`"[^"]*"|\b${kind}\.(\w+)|[<>=!]=|[<>]|&&|\|\||!|\b\d+(?:\.\d+)?\b`,
    "g",
  );
  return [...source.matchAll(pattern)].flatMap((match) => {
    const [token, fact] = match;
    const isOfText = source
      .slice(match.index + token.length)
      .trimStart()
      .startsWith('"');
    const next =
      fact === undefined
        ? variantsOf(token, isOfText)
        : sameType(kind, fact, windows).map((name) => `${kind}.${name}`);
    return next.map(
      (other) => source.slice(0, match.index) + other + source.slice(match.index + token.length),
    );
  });
}

const COMPARISONS = ["==", "!=", "<", "<=", ">", ">="];

/** Nobody orders texts by a slip of the hand: of those, being the same is only negated. */
function variantsOf(token: string, isOfText: boolean): string[] {
  if (isOfText && token === "==") return ["!="];
  if (COMPARISONS.includes(token)) return COMPARISONS.filter((other) => other !== token);
  if (token === "&&") return ["||"];
  if (token === "||") return ["&&"];
  if (token === "!") return [""];
  if (token.startsWith('"')) return textVariants(token.slice(1, -1)).map((text) => `"${text}"`);
  const value = Number(token);
  return value === 0 ? ["1"] : [String(value / 2), String(value * 2), "0"];
}

function textVariants(text: string): string[] {
  const length = parseDuration(text);
  if (length === undefined) return [`${text}x`];
  return [length / 2, length * 2].map(formatDuration);
}

/** The other facts that may stand in a fact's place; windowed ones are numbers. */
function sameType(kind: string, fact: string, windows: readonly string[] = []): string[] {
  const facts = Object.entries({ ...COMMON_FACTS, ...kinds.get(kind)?.facts });
  const type = facts.find(([name]) => name === fact)?.[1].type ?? "double";
  const names = facts.filter(([, other]) => other.type === type).map(([name]) => name);
  return [...names, ...(type === "double" ? windows : [])].filter((name) => name !== fact);
}
