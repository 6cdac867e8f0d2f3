import { createHash } from "node:crypto";
import type { ActionName } from "../../domain/action.ts";
import type { KindDefinition } from "../../domain/entity.ts";
import { madeOnce } from "../../domain/lists/changed-items.ts";
import type { Rule, RuleAction, Template } from "../../domain/rule.ts";
import { celLanguage, type CelLanguage } from "../cel/environment.ts";
import { compileCondition } from "../cel/cel.ts";
import type { Problem } from "../problem.ts";
import { actSchema, type ActText, type RuleText } from "./rule-schema.ts";
import { unknownWord, withinRule, type RulePlace, type Work } from "./rule-work.ts";
import { isMisspelt, isStandIn } from "../yaml/known-problems.ts";
import { compileTemplate } from "./template.ts";
import { compileDuring, onlyDuring } from "./during.ts";
import { compileWindows, windowNames } from "./compile-windows.ts";
import { lineAt, placerInScalar, problemAtPath } from "../yaml/yaml-source.ts";

/** What a rule needs to know of an action. */
export type RuleActions = { readonly kind: string; readonly irreversible: boolean };

/** What rules may name. */
export type Around = {
  readonly kinds: ReadonlyMap<string, KindDefinition>;
  /** What rules need to know of the actions. */
  readonly actions: ReadonlyMap<ActionName, RuleActions>;
};

/** The language of a kind; windowed facts are a rule's own. */
const languageOf = madeOnce((definition: KindDefinition) => celLanguage(definition));

/** A rule that was checked. `rule` is missing if it has problems. */
export type CompiledRule = {
  readonly alert: string;
  readonly enabled: boolean;
  readonly inhibitedBy: readonly string[];
  readonly aggregators: readonly string[] | undefined;
  readonly place: RulePlace;
  /** What its expressions are written in; missing if the kind is unknown. */
  readonly language: CelLanguage | undefined;
  readonly rule: Rule | undefined;
};

/** Compiles one rule whose shape is sound; adds what is wrong to `problems`. */
export function compileRule(
  text: RuleText,
  place: RulePlace,
  { kinds, actions }: Around,
  problems: Problem[],
): CompiledRule {
  const before = problems.length;
  const { alert, enabled, inhibited_by: inhibitedBy, aggregators } = text;
  const named = { alert, enabled, inhibitedBy, aggregators, place };
  const within = withinRule(place.group, isStandIn(place, ["alert"]) ? "" : text.alert);
  const report: Work["report"] = (path, { at, ...details }) => {
    if (isStandIn(place, path)) return;
    problems.push(
      problemAtPath(place.source, [...place.path, ...path], { ...details, within }, at),
    );
  };
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(text.alert))
    report(["alert"], {
      id: "rule/bad-name",
      message: `"${text.alert}" is not an alert name`,
      hint: "letters, digits and underscores, such as ExchangeDisabled",
    });
  const definition = kinds.get(text.each);
  if (definition === undefined) {
    report(["each"], unknownWord("rule/unknown-kind", "kind", text.each, [...kinds.keys()]));
    return { ...named, language: undefined, rule: undefined };
  }
  const windows = windowNames(place);
  const language = windows.size > 0 ? celLanguage(definition, windows) : languageOf(definition);
  const work: Work = {
    text,
    place,
    language,
    report,
    compile: (path, source, compiler) => {
      const compiled = compiler(language, source);
      if (compiled.ok) return compiled.value;
      if (isStandIn(place, path)) return undefined;
      const placed = placerInScalar(place.source, [...place.path, ...path]);
      for (const { start, end, ...details } of compiled.problem)
        problems.push(placed({ start, end }, { ...details, within }));
      return undefined;
    },
  };
  const rule = assemble(work, actions);
  const isSound = place.known.length === 0 && problems.length === before;
  return { ...named, language, rule: isSound ? rule : undefined };
}

function assemble(work: Work, actions: ReadonlyMap<ActionName, RuleActions>): Rule | undefined {
  const { text, place, language } = work;
  const windows = compileWindows(text.with, work);
  const condition = work.compile(["when"], text.when, compileCondition);
  const during = text.during && compileDuring(text.during);
  const { severity, ...otherLabels } = text.labels;
  if (severity !== undefined && (severity === "" || /[{}]/.test(severity)))
    work.report(["labels", "severity"], {
      id: "rule/severity",
      message: "severity must be plain text, without braces, because it labels a metric",
    });
  const labels = compileTemplates(work, "labels", otherLabels);
  const annotations = compileTemplates(work, "annotations", text.annotations);
  const act = text.act === undefined ? undefined : compileAct(work, text.act, actions);
  if (condition === undefined) return undefined;
  return {
    alert: text.alert,
    group: place.group,
    file: place.source.file,
    line: lineAt(place.source, place.path),
    kind: language.kind,
    ...(text.aggregators === undefined ? {} : { aggregators: text.aggregators }),
    windows,
    when: during === undefined ? condition : onlyDuring(condition, during),
    ...(during === undefined ? {} : { during }),
    forMs: text.for,
    keepFiringForMs: text.keep_firing_for,
    severity: severity ?? DEFAULT_SEVERITY,
    labels,
    annotations,
    inhibitedBy: text.inhibited_by,
    ...(act === undefined ? {} : { act }),
    hash: hashOf(text, act),
  };
}

