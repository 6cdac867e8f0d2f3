import { leaseProblem } from "../../../domain/lease.ts";
import { object, pass, type Guard } from "./guard.ts";

export const standby: Guard = {
  objectsIf:
    "replicas share the journal, and this one does not hold the lease, or less time is left on it than a request may take",
  isAsked: ({ lease }) => lease !== undefined,
  ask: ({ state: { lease } }) => {
    if (lease === undefined) return pass(() => "no other replica shares the journal", "event");
    const problem = leaseProblem(lease);
    if (problem !== undefined) return object(() => problem, "event");
    return pass(() => `this replica holds the lease, of epoch ${lease.epoch}`, "event");
  },
};
