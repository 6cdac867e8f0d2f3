import type { Clock, Instant, Millis } from "../domain/time.ts";
import { advance } from "./model/advance.ts";
import { DEFAULT_ACT_KEY, checkAuthority, type ActKey } from "./routes/authority.ts";
import type { Outcome } from "./control/command.ts";
import { createBorder, type Border } from "./deployment/border.ts";
import type { Deployment } from "./deployment/deployment.ts";
import { answerControl, CONTROL_PREFIX } from "./control/routes.ts";
import { withEtag } from "./routes/etag.ts";
import type { Fault } from "./routes/faults.ts";
import { ROUTES } from "./routes/interface.ts";
import { newWorld } from "./model/new-world.ts";
import { serve, writeAnswer, type SimulatorReply } from "./routes/reply.ts";
import { LOGGED_REQUESTS, logRequest, type LoggedRequest } from "./routes/request-log.ts";
import type { SimulatorRequest } from "./routes/request.ts";
import { matchRoute } from "./routes/routes.ts";
import { runCommand, type Scenario } from "./control/scenario-schema.ts";
import { snapshotOf } from "./control/snapshot.ts";
import { schedule, type World } from "./model/world.ts";

export type SimulatorOptions = {
  /** The same seed and the same requests at the same instants give the same replies, byte for byte. */
  readonly seed: number;
  readonly clock: Clock;
  readonly actKey?: ActKey;
  readonly scenario?: Scenario | undefined;
  /** `proceed` takes the scenario's steps, instead of the clock. */
  readonly isStepwise?: boolean;
  /** The path of the base URL, if it has one: a prefix of all paths of the interface. */
  readonly basePath?: string;
  /** The deployment in whose form requests and replies are. Default: the usual one. */
  readonly deployment?: Deployment | undefined;
  /** Gives every 200 to a GET an `ETag`, and answers 304 if a request sends it back. */
  readonly etags?: boolean;
  /** Called with each step of the scenario after it is taken. */
  readonly onStep?: (taken: TakenStep) => void;
  /** Called with each request of the interface after it is handled, answered or not. */
  readonly onRequest?: (logged: LoggedRequest) => void;
};

export type TakenStep = {
  readonly index: number;
  readonly at: Instant;
  /** How long after the start of the world, which a reset starts again. */
  readonly afterMs: Millis;
  readonly say: string | undefined;
  /** Why the step could not be run. */
  readonly problem?: string;
};

export type Simulator = {
  /** Answers a request of the interface or of `/_sim/`, at the clock's instant. Never throws. */
  readonly handle: (request: SimulatorRequest) => SimulatorReply;
  /** Runs a control command, as `POST /_sim/control` does. */
  readonly control: (command: unknown) => Outcome;
  /** Runs everything that is due by the clock. `handle`, `control`, `snapshot` and `proceed` do so first. */
  readonly advance: () => void;
  /** The newest requests of the interface, oldest first, without those of `/_sim/`. */
  readonly requestLog: () => readonly LoggedRequest[];
  readonly snapshot: () => ReturnType<typeof snapshotOf>;
  /** Takes the next steps of a stepwise scenario: all with the same `at`. Empty if no step is left. */
  readonly proceed: () => readonly TakenStep[];
  /** Starts again, with a new world, scenario, log and no faults. */
  readonly reset: () => void;
};

type Run = {
  world: World;
  faults: Fault[];
  log: LoggedRequest[];
  count: number;
  /** How many steps of a stepwise scenario were taken. */
  taken: number;
};

function beginRun(options: SimulatorOptions): Run {
  const { scenario, seed, clock, isStepwise = false } = options;
  const world = newWorld(scenario?.world ?? {}, seed, clock.now());
  for (const [index, step] of (isStepwise ? [] : (scenario?.steps ?? [])).entries())
    schedule(world, { at: world.startedAt + step.at, kind: "step", id: String(index) });
  return { world, faults: [], log: [], count: 0, taken: 0 };
}

/** Answers a request of the interface, and logs it as it arrived. */
function handleInterface(
  options: SimulatorOptions,
  border: Border,
  run: Run,
  request: SimulatorRequest,
): SimulatorReply {
  const basePath = options.basePath ?? "";
  const under = request.path.startsWith(`${basePath}/`);
  const path = under ? request.path.slice(basePath.length) : "";
  const match = matchRoute(border.routes, request.method, path);
  const authorize = checkAuthority.bind(undefined, options.actKey ?? DEFAULT_ACT_KEY);
  const { world, faults } = run;
  const served = serve({ world, faults, match, request, authorize, border });
  const reply = options.etags === true ? withEtag(request, served.reply) : served.reply;
  run.count += 1;
  const logged: LoggedRequest = {
    number: run.count,
    at: world.now,
    method: request.method,
    path: request.path,
    query: request.query,
    endpoint: match.found === "route" ? match.route.name : null,
    status: reply.outcome === "answered" ? reply.status : null,
    applied: served.applied,
    faults: served.faults,
  };
  logRequest(run.log, logged);
  options.onRequest?.(logged);
  return reply;
}

function takeStep(options: SimulatorOptions, run: Run, index: number): TakenStep | undefined {
  const step = options.scenario?.steps[index];
  if (step === undefined) return undefined;
  const outcome = step.run?.(run);
  const problem = outcome?.ok === false ? { problem: outcome.problem } : {};
  const { now, startedAt } = run.world;
  const taken = { index, at: now, afterMs: now - startedAt, say: step.say, ...problem };
  options.onStep?.(taken);
  return taken;
}

/** Takes the next steps of one time, in the order of the file. */
function takeNext(options: SimulatorOptions, run: Run): TakenStep[] {
  const steps = options.isStepwise === true ? (options.scenario?.steps ?? []) : [];
  const at = steps[run.taken]?.at;
  const taken: TakenStep[] = [];
  while (run.taken < steps.length && steps[run.taken]?.at === at) {
    const step = takeStep(options, run, run.taken);
    if (step !== undefined) taken.push(step);
    run.taken += 1;
  }
  return taken;
}

/** The aggregator in memory. It does nothing between calls: time passes only in calls. */
export function createSimulator(options: SimulatorOptions): Simulator {
  let run = beginRun(options);
  const border = createBorder(options.deployment, ROUTES);
  const advanceNow = (): void =>
    advance(run.world, options.clock.now(), (index) => void takeStep(options, run, index));
  const simulator: Simulator = {
    handle: (request) => {
      advanceNow();
      const { path } = request;
      return path === CONTROL_PREFIX || path.startsWith(`${CONTROL_PREFIX}/`)
        ? writeAnswer(answerControl(simulator, request), run.world.now)
        : handleInterface(options, border, run, request);
    },
    control: (command) => {
      advanceNow();
      return runCommand(command, run);
    },
    advance: advanceNow,
    proceed: () => {
      advanceNow();
      return takeNext(options, run);
    },
    requestLog: () => run.log.slice(-LOGGED_REQUESTS),
    snapshot: () => {
      advanceNow();
      return snapshotOf(run.world, run.faults);
    },
    reset: () => {
      run = beginRun(options);
    },
  };
  return simulator;
}
