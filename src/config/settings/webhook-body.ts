import { BODY_WORDS, LONGEST_WORD, type BodyWords } from "../../notifiers/notifier.ts";
import type { FactDefinition, KindDefinition } from "../../domain/entity.ts";
import type { Json } from "../../domain/result.ts";
import type { Template } from "../../domain/rule.ts";
import { celLanguage, type CelLanguage } from "../cel/environment.ts";
import { LONGEST_TEXT } from "../cel/meter.ts";
import type { Resolving } from "./resolving.ts";
import { compileTemplate } from "../rules/template.ts";
import type { YamlPath } from "../yaml/yaml-source.ts";

/**
 * A webhook's own body: JSON whose texts may hold `{{ CEL }}`. The texts are put in as texts and
 * written as JSON afterwards, so that nothing in a name can break out of its quotes.
 */

/** The text of the body, for comparing, and the function that makes it. */
export type WebhookBody = {
  readonly source: string;
  readonly render: (words: BodyWords) => Json;
};

/** The words, as if they were the facts of an entity `notification`. */
const NOTIFICATION: KindDefinition = {
  kind: "notification",
  means: "What a webhook is sent.",
  facts: Object.fromEntries(
    Object.entries(BODY_WORDS).map(([name, means]): [string, FactDefinition] => [
      name,
      { type: "string", means },
    ]),
  ),
  whenAbsent: "gone",
};

const DEEPEST = 20;

type Part = (words: BodyWords) => Json;

/** Undefined if there are problems; they are reported. */
export function compileBody(
  work: Resolving,
  body: Readonly<Record<string, unknown>>,
  path: YamlPath,
): WebhookBody | undefined {
  const language = celLanguage(NOTIFICATION);
  let problems = 0;
  const refuse = (at: YamlPath, message: string, hint?: string): Part => {
    problems += 1;
    work.report({ id: "config/bad-value", path: at, message, hint });
    return () => null;
  };
  const part = (value: unknown, at: YamlPath): Part => {
    if (at.length - path.length > DEEPEST) return refuse(at, "is nested too deeply");
    if (typeof value === "string") return textPart(language, value, (...why) => refuse(at, ...why));
    if (value === null || typeof value === "number" || typeof value === "boolean")
      return () => value;
    if (Array.isArray(value)) {
      const parts = value.map((one: unknown, index) => part(one, [...at, index]));
      return (words) => parts.map((make) => make(words));
    }
    if (typeof value !== "object") return refuse(at, "is nothing that JSON can say");
    const entries = Object.entries(value).map(
      ([key, one]: [string, unknown]) => [key, part(one, [...at, key])] as const,
    );
    return (words) => Object.fromEntries(entries.map(([key, make]) => [key, make(words)]));
  };
  const render = part(body, path);
  return problems > 0 ? undefined : { source: JSON.stringify(body), render };
}

function textPart(
  language: CelLanguage,
  source: string,
  refuse: (message: string, hint?: string) => Part,
): Part {
  const compiled = compileTemplate(language, source, LONGEST_TEXT);
  if (!compiled.ok) {
    const hints = compiled.problem.flatMap(({ hint }) => hint ?? []);
    return refuse(
      compiled.problem.map(({ message }) => message).join("; "),
      hints.join("; ") || undefined,
    );
  }
  const template: Template = compiled.value;
  return (words) => template.render({ aggregator: words.aggregator, ...scopeOf(words), now: 0 });
}

function scopeOf(words: BodyWords): { kind: string; facts: Readonly<Record<string, string>> } {
  const cut = Object.entries(words).map(([name, text]) => [name, text.slice(0, LONGEST_WORD)]);
  return { kind: NOTIFICATION.kind, facts: Object.fromEntries(cut) as BodyWords };
}
