import * as z from "zod";
import type { Millis } from "../../domain/time.ts";
import { duration } from "../model/duration.ts";
import { ENDPOINT_NAMES } from "./interface.ts";
import { MARKS } from "./marks.ts";
import type { World } from "../model/world.ts";

/** Faults that can be set on an endpoint, or on every request. By default, none is set. */

const fault = <Name extends string, Shape extends z.ZodRawShape>(
  name: Name,
  means: string,
  shape: Shape,
) => z.strictObject({ kind: z.literal(name), ...shape }).describe(means);

const closing = { close_after: duration.optional() };

export const faultPlan = z.discriminatedUnion("kind", [
  fault("latency", "Answers come later by `length`; the request has its effect at once.", {
    length: duration,
  }),
  fault(
    "status",
    "That status and the error body, without effect; `Retry-After`, if given, in whole seconds.",
    { status: z.number().int().min(400).max(599), retry_after: duration.optional() },
  ),
  fault(
    "timeout_after_applying",
    "The request has its effect and is never answered; the connection closes after a while, or never.",
    closing,
  ),
  fault("hang", "No effect and no answer; the connection closes after a while, or never.", closing),
  fault("html", "A page of HTML, as from a proxy, without effect.", {
    status: z.number().int().min(200).max(599).default(200),
  }),
  fault("truncated", "Half of the JSON; the request has its effect.", {}),
  fault("empty", "Reads answer 200 and an empty listing, even if there is an error.", {}),
  fault("stale", "Reads answer with the world as it was when the fault was set.", {}),
  fault("lie", "Writes answer success, without effect.", {}),
  fault(
    "partial",
    "Reads answer with everything, but say that it is a part or came with an error.",
    {
      mark: z.enum(MARKS).default("status_206"),
    },
  ),
  fault("contradiction", "The list of exchanges includes the disabled ones.", {}),
  fault("down", "The connection is cut at once, without effect.", {}),
]);
type FaultPlan = z.output<typeof faultPlan>;
type FaultKind = FaultPlan["kind"];

export const FAULT_KINDS: readonly FaultKind[] = faultPlan.options.map(
  ({ shape }) => shape.kind.value,
);

const EVERY_ENDPOINT = "all";
export const faultyEndpoint = z.enum([EVERY_ENDPOINT, ...ENDPOINT_NAMES]);

export type Fault = {
  readonly endpoint: string;
  readonly plan: FaultPlan;
  /** How many more requests it strikes; infinite if no number was given. */
  left: number;
  /** The world that `stale` shows. */
  readonly frozen?: World;
};

/** The fault of a kind that strikes this endpoint, if any. It is counted, and removed after its last request. */
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

/** Sets a fault. It replaces an older one of its kind on its endpoint. */
export function setFault(faults: Fault[], fault: Fault): void {
  clearFaults(faults, fault.endpoint, fault.plan.kind);
  faults.push(fault);
}

/** Removes faults and gives their number. An undefined endpoint or kind means any. */
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
