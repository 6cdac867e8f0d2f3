/** Where a daemon is killed. */
export type Boundary = {
  readonly name: string;
  /** For die-at.ts: the daemon kills itself there. */
  readonly dieAt?: string;
  /** The aggregator kills it at a request: as it arrives, once it has its effect, or is answered. */
  readonly request?: {
    readonly phase: "received" | "applied" | "answered";
    readonly method: "GET" | "POST";
    /** Only a reading that follows on an action. */
    readonly afterAct?: true;
  };
  /** It is killed when it writes this log line. */
  readonly line?: { readonly msg: string; readonly state?: string };
};

function commits(table: string, states: readonly string[]): Boundary[] {
  return states.flatMap((state) =>
    ["before", "after"].map((when) => ({
      name: `${when} the commit: ${table} ${state}`,
      dieAt: `${when} commit ${table} ${state}`,
    })),
  );
}

/** Every boundary of a repair, from the alert to the settled remediation. */
export const BOUNDARIES: readonly Boundary[] = [
  ...commits("remediation", ["requested", "acknowledged", "in_doubt", "verified"]),
  ...commits("alert", ["firing", "resolved"]),
  { name: "before the request leaves", dieAt: "before send POST" },
  { name: "confirming reading arrives", request: { phase: "received", method: "GET" } },
  { name: "action arrives", request: { phase: "received", method: "POST" } },
  { name: "action has its effect", request: { phase: "applied", method: "POST" } },
  { name: "action is answered", request: { phase: "answered", method: "POST" } },
  {
    name: "verifying reading arrives",
    request: { phase: "received", method: "GET", afterAct: true },
  },
  {
    name: "verifying reading is answered",
    request: { phase: "answered", method: "GET", afterAct: true },
  },
  { name: "log line: requested", line: { msg: "remediation", state: "requested" } },
  { name: "log line: suppressed", line: { msg: "suppressed" } },
  { name: "random instant" },
  { name: "random instant" },
  { name: "random instant" },
];
