import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { stringify } from "yaml";
import { childEnvironment } from "../child-environment.ts";

const root = join(import.meta.dirname, "..", "..");

export type Demo = {
  /** Where the daemon serves its page and /metrics. */
  readonly url: string;
  readonly simulatorUrl: string;
  /** Puts another content into a file of the config's folder. */
  readonly write: (name: string, content: string) => void;
  /** Ends the daemon at once, with SIGKILL. */
  readonly kill: () => Promise<void>;
  /** Ends both, as an operator would, and gives their exit codes. */
  readonly stop: () => Promise<readonly (number | null)[]>;
};

/** Beside its defaults: further lines of the config, and files that it names, in its folder. */
export type DemoOptions = {
  /** Names of the aggregators, which are all the same simulator. */
  readonly names?: readonly string[];
  /** Settings of the aggregator, beside its name and base URL; otherwise exchanges are polled every second. */
  readonly aggregator?: Readonly<Record<string, unknown>>;
  readonly config?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  /** The folder of rules, in the config's folder; the shipped rules where there is none. */
  readonly rules?: string;
};

/** A daemon in shadow mode that watches a simulator: two processes, from the command line. */
export async function startDemo(options: DemoOptions = {}): Promise<Demo> {
  const directory = mkdtempSync(join(tmpdir(), "aggwatch-e2e-"));
  const started: Started[] = [];
  const stop = async (): Promise<readonly (number | null)[]> => {
    const codes: (number | null)[] = [];
    for (const program of started.toReversed()) codes.push(await program.stop());
    rmSync(directory, { recursive: true, force: true });
    return codes;
  };
  try {
    const simulator = startProgram(["simulator", "--port", "0"]);
    started.push(simulator);
    const simulatorUrl = await simulator.address;
    const config = join(directory, "aggwatch.yaml");
    writeFileSync(config, [configFor(simulatorUrl, options), ...(options.config ?? [])].join("\n"));
    const write = (name: string, content: string): void => {
      mkdirSync(dirname(join(directory, name)), { recursive: true });
      writeFileSync(join(directory, name), content);
    };
    for (const [name, content] of Object.entries(options.files ?? {})) write(name, content);
    const rules =
      options.rules === undefined ? join(root, "rules") : join(directory, options.rules);
    const data = join(directory, "data");
    const paths = ["--config", config, "--data", data, "--rules", rules];
    const daemon = startProgram(["run", "--listen", "127.0.0.1:0", ...paths]);
    started.push(daemon);
    return { url: await daemon.address, simulatorUrl, write, kill: daemon.kill, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function configFor(
  simulatorUrl: string,
  { aggregator, names = ["simulated"] }: DemoOptions,
): string {
  const settings = aggregator ?? { schedules: { exchanges: "* * * * * *" } };
  return stringify({
    aggregators: names.map((name) => ({ name, base_url: simulatorUrl, ...settings })),
  });
}

export type Started = {
  /** The first address that it prints. Rejects when it ends before. */
  readonly address: Promise<string>;
  readonly stop: () => Promise<number | null>;
  readonly kill: () => Promise<void>;
  /** Its exit code, once it has ended. */
  readonly ended: Promise<number | null>;
};

/** Starts aggwatch with these arguments, as a process of its own, with Node options of its own. */
export function startProgram(
  args: readonly string[],
  nodeOptions: readonly string[] = [],
): Started {
  const child = spawn(process.execPath, [...nodeOptions, "src/main.ts", ...args], {
    cwd: root,
    env: childEnvironment(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exit = once(child, "exit");
  const printed: string[] = [];
  const address = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on("line", (line) => {
        printed.push(line);
        const found = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
        if (found !== undefined) resolve(found);
      });
    child.once("exit", () => reject(new Error(`${args[0]} ended early: ${printed.join("\n")}`)));
  });
  const stop = async (): Promise<number | null> => {
    if (child.exitCode === null) child.kill("SIGTERM");
    await exit;
    return child.exitCode;
  };
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exit;
  };
  return { address, stop, kill, ended: exit.then(() => child.exitCode) };
}
