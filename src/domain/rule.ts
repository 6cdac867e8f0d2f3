import type { Facts, FactValue } from "./entity.ts";
import type { ActionName, Mode } from "./action.ts";
import type { Instant, Millis } from "./time.ts";

/**
 * Rule, group, `for`, `keep_firing_for`, labels and annotations mean what they mean in Prometheus.
 * These are compiled rules: the text has been checked, and every expression is a value to call.
 */

/** What a condition says of an entity. Unknown neither fires, resolves, advances `for` nor acts. */
export const TRUTHS = ["ok", "bad", "unknown"] as const;
export type Truth = (typeof TRUTHS)[number];

export type Verdict = {
  readonly truth: Truth;
  /** Why it is unknown, or how it came out, for `explain`. */
  readonly reason?: string;
};

/** What a windowed fact may be of another fact's past. The meaning of each is in core/observe/window.ts. */
export const WINDOW_FUNCTIONS = [
  "max",
  "min",
  "avg",
  "offset",
  "change_ratio",
  "rate",
  "count",
] as const;
export type WindowFunction = (typeof WINDOW_FUNCTIONS)[number];

/** A windowed fact of a rule: `name` is read like a fact, and is a double. */
export type WindowSpec = {
  readonly name: string;
  readonly fact: string;
  readonly function: WindowFunction;
  readonly lengthMs: Millis;
  /** `count` alone: only changes to this value count. */
  readonly to?: FactValue;
};

/** What an expression may read: one entity's facts, its aggregator, and the instant. */
export type Scope = {
  readonly aggregator: string;
  readonly kind: string;
  /** With `first_seen`, `since` and the rule's windowed facts; one that is not there is unknown. */
  readonly facts: Facts;
  readonly now: Instant;
  /** Of the windowed facts that are not known, as too little of their window was seen. */
  readonly bounds?: Readonly<Record<string, FactBound>>;
};

/** What is sure of a windowed fact, whatever was not seen of its window. */
export type FactBound = {
  readonly is: "at least" | "at most";
  readonly value: number;
  /** How much of the window was seen, and its length. */
  readonly seenMs: Millis;
  readonly ofMs: Millis;
};

/** Hours and days, in a time zone, in which something counts. */
export type During = {
  readonly hours: readonly string[];
  readonly days: readonly string[];
  readonly timeZone: string;
  readonly covers: (at: Instant) => boolean;
  /** `covers` is as it is now until then, at least; Infinity: forever. */
  readonly nextEdge: (at: Instant) => Instant;
};

/** For people: `mon-fri 09:00-17:30 Europe/Berlin`. */
export function formatDuring({ days, hours, timeZone }: During): string {
  return [days.join(", "), hours.join(", "), timeZone].filter((part) => part !== "").join(" ");
}

/** A compiled CEL expression of type bool. `judge` never throws and takes bounded time. */
export type Condition = {
  readonly source: string;
  /** It calls `age()`, reads `now` or a windowed fact: it can flip while no fact changes. */
  readonly readsTime: boolean;
  /** The facts that it reads, for findings. */
  readonly reads: readonly string[];
  /** Of these, the facts without which it is taken to be undecided; it asks `has()` about the others. */
  readonly needs?: readonly string[];
  readonly judge: (scope: Scope) => Verdict;
  /**
   * The next instant at which time alone may flip it, Infinity if none will. Left out if that
   * does not follow from its text; it is then judged again at regular intervals.
   */
  readonly nextFlip?: (scope: Scope) => Instant;
};

/** Text with `{{ CEL }}` in it. `render` never throws; what is not known is written `<unknown>`. */
export type Template = {
  readonly source: string;
  /** The facts that it reads. */
  readonly reads: readonly string[];
  readonly render: (scope: Scope) => string;
};

/** At most `max` actions within any window of `perMs`. */
export type Budget = { readonly max: number; readonly perMs: Millis };

/**
 * More than this are bad, or became bad within the window though they are well again: stop acting. The
 * ratio is of the entities of the kind; one may always be repaired, however few there are.
 */
export type StormLimit = {
  readonly max: number;
  readonly maxRatio: number;
  /** 0: only those that are bad at once count. */
  readonly withinMs: Millis;
};

export type RuleAction = {
  readonly action: ActionName;
  readonly mode: Mode;
  readonly condition?: Condition;
  readonly during?: During;
  readonly cooldownMs: Millis;
  readonly attempts: number;
  readonly verifyWithinMs: Millis;
  readonly budget: Budget;
  readonly storm: StormLimit;
  /** How many people must approve, if the mode is `propose`. */
  readonly approvals: number;
};

export type Rule = {
  /** Unique over all files; the label `alertname`. */
  readonly alert: string;
  readonly group: string;
  readonly file: string;
  readonly line: number;
  /** The kind of entity it judges; one alert for each. */
  readonly kind: string;
  /** The aggregators whose entities it judges; left out: all of them. */
  readonly aggregators?: readonly string[];
  /** The windowed facts that its expressions may read. */
  readonly windows: readonly WindowSpec[];
  /** Outside of `during` it is ok. */
  readonly when: Condition;
  readonly during?: During;
  readonly forMs: Millis;
  readonly keepFiringForMs: Millis;
  /** Fixed text of the label `severity`, as it is a metric label. */
  readonly severity: string;
  readonly labels: Readonly<Record<string, Template>>;
  readonly annotations: Readonly<Record<string, Template>>;
  readonly inhibitedBy: readonly string[];
  readonly act?: RuleAction;
  /** Of the whole rule, but not of its file and line: equal means unchanged. */
  readonly hash: string;
};