/**
 * The hash of a rule as it was read, with defaults: spelling, comments, place and order do not count. Proposals keep it,
 * so it stays the same from version to version: the keys of the schema are in its order, and `mode: act` is left out.
 */
function hashOf(
  { alert: _name, enabled: _enabled, ...text }: RuleText,
  act: RuleAction | undefined,
): string {
  const acts = {
    ...text.act,
    mode: act?.mode === "act" ? undefined : act?.mode,
    attempts: act?.attempts,
  };
  const whole = {
    ...text,
    with: inOrder(text.with),
    labels: inOrder({ severity: DEFAULT_SEVERITY, ...text.labels }),
    annotations: inOrder(text.annotations),
    act: act && Object.fromEntries(ACT_KEYS.map((key) => [key, acts[key]])),
  };
  return createHash("sha256").update(JSON.stringify(whole)).digest("hex").slice(0, 16);
}

const DEFAULT_SEVERITY = "warning";
const ACT_KEYS = actSchema.keyof().options;

/** The same, with the shorter names first, then by their letters. */
function inOrder<Value>(named: Readonly<Record<string, Value>>): Record<string, Value> {
  const entries = Object.entries(named).toSorted(
    ([one], [other]) => one.length - other.length || (one < other ? -1 : 1),
  );
  return Object.fromEntries(entries);
}

/** What notifications and Prometheus label an alert with, whatever its rule says. */
const RESERVED_LABELS = new Set(["alertname", "aggregator", "alertstate", "kind", "entity"]);

function compileTemplates(
  work: Work,
  key: "labels" | "annotations",
  texts: Readonly<Record<string, string>>,
): Record<string, Template> {
  const templates: Record<string, Template> = {};
  for (const [name, source] of Object.entries(texts)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || name.startsWith("__"))
      work.report([key, name], {
        id: "rule/bad-label",
        message: `"${name}" is not a label name`,
        hint: "letters, digits and underscores, not starting with a digit or two underscores",
        at: "key",
      });
    else if (key === "labels" && RESERVED_LABELS.has(name))
      work.report([key, name], {
        id: "rule/bad-label",
        message: `the label "${name}" is set by aggwatch itself`,
        at: "key",
      });
    const template = work.compile([key, name], source, compileTemplate);
    if (template !== undefined) templates[name] = template;
  }
  return templates;
}

function compileAct(
  work: Work,
  text: ActText,
  actions: ReadonlyMap<ActionName, RuleActions>,
): RuleAction | undefined {
  const condition =
    text.if === undefined ? undefined : work.compile(["act", "if"], text.if, compileCondition);
  const during = text.during && compileDuring(text.during);
  const action = actions.get(text.action);
  if (action === undefined) {
    const known = [...actions.keys()];
    work.report(
      ["act", "action"],
      unknownWord("rule/unknown-action", "action", text.action, known),
    );
    return undefined;
  }
  if (action.kind !== work.text.each)
    work.report(["act", "action"], {
      id: "rule/wrong-kind",
      message: `the action "${text.action}" repairs ${action.kind}, and this rule judges ${work.text.each}`,
      hint: `write each: ${action.kind}, or leave out act`,
    });
  const attempts = text.attempts ?? (action.irreversible ? 1 : 3);
  if (action.irreversible && attempts > 1)
    work.report(["act", "attempts"], {
      id: "rule/attempts",
      message: `"${text.action}" cannot be undone, so it is tried once: attempts must be 1`,
    });
  if (text.budget === undefined) {
    if (isMisspelt(work.place, ["act", "budget"])) return undefined;
    work.report(["act"], {
      id: "rule/no-budget",
      message: "an action needs a budget",
      hint: "for example budget: { max: 5, per: 1h }",
      at: "key",
    });
    return undefined;
  }
  return {
    action: text.action,
    mode: text.mode ?? (action.irreversible ? "propose" : "act"),
    ...(condition === undefined ? {} : { condition }),
    ...(during === undefined ? {} : { during }),
    cooldownMs: text.cooldown,
    attempts,
    verifyWithinMs: text.verify_within,
    budget: text.budget,
    storm: {
      max: text.storm.max,
      maxRatio: text.storm.max_ratio,
      withinMs: text.storm.within,
    },
    approvals: text.approvals,
  };
}
