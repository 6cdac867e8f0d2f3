import { Environment } from "@marcbachmann/cel-js";
import { Duration } from "@marcbachmann/cel-js/evaluator";
import { RE2JS } from "re2js";
import type { FactDefinition, Facts, KindDefinition } from "../../domain/entity.ts";
import { COMMON_FACTS } from "../../domain/entity.ts";
import { formatDuration, type Instant } from "../../domain/time.ts";
import { factReader } from "./facts.ts";
import { LARGEST_PATTERN_PROGRAM, LONGEST_PATTERN, type Meter } from "./meter.ts";

/**
 * The language of rules: CEL as one kind of entity sees it.
 *
 * - the kind's own name (`exchange.status`), `aggregator.name` and `now`;
 * - `age(timestamp)`, which is now minus the timestamp;
 * - arithmetic between doubles and whole numbers, as facts are doubles and people write `2`;
 * - `text.re2("pattern")` instead of `matches`, whose regular expressions can hang the process.
 */
export type CelLanguage = {
  readonly environment: Environment;
  readonly kind: string;
  readonly definition: KindDefinition;
  /** The facts of the kind, those that every kind has, and the windowed ones. */
  readonly facts: Readonly<Record<string, FactDefinition>>;
  /** Those of the facts that are windowed. */
  readonly windows: ReadonlySet<string>;
  /** What an evaluation reads and may cost; set right before each, as each is synchronous. */
  readonly scope: EvaluationScope;
};

type EvaluationScope = {
  now: Instant;
  facts: Facts;
  readonly meter: Meter;
  /** The value of a fact, as CEL sees it; throws the reason if there is none. */
  readonly read: (name: string) => string | number | boolean | Date;
};

const TIMESTAMP = "google.protobuf.Timestamp";
const DURATION = "google.protobuf.Duration";

/** Limits on the size of an expression, far above any real rule. */
const LIMITS = {
  maxAstNodes: 1_000,
  maxDepth: 40,
  maxListElements: 200,
  maxMapEntries: 200,
  maxCallArguments: 8,
};

const OPTIONS = { unlistedVariablesAreDyn: false, limits: LIMITS };

/** What the languages of all kinds have in common. Making it takes longer than all the rest. */
const everyKinds = withMixedArithmetic(new Environment(OPTIONS))
  .registerVariable("now", TIMESTAMP)
  .registerFunction("string.re2(string): bool", (text: string, pattern: string) =>
    compiledPattern(pattern).matcher(text).find(),
  )
  .registerFunction(`string(${TIMESTAMP}): string`, (at: Date) => at.toISOString())
  .registerFunction(`string(${DURATION}): string`, (length: Duration) => formatLength(length));

/** `windows`: the names of a rule's windowed facts. A fact's own name wins over them. */
export function celLanguage(
  definition: KindDefinition,
  windows: ReadonlySet<string> = new Set(),
): CelLanguage {
  const windowed: FactDefinition = { type: "double", means: "A windowed fact of the rule." };
  const facts: Record<string, FactDefinition> = {
    ...Object.fromEntries([...windows].map((name) => [name, windowed])),
    ...COMMON_FACTS,
    ...definition.facts,
  };
  const readFact = factReader(facts, windows);
  const scope: EvaluationScope = {
    now: 0,
    facts: {},
    meter: { left: 0 },
    read: (name) => readFact(name, scope.facts),
  };
  const environment = everyKinds
    .clone(OPTIONS)
    .registerVariable({ name: definition.kind, schema: celTypes(facts) })
    .registerFunction(`age(${TIMESTAMP}): ${DURATION}`, (from: Date) =>
      Duration.fromMilliseconds(scope.now - from.getTime()),
    );
  // Of the kind `aggregator` it has more facts than its name.
  if (definition.kind !== "aggregator")
    environment.registerVariable({ name: "aggregator", schema: { name: "string" } });
  return { environment, kind: definition.kind, definition, facts, windows, scope };
}

/** A CEL duration for people: `2m30s`, with a minus if it is negative. */
export function formatLength(length: Duration): string {
  const milliseconds = length.valueOf();
  return milliseconds < 0 ? `-${formatDuration(-milliseconds)}` : formatDuration(milliseconds);
}

function celTypes(facts: Readonly<Record<string, FactDefinition>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(facts).map(([name, { type }]) => [
      name,
      type === "timestamp" ? TIMESTAMP : type,
    ]),
  );
}

function withMixedArithmetic(environment: Environment): Environment {
  const operators: ReadonlyArray<readonly [string, (a: number, b: number) => number]> = [
    ["+", (a, b) => a + b],
    ["-", (a, b) => a - b],
    ["*", (a, b) => a * b],
    ["/", (a, b) => a / b],
  ];
  for (const [sign, calculate] of operators) {
    const handler = (a: number | bigint, b: number | bigint) => calculate(Number(a), Number(b));
    environment.registerOperator(`double ${sign} int: double`, handler);
    environment.registerOperator(`int ${sign} double: double`, handler);
  }
  environment.registerOperator("double == int: bool", sameNumber);
  environment.registerOperator("double in list<int>: bool", (needle: number, list: bigint[]) =>
    list.some((item) => sameNumber(needle, item)),
  );
  return environment;
}

function sameNumber(a: number | bigint, b: number | bigint): boolean {
  return Number(a) === Number(b);
}

/** The most compiled patterns that are kept, more than the rules of any deployment have. */
export const MOST_PATTERNS = 1_000;

const patterns = new Map<string, RE2JS>();

/** Patterns are literals of rules, and also of those that are only tried or have been replaced: the oldest are dropped. */
export function compiledPattern(pattern: string): RE2JS {
  const known = patterns.get(pattern);
  if (known !== undefined) return known;
  if (pattern.length > LONGEST_PATTERN)
    throw new Error(`it is longer than ${LONGEST_PATTERN} characters`);
  const compiled = RE2JS.compile(pattern);
  if (compiled.programSize() > LARGEST_PATTERN_PROGRAM)
    throw new Error("it repeats too much: a count such as {100} stands for that many copies");
  patterns.set(pattern, compiled);
  const [oldest = ""] = patterns.keys();
  if (patterns.size > MOST_PATTERNS) patterns.delete(oldest);
  return compiled;
}
