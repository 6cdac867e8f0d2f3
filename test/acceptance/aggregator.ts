import type { TestContext } from "vitest";
import { systemClock } from "../../src/io/process/clock.ts";
import { startSimulatorServer } from "../../src/io/http/simulator-server.ts";
import type { SimulatorRequest } from "../../src/simulator/routes/request.ts";
import {
  createSimulator,
  type Simulator,
  type SimulatorOptions,
} from "../../src/simulator/simulator.ts";

/** The simulated aggregator on a real port, and its requests as events to wait for. */
export type Aggregator = {
  readonly url: string;
  readonly simulator: Simulator;
  readonly control: (command: object) => void;
  /** How many requests of a method whose path ends so have arrived. */
  readonly count: (method: string, pathEnd: string) => number;
  /** Resolves when the next such request has arrived. */
  readonly next: (method: string, pathEnd: string) => Promise<void>;
  /** Everything that arrived, with its headers. */
  readonly heard: readonly SimulatorRequest[];
};

export async function startAggregator(
  context: Pick<TestContext, "onTestFinished">,
  options: Pick<SimulatorOptions, "actKey" | "etags" | "scenario" | "isTold"> = {},
): Promise<Aggregator> {
  const simulator = createSimulator({ seed: 1, clock: systemClock(), ...options });
  const requests: SimulatorRequest[] = [];
  const waiting: Array<{ method: string; pathEnd: string; resolve: () => void }> = [];
  const heard: Simulator = {
    ...simulator,
    handle: (request) => {
      requests.push(request);
      const reply = simulator.handle(request);
      for (const [index, one] of [...waiting.entries()].toReversed()) {
        if (request.method !== one.method || !request.path.endsWith(one.pathEnd)) continue;
        waiting.splice(index, 1);
        one.resolve();
      }
      return reply;
    },
  };
  const server = await startSimulatorServer({ simulator: heard, host: "127.0.0.1", port: 0 });
  context.onTestFinished(server.close);
  return {
    url: server.url,
    simulator,
    heard: requests,
    control: (command) => {
      const outcome = simulator.control(command);
      if (!outcome.ok) throw new Error(outcome.problem);
    },
    count: (method, pathEnd) =>
      simulator
        .requestLog()
        .filter((request) => request.method === method && request.path.endsWith(pathEnd)).length,
    next: (method, pathEnd) =>
      new Promise((resolve) => {
        waiting.push({ method, pathEnd, resolve });
      }),
  };
}
