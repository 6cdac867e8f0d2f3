import { formatDuration, type Clock } from "../domain/time.ts";
import { systemClock } from "../io/process/clock.ts";
import { messageOf } from "../domain/error-message.ts";
import { hostInUrl, type RunningServer } from "../io/http/listen.ts";
import { startSimulatorServer } from "../io/http/simulator-server.ts";
import { DEFAULT_ACT_KEY } from "../simulator/routes/authority.ts";
import { DEFAULT_LIQUIDATIONS, DEFAULT_SENDERS } from "../simulator/model/default-world.ts";
import { differencesOf, USUAL, type Deployment } from "../simulator/deployment/deployment.ts";
import { printProfile } from "../simulator/deployment/profile.ts";
import { ROUTES } from "../simulator/routes/interface.ts";
import { createSimulator, type Simulator, type TakenStep } from "../simulator/simulator.ts";
import { EXIT, refuse, untilAborted } from "./context.ts";
import type { CliCommand, CliContext } from "./context.ts";
import {
  describeSimulator,
  readSimulatorSettings,
  type SimulatorCliOptions,
  type SimulatorSettings,
} from "./simulator-options.ts";

/** A clock that runs so many times faster from now on. */
function clockAt(speed: number): Clock {
  const clock = systemClock();
  const start = clock.now();
  return { now: () => Math.round(start + (clock.now() - start) * speed) };
}

async function run(options: SimulatorCliOptions, context: CliContext): Promise<number> {
  const read = readSimulatorSettings(options);
  if (!read.ok) return refuse(context, read.problem);
  const settings = read.value;
  if (settings.printProfile && settings.deployment !== undefined) {
    context.output(profileText(settings, settings.deployment));
    return EXIT.ok;
  }
  const simulator = createFrom(settings, context);
  const { host, port } = settings;
  let server: RunningServer;
  try {
    server = await startSimulatorServer({ simulator, host, port, signal: context.signal });
  } catch (error) {
    if (context.signal.aborted) return EXIT.ok;
    const problem = `Cannot listen on ${host}:${port}: ${messageOf(error)}.`;
    return refuse(context, `${problem} Give another address with --host and --port.`);
  }
  // The model advances with requests alone; this runs a scenario between them.
  const pulse = setInterval(simulator.advance, 500);
  greet(server.url, settings, context);
  await untilAborted(context.signal);
  clearInterval(pulse);
  await server.close();
  return EXIT.ok;
}

function createFrom(settings: SimulatorSettings, context: CliContext): Simulator {
  const { seed, speed, actKey, basePath, etags, scenario, deployment } = settings;
  return createSimulator({
    seed,
    clock: clockAt(speed),
    actKey,
    basePath,
    etags,
    scenario,
    deployment,
    onStep: (step) => printStep(step, context),
  });
}

function printStep(step: TakenStep, context: CliContext): void {
  const at = formatDuration(step.afterMs);
  if (step.say !== undefined) context.print(`${at}  ${step.say}`);
  if (step.problem !== undefined)
    context.complain(`${at}  step ${step.index} could not be carried out: ${step.problem}`);
}

/** What is watched by name in the world that is served. */
function watched({ scenario }: SimulatorSettings): Readonly<Record<string, readonly string[]>> {
  return {
    senders: scenario?.world?.senders ?? DEFAULT_SENDERS,
    liquidations: scenario?.world?.liquidations?.map(({ id }) => id) ?? DEFAULT_LIQUIDATIONS,
  };
}

function profileText(settings: SimulatorSettings, deployment: Deployment): string {
  const { host, port, basePath } = settings;
  const url = `http://${hostInUrl(host)}:${port}${basePath}`;
  return printProfile(deployment, url, watched(settings)).trimEnd();
}

function greet(root: string, settings: SimulatorSettings, context: CliContext): void {
  const { seed, scenario, actKey, basePath, deployment = USUAL } = settings;
  const url = `${root}${basePath}`;
  const api = `${url}${deployment.prefix}`;
  const named = scenario === undefined ? "" : `, scenario "${scenario.name}"`;
  const control = `curl -X POST ${root}/_sim/control -d`;
  const { senders = [], liquidations = [] } = watched(settings);
  const key = actKey.value === DEFAULT_ACT_KEY.value ? actKey.value : "(as in its file)";
  for (const line of [
    `A simulated aggregator serves ${ROUTES.length} endpoints at ${url} (seed ${seed}${named}).`,
    ...(deployment === USUAL
      ? []
      : [`It differs from the usual: ${differencesOf(deployment).join(", ")}.`]),
    "",
    "Its fixed things, for a watchdog's configuration:",
    ...senders.map((sender) => `  sender       ${sender}`),
    ...liquidations.map((id) => `  liquidation  ${id}`),
    `  key          ${actKey.header}: ${key}`,
    "",
    "Try:",
    `  curl ${api}/exchange/list`,
    `  curl -X DELETE ${api}/exchange/toggle/BINANCE`,
    `  curl ${api}/exchange/disabled`,
    `  ${control} '{"do":"drain_pool","factory":"OrionV2","pair":"ORN-USDT","ratio":0.8}'`,
    `  curl ${root}/_sim/requests`,
    `  curl ${root}/_sim/          # everything that the control surface can do`,
    "",
    "Ctrl-C ends it.",
  ])
    context.print(line);
}

export const simulatorCommand: CliCommand<SimulatorCliOptions> = {
  name: "simulator",
  describe: describeSimulator,
  run,
};
