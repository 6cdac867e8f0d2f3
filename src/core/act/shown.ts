import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { ActionCall } from "../../domain/action.ts";
import {
  COMMON_FACTS,
  entityKey,
  isTimestamp,
  type Facts,
  type FactValue,
  type KindDefinition,
} from "../../domain/entity.ts";
import type { Proposal, Shown } from "../../domain/remediation.ts";
import type { Rule } from "../../domain/rule.ts";
import { formatInstant } from "../../domain/time.ts";
import { scopeOf } from "../judge/verdict.ts";
import type { GuardContext } from "./guards/guard.ts";

/**
 * What an approval covers. What is shown of a proposal, what its digest is made of, and what must still be the same
 * right before the request are one list: a person cannot approve what was not shown, and nothing shown may change.
 */

/** What a person would be shown now; undefined if no request can be made. */
export function shownOf(
  context: Omit<GuardContext, "alert" | "state" | "verdict">,
): Shown | undefined {
  const { policy, rule, act, entity, at } = context;
  const call = policy.actions.get(act.action)?.call(entity);
  if (call === undefined) return undefined;
  const reads = factsReadBy(rule);
  const kind = policy.kinds.get(entity.kind);
  const known = scopeOf({ windows: [] }, entity, at).facts;
  const facts = Object.entries(known).filter(
    ([name]) =>
      reads.has(name) || !(Object.hasOwn(COMMON_FACTS, name) || kind?.facts[name]?.drifts === true),
  );
  return { rule: rule.hash, call, facts: Object.fromEntries(facts.toSorted(byName)) };
}

/** The facts that any expression of a rule reads; of a windowed fact, the one that it is about. */
function factsReadBy({ when, act, labels, annotations, windows }: Rule): ReadonlySet<string> {
  const texts = [...Object.values(labels), ...Object.values(annotations)];
  const names = [when, act?.condition, ...texts].flatMap((one) => one?.reads ?? []);
  const windowed = new Map(windows.map(({ name, fact }) => [name, fact]));
  return new Set(names.map((name) => windowed.get(name) ?? name));
}

/** Sixteen hexadecimal digits that stand for all that is shown of a proposal. */
export function digestOf(
  { rule, action, entity }: Pick<Proposal, "rule" | "action" | "entity">,
  { call, facts, ...shown }: Shown,
): string {
  const parts = [
    [rule, shown.rule, action, entityKey(entity), call.endpoint],
    Object.entries(call.args).toSorted(byName),
    // JSON has neither Infinity nor NaN: as texts, they stay distinct.
    Object.entries(facts)
      .toSorted(byName)
      .map(([name, value]) => [name, typeof value, String(value)]),
  ];
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify(parts)))).slice(0, 16);
}

/** What is no longer as it was shown, as phrases; empty if all is the same. */
export function changesSince(
  kind: KindDefinition | undefined,
  before: Shown,
  now: Shown,
): string[] {
  const names = [...new Set([...Object.keys(before.facts), ...Object.keys(now.facts)])];
  const say = (facts: Facts, name: string): string => factText(kind, name, facts[name]);
  return [
    ...(before.rule === now.rule ? [] : ["the rule was changed"]),
    ...(callText(before.call) === callText(now.call)
      ? []
      : [`the request was ${callText(before.call)}, is ${callText(now.call)}`]),
    ...names
      .filter((name) => !Object.is(before.facts[name], now.facts[name]))
      .map((name) => `${name} was ${say(before.facts, name)}, is ${say(now.facts, name)}`),
  ];
}

/** The request and the facts, in one line. */
export function shownText(kind: KindDefinition | undefined, { call, facts }: Shown): string {
  const said = Object.entries(facts).map(
    ([name, value]) => `${name} ${factText(kind, name, value)}`,
  );
  return `${callText(call)}; ${said.join(" · ")}`;
}

/** `forceCancel orderId=0x5f…`. */
export function callText({ endpoint, args }: ActionCall): string {
  return [endpoint, ...Object.entries(args).map(([name, value]) => `${name}=${value}`)].join(" ");
}

const LONGEST_VALUE = 100;

function factText(
  kind: KindDefinition | undefined,
  name: string,
  value: FactValue | undefined,
): string {
  if (value === undefined) return "not known";
  if (typeof value === "number" && isTimestamp(kind, name)) return formatInstant(value);
  const text = String(value);
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE)}…`;
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
