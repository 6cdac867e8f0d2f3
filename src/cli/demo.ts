import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "../io/process/clock.ts";
import { counted } from "../domain/wording.ts";
import { messageOf } from "../domain/error-message.ts";
import { createLog } from "../io/process/log.ts";
import { shippedFile } from "../io/process/own-files.ts";
import { startSimulatorServer } from "../io/http/simulator-server.ts";
import { narrateDemo } from "../demo/narrator.ts";
import { startWatchdog, type Watchdog } from "../run/watchdog.ts";
import { DEFAULT_ACT_KEY } from "../simulator/routes/authority.ts";
import type { Scenario } from "../simulator/control/scenario-schema.ts";
import { parseScenario } from "../simulator/control/scenario.ts";
import { createSimulator, type Simulator } from "../simulator/simulator.ts";
import { EXIT, refuse, untilAborted, type CliCommand, type CliContext } from "./context.ts";
import { loadAll } from "./load.ts";
import { packageVersion } from "./package-version.ts";
import { setupOf } from "./setup-of.ts";
import { readPort } from "./simulator-options.ts";

type DemoOptions = {
  readonly once?: boolean;
  readonly port: string;
  readonly simulatorPort: string;
};

/** `aggwatch demo`: simulator and watchdog together, as a story of about two minutes. */
export const demoCommand: CliCommand<DemoOptions> = {
  name: "demo",
  describe: (command) =>
    command
      .description("Shows aggwatch at work on a simulated aggregator: a story of two minutes.")
      .option("--once", "end after the story: exit 0, or 1 if an expected step did not happen")
      .option("--port <port>", "the watchdog's port; 0 lets the system choose", "9733")
      .option("--simulator-port <port>", "the simulator's port; 0 lets the system choose", "0"),
  run: async (options, context) => {
    const problems = badPorts(options);
    if (problems.length > 0) return refuse(context, { line: problems });
    const clock = systemClock();
    const stopped = exitOfStopped(options);
    let directory: string | undefined;
    try {
      directory = mkdtempSync(join(tmpdir(), "aggwatch-demo-"));
      const scenario = demoScenario();
      const simulator = createSimulator({
        seed: scenario.seed ?? 1,
        clock,
        scenario,
        isStepwise: true,
      });
      const port = Number(options.simulatorPort);
      const { signal } = context;
      const server = await startSimulatorServer({ simulator, host: "127.0.0.1", port, signal });
      try {
        const watchdog = await startDemoWatchdog(options, context, server.url, directory);
        if (watchdog === undefined) return context.signal.aborted ? stopped : EXIT.problem;
        try {
          return await play(options, context, { simulator, watchdog, simulatorUrl: server.url });
        } finally {
          await watchdog.stop();
        }
      } finally {
        await server.close();
      }
    } catch (error) {
      if (context.signal.aborted) return stopped;
      return refuse(context, `the demo cannot start: ${messageOf(error)}`);
    } finally {
      if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
    }
  },
};

/** With --once the exit code says if every step happened, which an interrupted story cannot say. */
function exitOfStopped({ once }: DemoOptions): number {
  return once === true ? EXIT.problem : EXIT.ok;
}

function badPorts({ port, simulatorPort }: DemoOptions): string[] {
  return [readPort("--port", port), readPort("--simulator-port", simulatorPort)].flatMap((read) =>
    read.ok ? [] : [read.problem],
  );
}

const DEMO_FILES = fileURLToPath(shippedFile("deploy/demo/"));

/** What happens to the aggregator; the demo takes the next step when it has seen the effect of the last. */
function demoScenario(): Scenario {
  const file = fileURLToPath(shippedFile("deploy/scenarios/demo.yaml"));
  const read = parseScenario(readFileSync(file, "utf8"), file);
  if (!read.ok) throw new Error(read.problem.join("\n"));
  return read.value;
}

async function startDemoWatchdog(
  options: DemoOptions,
  context: CliContext,
  simulatorUrl: string,
  data: string,
): Promise<Watchdog | undefined> {
  const loaded = loadAll({
    config: join(DEMO_FILES, "aggwatch.yaml"),
    env: { AGGWATCH_BASE_URL: simulatorUrl, DEMO_ACT_KEY: DEFAULT_ACT_KEY.value },
    flags: { rules: join(DEMO_FILES, "rules"), data, listen: `127.0.0.1:${options.port}` },
  });
  if (!loaded.ok) {
    context.complain(loaded.problem);
    return undefined;
  }
  // The story is printed instead of the log; what is fatal is still logged.
  const log = createLog({ level: "fatal", format: "auto" }, context, context.complain);
  const surroundings = { log, version: packageVersion(), nodeVersion: context.nodeVersion };
  const { settings, rules } = loaded.value;
  const { signal } = context;
  const started = await startWatchdog(setupOf(settings, rules, surroundings), { signal });
  if (started.ok) return started.value;
  if (signal.aborted) return undefined;
  context.complain(`${started.problem} (demo: --port PORT)`);
  return undefined;
}

async function play(
  options: DemoOptions,
  context: CliContext,
  scene: {
    readonly simulator: Simulator;
    readonly watchdog: Watchdog;
    readonly simulatorUrl: string;
  },
): Promise<number> {
  const { print, signal, isColoured: colours = false } = context;
  const { simulator, watchdog, simulatorUrl } = scene;
  const { url } = watchdog;
  print("aggwatch watches a simulated aggregator, and acts for real against it.");
  print(`  page       ${url}/`);
  print(`  metrics    ${url}/metrics`);
  print(`  simulator  ${simulatorUrl}/_sim/`);
  const clock = systemClock();
  const missed = await narrateDemo({ simulator, url, clock, print, signal, colours });
  print("");
  if (signal.aborted) {
    print("Stopped.");
    return exitOfStopped(options);
  }
  if (missed.length > 0) {
    context.complain(`${counted(missed.length, "expected step")} did not happen:`);
    for (const text of missed) context.complain(`  ${text}`);
  } else print("The end: everything happened as expected.");
  if (options.once === true) return missed.length === 0 ? EXIT.ok : EXIT.problem;
  print("Both keep running: look at the page, or make trouble of your own. Ctrl-C ends them.");
  print(`  curl -X DELETE ${simulatorUrl}/api/v1/exchange/toggle/OKX`);
  const broken = await Promise.race([watchdog.broken, untilAborted(signal)]);
  if (broken === undefined) return EXIT.ok;
  return refuse(context, `aggwatch gave up: ${messageOf(broken)}`, EXIT.bug);
}
