import * as z from "zod";
import type { Millis } from "../../domain/time.ts";
import { duration } from "../model/duration.ts";
import { ENDPOINT_NAMES } from "./interface.ts";
import type { World } from "../model/world.ts";

/** Troubles that can be put upon an endpoint, or upon every request. None is there unasked. */

export const faultPlan = z.discriminatedUnion("kind", [
  /** Answers come that much later. */
  z.strictObject({ kind: z.literal("latency"), length: duration }),
  /** An error, without effect; `retry_after` goes out in whole seconds. */
  z.strictObject({
    kind: z.literal("status"),
    status: z.number().int().min(400).max(599),
    retry_after: duration.optional(),
  }),
  /** The request has its effect, and is never answered; the connection is closed after a while. */
  z.strictObject({ kind: z.literal("timeout_after_applying"), close_after: duration.optional() }),
  /** The request has no effect and is never answered. */
  z.strictObject({ kind: z.literal("hang"), close_after: duration.optional() }),
  /** A page of HTML as some proxy in front would answer, without effect. */
  z.strictObject({
    kind: z.literal("html"),
    status: z.number().int().min(200).max(599).default(200),
  }),
  /** The answer's second half is missing; the request has its effect. */
  z.strictObject({ kind: z.literal("truncated") }),
  /** Reads answer that there is nothing. */
  z.strictObject({ kind: z.literal("empty") }),
  /** Reads answer as the world was when the fault was set. */
  z.strictObject({ kind: z.literal("stale") }),
  /** Writes answer success, without effect. */
  z.strictObject({ kind: z.literal("lie") }),
  /** The connection is cut at once, without effect. */
  z.strictObject({ kind: z.literal("down") }),
]);
export type FaultPlan = z.output<typeof faultPlan>;
export type FaultKind = FaultPlan["kind"];

export const FAULT_KINDS = [
  "latency",
  "status",
  "timeout_after_applying",
  "hang",
  "html",
  "truncated",
  "empty",
  "stale",
  "lie",
  "down",
] as const satisfies readonly FaultKind[];

export const FAULT_MEANS: Readonly<Record<FaultKind, string>> = {
  latency: "Answers come that much later; the request has its effect at once.",
  status: "That status and the error body, without effect; `Retry-After` where it is said.",
  timeout_after_applying:
    "The request has its effect and is never answered; the connection closes after a while, or never.",
  hang: "No effect and no answer; the connection closes after a while, or never.",
  html: "A page of HTML, as a proxy in front would answer, without effect.",
  truncated: "Half of the JSON; the request has its effect.",
  empty: "Reads answer 200 and an empty listing, even where there is an error.",
  stale: "Reads answer as the world was when the fault was set.",
  lie: "Writes answer success, without effect.",
  down: "The connection is cut at once, without effect.",
};

export const EVERY_ENDPOINT = "all";
export const faultyEndpoint = z.enum([EVERY_ENDPOINT, ...ENDPOINT_NAMES]);

export type Fault = {
  readonly endpoint: string;
  readonly plan: FaultPlan;
  /** How many requests it will still strike; infinite where nothing was said. */
  left: number;
  /** The world that `stale` shows. */
  readonly frozen?: World;
};

/** Takes the fault of a kind that strikes this endpoint, and counts it. */
export function strike<Kind extends FaultKind>(
  faults: Fault[],
  endpoint: string | null,
  kind: Kind,
): (Fault & { readonly plan: Extract<FaultPlan, { kind: Kind }> }) | undefined {
  const index = faults.findIndex(
    (fault) =>
      fault.plan.kind === kind &&
      (fault.endpoint === endpoint || fault.endpoint === EVERY_ENDPOINT),
  );
  const fault = faults[index];
  if (fault === undefined) return undefined;
  fault.left -= 1;
  if (fault.left <= 0) faults.splice(index, 1);
  return fault as Fault & { readonly plan: Extract<FaultPlan, { kind: Kind }> };
}

/** One of a kind for each endpoint: the newer replaces the older. */
export function setFault(faults: Fault[], fault: Fault): void {
  clearFaults(faults, fault.endpoint, fault.plan.kind);
  faults.push(fault);
}

/** Removes faults and gives their number. What is left out stands for any. */
export function clearFaults(
  faults: Fault[],
  endpoint: string | undefined,
  kind: FaultKind | undefined,
): number {
  const kept = faults.filter(
    (fault) =>
      (endpoint !== undefined && fault.endpoint !== endpoint) ||
      (kind !== undefined && fault.plan.kind !== kind),
  );
  const removed = faults.length - kept.length;
  faults.splice(0, faults.length, ...kept);
  return removed;
}

/** How long a silent connection is kept open: until the client gives up. */
export const FOREVER: Millis = Number.POSITIVE_INFINITY;
