import type { ActionName, ActionReply, Mode } from "../../domain/action.ts";
import type { Rule } from "../../domain/rule.ts";
import type { Instant, Millis } from "../../domain/time.ts";
import type { PollerName } from "../../pollers/index.ts";
import type { Timeline } from "./timeline.ts";

/**
 * The words of rule tests, read and checked. A test is a story of observations, commands and
 * replies on virtual time; expectations say what is to be seen at which instant of it.
 */
export type RuleTestFile = {
  readonly file: string;
  readonly rules: readonly Rule[];
  readonly tests: readonly RuleTest[];
};

export type RuleTest = {
  readonly name: string;
  readonly line: number;
  /** When its clock starts. */
  readonly startsAt: Instant;
  /** The time from one observation to the next. */
  readonly everyMs: Millis;
  readonly staleAfterMs: Millis;
  readonly mostEntities: number;
  /** The ceiling. */
  readonly mode: Mode;
  readonly entities: readonly ScriptedEntity[];
  readonly polls: readonly ScriptedPoll[];
  readonly commands: readonly ScriptedCommand[];
  readonly replies: readonly ScriptedReply[];
  readonly expectations: readonly Expectation[];
};

export type ScriptedEntity = {
  readonly kind: string;
  readonly id: string;
  readonly poller: PollerName;
  readonly facts: Readonly<Record<string, Timeline>>;
};

/**
 * How the polls of a poller go, or the readings of one of its surfaces. `missed` is a poll that did
 * not take place.
 */
export const POLL_WORDS = ["ok", "failed", "truncated", "missing", "missed"] as const;

export type ScriptedPoll = {
  readonly poller: PollerName;
  /** All of them if it is not said. */
  readonly surface?: string;
  readonly outcomes: Timeline;
};

export type ScriptedCommand = { readonly atMs: Millis } & (
  | { readonly name: "kill" | "unkill"; readonly reason: string }
  | { readonly name: "approve" | "deny"; readonly alert: string; readonly id: string }
  | { readonly name: "release"; readonly entity: string }
);

/** How the aggregator answers an action. */
export type ScriptedReply = {
  readonly action: ActionName;
  /** Of this entity alone, if it is said. */
  readonly id?: string;
  readonly outcome: ActionReply["outcome"];
  /** The entity shows the aim reached from then on. */
  readonly effect: boolean;
  readonly afterMs: Millis;
  /** For how many calls it holds. */
  readonly times: number;
};

export const EXPECTED_LISTS = ["alerts", "remediations", "suppressed"] as const;
/** Which list of an expectation. */
export type ListName = (typeof EXPECTED_LISTS)[number];

/** What is to be seen at an instant; a list that is not given is not compared. */
export type Expectation = {
  readonly atMs: Millis;
  readonly line: number;
  readonly lists: ReadonlyMap<ListName, readonly Item[]>;
};

/** One thing that is expected or there: its name and entity, and what can be said of it. What is not said is not compared. */
export type Item = {
  readonly name: string;
  readonly id: string;
  readonly fields: Readonly<Record<string, string>>;
};

/** What an item says under one key. */
export type Said = string | boolean | Readonly<Record<string, string>> | undefined;

/** Labels and annotations are compared one by one. */
export function itemOf(name: string, id: string, said: Readonly<Record<string, Said>>): Item {
  const fields = Object.entries(said).flatMap(([key, value]) => {
    if (value === undefined) return [];
    if (typeof value !== "object") return [[key, String(value)] as const];
    return Object.entries(value).map(([inner, text]) => [`${key}.${inner}`, text] as const);
  });
  return { name, id, fields: Object.fromEntries(fields) };
}
