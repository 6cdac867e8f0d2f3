/** What a daemon is doing when it is killed. */
export const PHASES = ["work", "start", "migration", "shutdown"] as const;
export type KillPhase = (typeof PHASES)[number];

/** Where a daemon is killed. */
export type Boundary = {
  readonly name: string;
  readonly phase: KillPhase;
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

const CHECKING = "the journal is being checked; no action is sent until it is known to be sound";

type Unphased = Omit<Boundary, "phase">;

function commits(table: string, states: readonly string[]): Unphased[] {
  return states.flatMap((state) =>
    ["before", "after"].map((when) => ({
      name: `${when} the commit: ${table} ${state}`,
      dieAt: `${when} commit ${table} ${state}`,
    })),
  );
}

/** Every boundary of a repair, from the alert to the settled remediation. */
const AT_WORK: readonly Unphased[] = [
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

const AT_START: readonly Unphased[] = [
  { name: "random instant of the start" },
  { name: "random instant of the start" },
  { name: "random instant of the start" },
  { name: "the journal is being checked", line: { msg: CHECKING } },
  { name: "the journal is sound", line: { msg: "the journal is sound" } },
];

/** On a journal of the first schema, with all that it knows. */
const AT_MIGRATION: readonly Unphased[] = [
  ...[2, 3].flatMap((schema) =>
    ["before", "within", "after"].map((when) => ({
      name: `${when} the step to schema ${schema}`,
      dieAt: `${when} migration ${schema}`,
    })),
  ),
  { name: "random instant of a start that migrates" },
];

const AT_SHUTDOWN: readonly Unphased[] = [
  { name: "random instant after SIGTERM" },
  { name: "random instant after SIGTERM" },
];

export const BOUNDARIES: readonly Boundary[] = (
  [
    ["work", AT_WORK],
    ["start", AT_START],
    ["migration", AT_MIGRATION],
    ["shutdown", AT_SHUTDOWN],
  ] as const
).flatMap(([phase, boundaries]) => boundaries.map((boundary) => ({ ...boundary, phase })));
