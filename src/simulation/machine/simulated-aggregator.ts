import type { ActEndpoint, ActionName } from "../../domain/action.ts";
import type { Clock } from "../../domain/time.ts";
import type { Outgoing } from "../../io/http/http-send.ts";
import type { LoggedRequest } from "../../simulator/routes/request-log.ts";
import type { SimulatorReply } from "../../simulator/routes/reply.ts";
import type { Deployment } from "../../simulator/deployment/deployment.ts";
import { createSimulator, type Simulator } from "../../simulator/simulator.ts";
import type { Scenario } from "../../simulator/control/scenario-schema.ts";
import type { AggregatorTruth } from "../run-event.ts";

/** The model of one aggregator, as the simulated world sees it. */
export type SimulatedAggregator = {
  readonly name: string;
  readonly baseUrl: string;
  readonly handle: (outgoing: Outgoing) => SimulatorReply;
  /** Applies a control command; gives the problem if it cannot be applied. */
  readonly control: (command: unknown) => string | undefined;
  readonly truth: () => AggregatorTruth;
};

/** An action that the aggregator has applied. */
export type Applied = {
  readonly model: SimulatedAggregator;
  readonly what: ActionName;
  readonly target: string;
  readonly changed: boolean;
};

/** The keys of every model and of the simulated watchdog. No other text has eight characters of one. */
export const ACT_KEY = { header: "X-API-KEY", value: "aK7xTq2vN9rLw4Zd1" };
export const READ_KEY = { header: "X-READ-KEY", value: "rH5mYc8bJ3pGu6Sf0" };

const ACTIONS: Readonly<Record<ActEndpoint, ActionName>> = {
  enableExchange: "enable_exchange",
  enablePair: "enable_pair",
  forceCancel: "force_cancel_order",
};
const ACTION_OF: ReadonlyMap<string, ActionName> = new Map(Object.entries(ACTIONS));

export function createSimulatedAggregator(
  name: string,
  options: {
    readonly seed: number;
    readonly clock: Clock;
    readonly scenario: Scenario;
    readonly etags: boolean;
    readonly deployment: Deployment | undefined;
    readonly onApplied: (applied: Applied) => void;
    readonly onServed: (endpoint: string, mark: string | undefined) => void;
    readonly onStep: (say: string) => void;
  },
): SimulatedAggregator {
  const { seed, clock, scenario, etags, deployment } = options;
  const simulator = createSimulator({
    seed,
    clock,
    scenario,
    etags,
    deployment,
    actKey: ACT_KEY,
    onRequest: (logged) => {
      const applied = appliedOf(logged);
      if (applied !== undefined) options.onApplied({ model, ...applied });
      const { endpoint, method, faults } = logged;
      if (method === "GET" && endpoint !== null && isAnswer(logged))
        options.onServed(
          endpoint,
          faults.find((kind) => MARKED.has(kind)),
        );
    },
    onStep: ({ say, problem }) => options.onStep(problem ?? say ?? "a step of the scenario"),
  });
  const model: SimulatedAggregator = {
    name,
    baseUrl: baseUrlOf(name),
    handle: ({ method, url, headers, body }) =>
      simulator.handle({
        method,
        path: url.pathname.slice(prefixOf(name).length),
        query: Object.fromEntries(url.searchParams),
        headers,
        body: body ?? "",
      }),
    control: (command) => {
      const outcome = simulator.control(command);
      return outcome.ok ? undefined : outcome.problem;
    },
    truth: () => truthOf(name, simulator.snapshot()),
  };
  return model;
}

function prefixOf(name: string): string {
  return `/${encodeURIComponent(name)}`;
}

/** No host can have this name, so no request could ever reach a real one. */
export function baseUrlOf(name: string): string {
  return `http://aggregator.invalid${prefixOf(name)}`;
}

/** Faults that an answer itself shows. */
const MARKED: ReadonlySet<string> = new Set(["partial", "contradiction"]);

function isAnswer({ status }: LoggedRequest): boolean {
  return status === 200 || status === 206 || status === 304;
}

/** Undefined if the aggregator itself never saw it, or refused it. */
function appliedOf(logged: LoggedRequest): Omit<Applied, "model"> | undefined {
  const what = ACTION_OF.get(logged.endpoint ?? "");
  if (what === undefined) return undefined;
  const isSeen = logged.status === null || logged.status === 200;
  const isUntrue = logged.faults.some((kind) => UNSEEN.has(kind));
  if (!logged.applied && (!isSeen || isUntrue)) return undefined;
  const segments = logged.path.split("/").map(decodeURIComponent);
  const target = segments.slice(what === "enable_pair" ? -2 : -1).join("/");
  return { what, target, changed: logged.applied };
}

/** Faults with which a request never reaches the aggregator itself. */
const UNSEEN: ReadonlySet<string> = new Set(["down", "hang", "html", "status", "lie"]);

function truthOf(
  aggregator: string,
  { exchanges, orders }: ReturnType<Simulator["snapshot"]>,
): AggregatorTruth {
  return {
    aggregator,
    exchanges: exchanges.map(({ name, enabled }) => ({ name, enabled })),
    disabledPairs: exchanges.flatMap((one) =>
      one.disabled_pairs.map((pair) => `${one.name}/${pair}`),
    ),
    liquidations: orders
      .filter(({ type }) => type === "liquidation")
      .map(({ id, status, stuck }) => ({ id, status, stuck })),
  };
}
