import type { ActionName, ActionReply, Mode } from "../../domain/action.ts";
import type { Rule } from "../../domain/rule.ts";
import type { Instant, Millis } from "../../domain/time.ts";
import type { PollerName } from "../../pollers/index.ts";
import type { Timeline } from "./timeline.ts";

/**
 * A file of rule tests, read and checked. A test has observations, commands and replies on virtual time; its
 * expectations give the alerts, remediations and suppressions at some instants.
 */
export type RuleTestFile = {
  readonly file: string;
  readonly rules: readonly Rule[];
  readonly tests: readonly RuleTest[];
};

export type RuleTest = {
  readonly name: string;
  readonly line: number;
  /** The names of the rules that judge in it, of those in the rule files. Undefined while the file is read: all. */
  readonly judgedBy: ReadonlySet<string> | undefined;
  /** The start of its clock. */
  readonly startsAt: Instant;
  /** The time from one observation to the next. */
  readonly everyMs: Millis;
  readonly staleAfterMs: Millis;
  readonly mostEntities: number;
  /** The ceiling for actions. */
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
 * The outcomes of a poller's polls, or of one surface's readings, beside the reasons of failures. `missed`: no poll
 * took place.
 */
export const POLL_WORDS = ["ok", "failed", "truncated", "missing", "missed"] as const;

export type ScriptedPoll = {
  readonly poller: PollerName;
  /** Default: all surfaces of the poller. */
  readonly surface?: string;
  readonly outcomes: Timeline;
};

export type ScriptedCommand = { readonly atMs: Millis; readonly by: string } & (
  | { readonly name: "kill" | "unkill"; readonly reason: string }
  | { readonly name: "approve" | "deny"; readonly alert: string; readonly id: string }
  | { readonly name: "release"; readonly entity: string }
);

/** How the aggregator answers an action. */
export type ScriptedReply = {
  readonly action: ActionName;
  /** Only for this entity. Default: for all. */
  readonly id?: string;
  readonly outcome: ActionReply["outcome"];
  /** Whether the action repairs the entity. */
  readonly effect: boolean;
  readonly afterMs: Millis;
  /** The number of calls to which it applies. */
  readonly times: number;
};

export const EXPECTED_LISTS = ["alerts", "remediations", "suppressed"] as const;
/** The name of a list of an expectation. */
export type ListName = (typeof EXPECTED_LISTS)[number];

/** The expected lists at an instant; a list that is not given is not compared. */
export type Expectation = {
  readonly atMs: Millis;
  readonly line: number;
  readonly lists: ReadonlyMap<ListName, readonly Item[]>;
};

/** One expected or actual thing: its name, its entity and its fields. Only fields that are expected are compared. */
export type Item = {
  readonly name: string;
  readonly id: string;
  readonly fields: Readonly<Record<string, string>>;
};

/** The value of one key of an item. */
export type Said = string | boolean | Readonly<Record<string, string>> | undefined;

/** Makes an item. Each label and annotation becomes a field, so that they are compared one by one. */
export function itemOf(name: string, id: string, said: Readonly<Record<string, Said>>): Item {
  const fields = Object.entries(said).flatMap(([key, value]) => {
    if (value === undefined) return [];
    if (typeof value !== "object") return [[key, String(value)] as const];
    return Object.entries(value).map(([inner, text]) => [`${key}.${inner}`, text] as const);
  });
  return { name, id, fields: Object.fromEntries(fields) };
}
