import { EventEmitter, once } from "node:events";
import { systemClock } from "../../src/io/process/clock.ts";
import { startSimulatorServer } from "../../src/io/http/simulator-server.ts";
import { createSimulator } from "../../src/simulator/simulator.ts";

/** How long one repair took, in milliseconds since the exchange was disabled. */
export type Repair = {
  /** Until the poll that could see it arrived: the first reading of the disabled exchanges. */
  readonly seenMs: number;
  /** Until the request that enables the exchange again arrived. */
  readonly repairedMs: number;
};

/** A simulator of its own for each way, so that neither can repair what the other should. */
export type Disabling = {
  readonly url: string;
  /** Disables an exchange, and waits for the request that enables it again. */
  readonly repairOf: (exchange: string) => Promise<Repair>;
  readonly close: () => Promise<void>;
};

/** Nothing that works takes longer; then the run ends with an error, and not with a figure. */
const GIVE_UP_MS = 150_000;

/**
 * Serves a simulator that tells when requests arrive. It lives in this process, so that the
 * disabling and the arrival are read from one clock, and no request is between them but the counted.
 */
export async function startDisabling(): Promise<Disabling> {
  const simulator = createSimulator({ seed: 1, clock: systemClock() });
  const arrivals = new EventEmitter();
  const server = await startSimulatorServer({
    simulator: {
      ...simulator,
      handle: (request) => {
        arrivals.emit(`${request.method} ${request.path}`, performance.now());
        return simulator.handle(request);
      },
    },
    host: "127.0.0.1",
    port: 0,
  });
  const repairOf = async (exchange: string): Promise<Repair> => {
    const options = { signal: AbortSignal.timeout(GIVE_UP_MS) };
    const from = performance.now();
    const outcome = simulator.control({ do: "disable_exchange", exchange });
    if (!outcome.ok) throw new Error(outcome.problem);
    const [[seen], [repaired]] = (await Promise.all([
      once(arrivals, "GET /api/v1/exchange/disabled", options),
      once(arrivals, `POST /api/v1/exchange/toggle/${exchange}`, options),
    ])) as [[number], [number]];
    return { seenMs: seen - from, repairedMs: repaired - from };
  };
  return { url: server.url, repairOf, close: server.close };
}
