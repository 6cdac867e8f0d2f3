import type { ActionName } from "../../domain/action.ts";
import { entityKey } from "../../domain/entity.ts";
import type { Instant } from "../../domain/time.ts";
import type { State } from "../../core/state.ts";
import type { RunEvent, Sent, Step } from "../run-event.ts";
import type { Polls } from "./polls.ts";

type Applied = Extract<RunEvent, { type: "applied" }>;

/** An action that a step on disk requested. */
type AskedRequest = {
  readonly id: string;
  readonly at: Instant;
  /** When the reading that confirmed it was wanted. */
  readonly confirmingSince: Instant;
  leftAt?: Instant;
  /** The process knows what became of it. */
  isOver?: true;
  /** It was on disk, and was lost before it was sent: its process may not know yet. */
  isLost?: true;
  /** Its process is gone, and the next one does not know whether it was sent. */
  isVoid: boolean;
};

/** The actions that were requested, sent, and applied by an aggregator, across all processes. */
export class Requests {
  readonly askedIds = new Set<string>();
  private readonly asked = new Map<string, AskedRequest[]>();
  /** When an action last changed something, since it was last requested. */
  private readonly appliedAt = new Map<string, Instant>();
  /** The same, whatever was requested since: by aggregator and target. */
  private readonly changedAt = new Map<string, Instant>();

  askedFor(target: string | undefined): readonly AskedRequest[] {
    return (target === undefined ? undefined : this.asked.get(target)) ?? [];
  }

  /** The action that a request on the wire is taken for. */
  openFor(target: string | undefined): AskedRequest | undefined {
    return this.askedFor(target).findLast(({ leftAt, isVoid }) => leftAt === undefined && !isVoid);
  }

  /** The request that left last, if its process still waits for the answer. */
  underWay(target: string | undefined): AskedRequest | undefined {
    const last = this.askedFor(target).findLast(({ leftAt }) => leftAt !== undefined);
    return last === undefined || last.isOver === true || last.isVoid ? undefined : last;
  }

  lastApplied(target: string): Instant | undefined {
    return this.appliedAt.get(target);
  }

  lastChanged(aggregator: string, id: string): Instant {
    return this.changedAt.get(`${aggregator} ${id}`) ?? 0;
  }

  /** Commits were lost: ids are counted again from the state that is left. */
  lose({ tables }: State): void {
    for (const one of [...this.asked.values()].flat())
      if (one.leftAt === undefined && !tables.remediation.has(one.id)) one.isLost = true;
    for (const id of this.askedIds) if (!tables.remediation.has(id)) this.askedIds.delete(id);
  }

  settle(event: RunEvent, polls: Polls): void {
    if (event.type === "step") this.settleStep(event, polls);
    else if (event.type === "applied" && event.changed) {
      this.appliedAt.set(appliedTarget(event), event.at);
      this.changedAt.set(`${event.aggregator} ${event.target}`, event.at);
    } else if (event.type === "crashed") {
      for (const one of [...this.asked.values()].flat()) one.isVoid = true;
    } else if (event.type === "sent" && event.purpose === "act") {
      const open = this.openFor(sentTarget(event));
      if (open !== undefined) open.leftAt = event.at;
    }
  }

  private settleStep(
    { event, result, state, at, durable }: Step,
    { confirmingSince }: Polls,
  ): void {
    if (event.type === "acted")
      for (const one of [...this.asked.values()].flat())
        if (one.id === event.remediation) one.isOver = true;
    for (const finding of result.findings) {
      if (finding.type !== "remediation" || finding.remediation.state !== "requested") continue;
      const { entity, action } = finding.remediation;
      this.appliedAt.delete(targetOf(entityKey(entity), action));
    }
    for (const effect of durable ? result.effects : []) {
      const made = effect.type === "act" && state.tables.remediation.get(effect.remediation);
      if (made === false || made === undefined) continue;
      this.askedIds.add(made.id);
      const target = targetOf(entityKey(made.entity), made.action);
      const since = confirmingSince.get(made.surface) ?? at;
      const asked = { id: made.id, at, confirmingSince: since, isVoid: false };
      this.asked.set(target, [...this.askedFor(target), asked]);
    }
  }
}

/** Identifies an action on an entity. */
export function targetOf(entity: string, action: ActionName): string {
  return `${entity} ${action}`;
}

const KINDS = {
  enable_exchange: "exchange",
  enable_pair: "pair",
  force_cancel_order: "liquidation",
};

function appliedTarget({ aggregator, what, target }: Applied): string {
  return targetOf(entityKey({ aggregator, kind: KINDS[what], id: target }), what);
}

/** The entity and the action of a request on the wire, from its method and path alone; undefined if it is no action. */
export function sentTarget({ aggregator, method, path }: Sent): string | undefined {
  const segments = path.split("/").filter(Boolean).map(decodeURIComponent);
  const target = (action: ActionName, id: string): string =>
    targetOf(entityKey({ aggregator, kind: KINDS[action], id }), action);
  const toggle = segments.indexOf("toggle");
  const [exchange, pair] = segments.slice(toggle + 1);
  if (method === "POST" && toggle !== -1 && exchange !== undefined) {
    return pair === undefined
      ? target("enable_exchange", exchange)
      : target("enable_pair", `${exchange}/${pair}`);
  }
  const force = segments.indexOf("force");
  const order = segments[force + 1];
  if (method !== "DELETE" || force === -1 || order === undefined) return undefined;
  return target("force_cancel_order", order);
}
