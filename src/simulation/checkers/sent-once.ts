import { entityKey } from "../../domain/entity.ts";
import { formatDuration, formatInstant, SECOND, type Instant } from "../../domain/time.ts";
import type { Checker, Witnessed } from "../witness.ts";
import type { Step } from "./acts.ts";

type Left = Extract<Witnessed, { type: "left" }>;
type Asked = { readonly id: string; readonly at: Instant; leftAt?: Instant; isVoid: boolean };

/** How long an action may wait for its turn before it must not be sent any more. */
const LONGEST_WAIT = 5 * SECOND;

/**
 * Every action that leaves was asked for by a step that is on disk, leaves once, over all crashes, soon,
 * and touches the entity that it was asked for.
 */
export function checkSentOnce(): Checker {
  /** By what a request on the wire can be told by: its aggregator, method and target. */
  const asked = new Map<string, Asked[]>();
  const askedIds = new Set<string>();

  function noteAsked(step: Step): string[] {
    return step.result.effects.flatMap((effect) => {
      if (effect.type !== "act") return [];
      const made = step.state.tables.remediation.get(effect.remediation);
      if (made === undefined) return [`${effect.remediation} is asked for, and in no table`];
      const target = `${entityKey(made.entity)} ${made.action}`;
      const problems = askedIds.has(made.id) ? [`${made.id} of ${target} is asked for again`] : [];
      if (!step.durable) return problems;
      askedIds.add(made.id);
      if (made.state !== "requested") {
        problems.push(`${made.id} of ${target} is asked for, and is ${made.state} already`);
      }
      asked.set(target, [
        ...(asked.get(target) ?? []),
        { id: made.id, at: step.at, isVoid: false },
      ]);
      return problems;
    });
  }

  function noteLeft(left: Left): string[] {
    const target = targetOf(left);
    const name = `${left.method} ${left.path} to ${left.aggregator} left at ${formatInstant(left.at)}`;
    const all = (target === undefined ? undefined : asked.get(target)) ?? [];
    const open = all.findLast(({ leftAt, isVoid }) => leftAt === undefined && !isVoid);
    if (open === undefined) {
      const last = all.at(-1);
      if (last === undefined) return [`${name}, and no step on disk asked for it`];
      if (last.leftAt !== undefined) {
        return [`${name} again: ${last.id} of it left at ${formatInstant(last.leftAt)}`];
      }
      return [`${name}, and the process that had decided ${last.id} of it is gone`];
    }
    open.leftAt = left.at;
    const waitedMs = left.at - open.at;
    if (waitedMs <= LONGEST_WAIT) return [];
    return [`${name}, ${formatDuration(waitedMs)} after ${open.id} was decided`];
  }

  return {
    invariant: "4 sent once",
    witness: (seen) => {
      if (seen.type === "step") return noteAsked(seen);
      // What was not sent by then may have been, for all that the next process knows.
      if (seen.type === "crashed") for (const one of [...asked.values()].flat()) one.isVoid = true;
      return seen.type === "left" && seen.purpose === "act" ? noteLeft(seen) : [];
    },
  };
}

/** Which entity a request on the wire touches, and how, read from its path alone. */
function targetOf({ aggregator, method, path }: Left): string | undefined {
  const segments = path.split("/").filter(Boolean).map(decodeURIComponent);
  const toggle = segments.indexOf("toggle");
  const [exchange, pair] = segments.slice(toggle + 1);
  if (method === "POST" && toggle !== -1 && exchange !== undefined) {
    return pair === undefined
      ? `${entityKey({ aggregator, kind: "exchange", id: exchange })} enable_exchange`
      : `${entityKey({ aggregator, kind: "pair", id: `${exchange}/${pair}` })} enable_pair`;
  }
  const order = segments[segments.indexOf("force") + 1];
  if (method === "DELETE" && segments.includes("force") && order !== undefined) {
    return `${entityKey({ aggregator, kind: "liquidation", id: order })} force_cancel_order`;
  }
  return undefined;
}
