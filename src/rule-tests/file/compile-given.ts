import type { KindDefinition } from "../../domain/entity.ts";
import { FAILURE_REASONS } from "../../domain/http.ts";
import { kinds } from "../../pollers/kinds.ts";
import { pollerOfKind } from "../../pollers/index.ts";
import { checkShape } from "../../config/yaml/check-shape.ts";
import { POLL_WORDS, type ScriptedEntity, type ScriptedPoll } from "./rule-test.ts";
import { givenSchemas, pollSchema } from "./schema.ts";
import { hintFor } from "../../config/suggest.ts";
import { valueOf, type FilePart } from "./file-part.ts";
import { parseTimeline, type Timeline } from "./timeline.ts";

/** One entry of `given`: some entities of a kind, or the polls of a poller. */
export type Given = {
  readonly entities: readonly ScriptedEntity[];
  readonly polls: readonly ScriptedPoll[];
};

const NOTHING: Given = { entities: [], polls: [] };

export function compileGiven(part: FilePart): Given {
  const { value, path, reporter } = part;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    reporter.report(path, {
      id: "test/bad-value",
      message: "this entry must be a mapping of keys",
    });
    return NOTHING;
  }
  // Only the first key is the kind, as a kind may have a fact that is named like another kind.
  const subject = Object.keys(value)[0] ?? "";
  const schema = givenSchemas.get(subject);
  if (schema === undefined) {
    reportSubject(part, subject);
    return NOTHING;
  }
  const shape = checkShape(schema, value);
  const unknownFact = { id: "test/unknown-fact" };
  reporter.reportShape(
    path,
    shape.problems.map((problem) => ({
      ...problem,
      ...(problem.id === "config/unknown-key" && subject !== "poll" ? unknownFact : {}),
    })),
  );
  if (shape.value === undefined) return NOTHING;
  if (subject === "poll") return compilePoll(part, shape.value);
  return compileEntities(part, subject, shape.value as Record<string, unknown>);
}

function reportSubject({ path, reporter }: FilePart, first: string): void {
  if (first === "poller" || first === "aggregator") {
    reporter.report([...path, first], {
      id: "test/kept-by-core",
      message: `aggwatch derives the facts of ${first === "poller" ? "a poller" : "an aggregator"} from polls`,
      hint: "for example { poll: exchanges, outcome: ok x2, failed x5 }",
    });
    return;
  }
  reporter.report([...path, first], {
    id: "test/given",
    message: `"${first}" is not a kind: the first key says what this is about`,
    hint: hintFor(first, [...givenSchemas.keys()]),
    at: "key",
  });
}

function compileEntities(
  { path, reporter }: FilePart,
  kind: string,
  value: Readonly<Record<string, unknown>>,
): Given {
  const definition: KindDefinition | undefined = kinds.get(kind);
  const poller = pollerOfKind(kind)?.name;
  if (definition === undefined || poller === undefined) return NOTHING;
  const facts: Record<string, Timeline> = {};
  for (const [name, source] of Object.entries(value)) {
    const { type, values } = definition.facts[name] ?? {};
    if (name === kind || type === undefined || source === undefined) continue;
    const timeline = valueOf(reporter, [...path, name], parseTimeline(source, type));
    if (timeline === undefined) continue;
    facts[name] = timeline;
    for (const { sample } of timeline)
      if (sample.is === "value" && values?.includes(String(sample.value)) === false)
        reporter.report([...path, name], {
          id: "test/timeline",
          message: `the fact "${name}" is never "${String(sample.value)}"`,
          hint: hintFor(String(sample.value), values),
        });
  }
  const ids = [value[kind]].flat().map(String);
  return { entities: ids.map((id) => ({ kind, id, poller, facts })), polls: [] };
}

/** Of two entries for one thing, one alone would count. */
export function checkNamedOnce(parts: readonly FilePart[], given: readonly Given[]): void {
  const named = new Set<string>();
  for (const [index, { entities, polls }] of given.entries()) {
    const own = [
      ...entities.map(({ kind, id }) => `the ${kind} "${id}"`),
      ...polls.map(({ poller, surface }) =>
        surface === undefined
          ? `the poller "${poller}"`
          : `the surface "${surface}" of the poller "${poller}"`,
      ),
    ];
    for (const name of own) {
      if (named.has(name))
        parts[index]?.reporter.report(parts[index].path, {
          id: "test/named-twice",
          message: `${name} is given twice`,
          hint: "write one entry, with a timeline: disabled x3, enabled",
        });
      named.add(name);
    }
  }
}

function compilePoll({ path, reporter }: FilePart, value: unknown): Given {
  const { poll, surface, outcome } = pollSchema.parse(value);
  const outcomes = valueOf(reporter, [...path, "outcome"], parseTimeline(outcome, "string"));
  if (outcomes === undefined) return NOTHING;
  const words: readonly string[] = [...POLL_WORDS, ...FAILURE_REASONS];
  for (const { sample } of outcomes) {
    const word = sample.is === "value" ? String(sample.value) : "_";
    if (word === "missed" && surface !== undefined)
      reporter.report([...path, "outcome"], {
        id: "test/outcome",
        message: "a poll is missed as a whole, with all of its surfaces",
      });
    if (words.includes(word)) continue;
    reporter.report([...path, "outcome"], {
      id: "test/outcome",
      message: `"${word}" is not an outcome of a poll`,
      hint: hintFor(word, words),
    });
  }
  const scripted = { poller: poll, outcomes, ...(surface === undefined ? {} : { surface }) };
  return { entities: [], polls: [scripted] };
}
