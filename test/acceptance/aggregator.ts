import { systemClock } from "../../src/io/process/clock.ts";
import { startSimulatorServer } from "../../src/io/http/simulator-server.ts";
import type { SimulatorReply } from "../../src/simulator/routes/reply.ts";
import type { SimulatorRequest } from "../../src/simulator/routes/request.ts";
import {
  createSimulator,
  type Simulator,
  type SimulatorOptions,
} from "../../src/simulator/simulator.ts";
import { createEvents, type Finishing } from "./events.ts";

/** The simulated aggregator on a real port, and its requests as events to wait for. */
export type Aggregator = {
  readonly url: string;
  readonly simulator: Simulator;
  readonly control: (command: object) => void;
  /** How many requests of a method whose path ends so have arrived. */
  readonly count: (method: string, pathEnd: string) => number;
  /** Resolves when the next such request has arrived. */
  readonly next: (method: string, pathEnd: string) => Promise<void>;
  /** Resolves once such a request has arrived, also one before. */
  readonly first: (method: string, pathEnd: string) => Promise<void>;
  /** Everything that arrived, with its headers. */
  readonly heard: readonly SimulatorRequest[];
};

export async function startAggregator(
  context: Finishing,
  {
    before,
    after = (_, reply) => reply,
    ...options
  }: Pick<SimulatorOptions, "actKey" | "etags" | "scenario" | "isStepwise" | "deployment"> & {
    /** Called with each request before it is answered. */
    readonly before?: (request: SimulatorRequest) => void;
    /** What is answered instead, although the request has taken effect. */
    readonly after?: (request: SimulatorRequest, reply: SimulatorReply) => SimulatorReply;
  } = {},
): Promise<Aggregator> {
  const simulator = createSimulator({ seed: 1, clock: systemClock(), ...options });
  const requests = createEvents<SimulatorRequest>(context, "request to the aggregator");
  const heard: Simulator = {
    ...simulator,
    handle: (request) => {
      before?.(request);
      const reply = after(request, simulator.handle(request));
      requests.add(request);
      return reply;
    },
  };
  const server = await startSimulatorServer({ simulator: heard, host: "127.0.0.1", port: 0 });
  context.onTestFinished(server.close);
  return {
    url: server.url,
    simulator,
    heard: requests.all,
    control: (command) => {
      const outcome = simulator.control(command);
      if (!outcome.ok) throw new Error(outcome.problem);
    },
    count: (method, pathEnd) =>
      simulator
        .requestLog()
        .filter((request) => request.method === method && request.path.endsWith(pathEnd)).length,
    next: async (method, pathEnd) => {
      await requests.next(isOf(method, pathEnd), { what: `${method} ${pathEnd}` });
    },
    first: async (method, pathEnd) => {
      await requests.first(isOf(method, pathEnd), { what: `${method} ${pathEnd}` });
    },
  };
}

function isOf(method: string, pathEnd: string): (request: SimulatorRequest) => boolean {
  return (one) => one.method === method && one.path.endsWith(pathEnd);
}
