import type { Json } from "../../src/domain/result.ts";
import {
  createSimulator,
  type Simulator,
  type SimulatorOptions,
} from "../../src/simulator/simulator.ts";
import type { SimulatorReply } from "../../src/simulator/routes/reply.ts";

/** A simulator on a clock that a test moves, asked without a network. */

export const START = Date.UTC(2026, 0, 1);
export const KEY = { "x-api-key": "simulator-key" };

// Bodies are read as whatever the test expects of them.
// oxlint-disable-next-line typescript/no-explicit-any -- each test knows its body, and says so by what it expects
export type Body = any;
export type Read = { readonly status: number; readonly body: Body };

export type Driver = {
  readonly simulator: Simulator;
  readonly wait: (lengthMs: number) => void;
  readonly raw: (
    method: string,
    target: string,
    body?: string,
    headers?: Readonly<Record<string, string>>,
  ) => SimulatorReply;
  readonly ask: (
    method: string,
    target: string,
    body?: Json,
    headers?: Readonly<Record<string, string>>,
  ) => Read;
  readonly get: (target: string) => Body;
  /** Carries out a control command that must work. */
  readonly control: (command: Json) => Body;
};

export function drive(options: Partial<SimulatorOptions> = {}): Driver {
  let now = START;
  const simulator = createSimulator({ seed: 1, clock: { now: () => now }, ...options });
  const raw: Driver["raw"] = (method, target, body = "", headers = {}) => {
    const [path = "", query = ""] = target.split("?");
    const asked = Object.fromEntries(new URLSearchParams(query));
    return simulator.handle({ method, path, query: asked, headers, body });
  };
  const ask: Driver["ask"] = (method, target, body, headers) => {
    const text = body === undefined ? "" : JSON.stringify(body);
    const reply = raw(method, target, text, headers);
    if (reply.outcome === "silent") throw new Error(`${method} ${target} was not answered`);
    return { status: reply.status, body: JSON.parse(reply.body) };
  };
  return {
    simulator,
    raw,
    ask,
    wait: (lengthMs) => {
      now += lengthMs;
    },
    get: (target) => {
      const { status, body } = ask("GET", target);
      if (status !== 200) throw new Error(`${target} answered ${status}: ${JSON.stringify(body)}`);
      return body;
    },
    control: (command) => {
      const outcome = simulator.control(command);
      if (!outcome.ok) throw new Error(outcome.problem);
      return outcome.value;
    },
  };
}
