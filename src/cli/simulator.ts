import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { formatDuration } from "../domain/time.ts";
import type { Clock } from "../domain/time.ts";
import type { Result } from "../domain/result.ts";
import { fail, succeed } from "../domain/result.ts";
import { systemClock } from "../io/clock.ts";
import { startSimulatorServer } from "../io/simulator-server.ts";
import type { SimulatorServer } from "../io/simulator-server.ts";
import { DEFAULT_ACT_KEY } from "../simulator/authority.ts";
import { DEFAULT_LIQUIDATIONS, DEFAULT_SENDERS } from "../simulator/default-world.ts";
import { ROUTES } from "../simulator/interface.ts";
import { parseScenario } from "../simulator/scenario.ts";
import type { Scenario } from "../simulator/scenario-schema.ts";
import { createSimulator } from "../simulator/simulator.ts";
import type { TakenStep } from "../simulator/simulator.ts";
import { EXIT } from "./context.ts";
import type { CliCommand, CliContext } from "./context.ts";

type Options = {
  readonly host: string;
  readonly port: string;
  readonly seed?: string;
  readonly speed: string;
  readonly scenario?: string;
};

type Settings = {
  readonly port: number;
  readonly seed: number | undefined;
  readonly speed: number;
  readonly scenario: Scenario | undefined;
};

function describe(command: Command): Command {
  return command
    .description("Serve a simulated aggregator over HTTP, with a control surface under /_sim/.")
    .option("--host <host>", "the address to listen on", "127.0.0.1")
    .option("--port <port>", "the port to listen on; 0 lets the system choose", "8080")
    .option("--seed <number>", "same seed, same behaviour (default: the scenario's, or 1)")
    .option("--scenario <file>", "a story in YAML: a world, and what happens to it when")
    .option("--speed <factor>", "how many times faster than real time the model lives", "1");
}

/** A whole number in its bounds, or undefined. */
function wholeNumber(text: string, most: number): number | undefined {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  return value <= most ? value : undefined;
}

async function readScenario(file: string): Promise<Result<Scenario, readonly string[]>> {
  try {
    return parseScenario(await readFile(file, "utf8"), file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return fail([`${file}: the scenario cannot be read: ${reason}`]);
  }
}

/** Reads all options; gives all problems at once. */
async function readSettings(options: Options): Promise<Result<Settings, readonly string[]>> {
  const problems: string[] = [];
  const port = wholeNumber(options.port, 65_535);
  if (port === undefined) problems.push(`--port: ${options.port} is no port (0 to 65535).`);
  const seed =
    options.seed === undefined ? undefined : wholeNumber(options.seed, Number.MAX_SAFE_INTEGER);
  if (options.seed !== undefined && seed === undefined)
    problems.push(`--seed: ${options.seed} is no whole number.`);
  const speed = Number(options.speed);
  if (!(speed > 0 && speed <= 1_000))
    problems.push(`--speed: ${options.speed} is not between 0 and 1000.`);
  const scenario =
    options.scenario === undefined ? undefined : await readScenario(options.scenario);
  if (scenario?.ok === false) problems.push(...scenario.problem);
  if (problems.length > 0 || port === undefined) return fail(problems);
  return succeed({ port, seed, speed, scenario: scenario?.ok ? scenario.value : undefined });
}

/** The real clock, or one that runs faster from now on. */
function clockAt(speed: number): Clock {
  const real = systemClock();
  const start = real.now();
  return { now: () => Math.round(start + (real.now() - start) * speed) };
}

async function run(options: Options, context: CliContext): Promise<number> {
  const settings = await readSettings(options);
  if (!settings.ok) {
    for (const problem of settings.problem) context.complain(problem);
    return EXIT.problem;
  }
  const { seed, speed, scenario, port } = settings.value;
  const usedSeed = seed ?? scenario?.seed ?? 1;
  const clock = clockAt(speed);
  const start = clock.now();
  const simulator = createSimulator({
    seed: usedSeed,
    clock,
    ...(scenario === undefined ? {} : { scenario }),
    onStep: (step) => tellStep(step, start, context),
  });
  let server: SimulatorServer;
  try {
    server = await startSimulatorServer({ simulator, host: options.host, port });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    context.complain(`Cannot listen on ${options.host}:${port}: ${reason}`);
    return EXIT.problem;
  }
  // The model lives by requests alone; this makes a story tell itself when nobody asks.
  const pulse = setInterval(simulator.advance, 500);
  greet(server.url, usedSeed, scenario, context);
  await aborted(context.signal);
  clearInterval(pulse);
  await server.close();
  return EXIT.ok;
}

function tellStep(step: TakenStep, start: number, context: CliContext): void {
  const at = formatDuration(step.at - start);
  if (step.say !== undefined) context.print(`${at}  ${step.say}`);
  if (step.problem !== undefined)
    context.complain(`${at}  step ${step.index} could not be carried out: ${step.problem}`);
}

function greet(
  url: string,
  seed: number,
  scenario: Scenario | undefined,
  context: CliContext,
): void {
  const story = scenario === undefined ? "" : `, scenario "${scenario.name}"`;
  const control = `curl -X POST ${url}/_sim/control -d`;
  for (const line of [
    `A simulated aggregator serves ${ROUTES.length} endpoints at ${url} (seed ${seed}${story}).`,
    "",
    "Its fixed things, for a watchdog's configuration:",
    ...DEFAULT_SENDERS.map((sender) => `  sender       ${sender}`),
    ...DEFAULT_LIQUIDATIONS.map((id) => `  liquidation  ${id}`),
    `  key          ${DEFAULT_ACT_KEY.header}: ${DEFAULT_ACT_KEY.value}`,
    "",
    "Try:",
    `  curl ${url}/api/v1/exchange/list`,
    `  curl -X DELETE ${url}/api/v1/exchange/toggle/BINANCE`,
    `  curl ${url}/api/v1/exchange/disabled`,
    `  ${control} '{"do":"drain_pool","factory":"OrionV2","pair":"ORN-USDT","ratio":0.8}'`,
    `  curl ${url}/_sim/requests`,
    `  curl ${url}/_sim/          # everything that the control surface can do`,
    "",
    "Ctrl-C ends it.",
  ])
    context.print(line);
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

export const simulatorCommand: CliCommand<Options> = { name: "simulator", describe, run };
