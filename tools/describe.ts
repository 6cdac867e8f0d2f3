import type { z } from "zod";
import { ACTION_NAMES } from "../src/domain/action.ts";
import { GUARDS } from "../src/core/act/guards/index.ts";
import { COMMON_FACTS } from "../src/domain/entity.ts";
import type { KindDefinition } from "../src/domain/entity.ts";
import { ruleSchema } from "../src/config/rules/rule-schema.ts";
import { schemaLeaves } from "../src/schema/walk.ts";
import type { Leaf } from "../src/schema/walk.ts";
import { settingsSchema } from "../src/config/settings/settings-schema.ts";
import { ENDPOINT_NAMES } from "../src/aggregator/endpoints/index.ts";

/** Tables for the docs, made from the schemas themselves, so that they cannot differ. */

/** The keys that cannot change while aggwatch runs. */
export function describeRestartKeys(): string {
  const keys = leavesOf(settingsSchema).filter(({ needsRestart }) => needsRestart === true);
  return keys.map((leaf) => `- ${code(pathOf(leaf))}`).join("\n");
}

/** Every key of a rule, its default and its meaning. */
export function describeRuleKeys(): string {
  const rows = leavesOf(ruleSchema).map((leaf) => [
    code(pathOf(leaf)),
    defaultText(leaf),
    meaningOf(leaf),
  ]);
  return table(["Key", "Default", "Meaning"], rows);
}

/** Every kind, and what rules may say of it. */
export function describeKinds(kinds: Iterable<KindDefinition>): string {
  const sections = [...kinds].map(({ kind, means, facts }) => {
    const rows = Object.entries(facts).map(([name, fact]) => [
      code(`${kind}.${name}`),
      fact.type,
      fact.means,
    ]);
    return `### ${kind}\n\n${means}\n\n${table(["Fact", "Type", "Meaning"], rows)}`;
  });
  const shared = Object.entries(COMMON_FACTS).map(([name, fact]) => [
    code(name),
    fact.type,
    fact.means,
  ]);
  return [`### every kind\n\n${table(["Fact", "Type", "Meaning"], shared)}`, ...sections].join(
    "\n\n",
  );
}

/** Every guard, in the order in which they are asked. */
export function describeGuards(): string {
  const rows = GUARDS.map(({ reason, objectsIf }) => [code(reason), objectsIf]);
  return table(["Reason", "It objects if"], rows);
}

/** Replaces what stands between `<!-- name:begin -->` and `<!-- name:end -->`. */
export function replaceSection(text: string, name: string, content: string): string {
  const begin = `<!-- ${name}:begin -->`;
  const end = `<!-- ${name}:end -->`;
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) return text;
  return `${text.slice(0, from + begin.length)}\n\n${content}\n\n${text.slice(to)}`;
}

/** One endpoint stands for all, and one action. */
export function leavesOf(schema: z.ZodType): Leaf[] {
  return schemaLeaves(schema).filter(({ path }) =>
    path.every(
      (step, index) =>
        (path[index - 1] !== "wire" || step === ENDPOINT_NAMES[0]) &&
        (path[index - 1] !== "budgets" || step === ACTION_NAMES[0]),
    ),
  );
}

/** A step of a path as the docs show it, if one endpoint or action stands for all. */
export function placeholder(step: string, index: number, path: readonly string[]): string {
  if (path[index - 1] === "wire") return "<endpoint>";
  return path[index - 1] === "budgets" ? "<action>" : step;
}

/** A key as it is written in the docs. */
export function pathOf({ path }: Leaf): string {
  return path
    .map(placeholder)
    .map((step, index) => (step === "[]" || index === 0 ? step : `.${step}`))
    .join("");
}

export function defaultText({ defaultValue, description }: Leaf): string {
  if (defaultValue === undefined) return description.includes("Default:") ? "see there" : "–";
  if (Array.isArray(defaultValue))
    return defaultValue.length === 0 ? "none" : code(defaultValue.join(", "));
  const isPlain = typeof defaultValue === "string" || typeof defaultValue === "number";
  return isPlain || typeof defaultValue === "boolean" ? code(String(defaultValue)) : "none";
}

/** What a key means, and the words that it may have, unless its description names them. */
export function meaningOf({ description, words }: Leaf): string {
  const isNamed = words.every((word) => description.includes(code(String(word))));
  const list = words.map((word) => code(String(word))).join(", ");
  return isNamed ? description : `${description} One of ${list}.`;
}

export function code(text: string): string {
  return `\`${text}\``;
}

export function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
