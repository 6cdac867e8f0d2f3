import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { until } from "./until.ts";

export type ServerProgram = {
  /** `http://127.0.0.1:PORT`, as it said itself. */
  readonly url: string;
  /** Ends it, and waits until it has ended. */
  readonly stop: () => Promise<void>;
};

/** Prometheus and Alertmanager say so in their logs once they listen. */
const LISTENING = /msg="Listening on" address=(127\.0\.0\.1:\d+)/;

/** Starts Prometheus or Alertmanager, and waits until it answers. */
export async function startServerProgram(
  command: string,
  args: readonly string[],
): Promise<ServerProgram> {
  const child = spawn(command, args, { stdio: ["ignore", "ignore", "pipe"] });
  const exit = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    // It could not be started at all.
    child.once("error", () => resolve());
  });
  const printed: string[] = [];
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    await exit;
  };
  try {
    const address = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stderr }).on("line", (line) => {
        printed.push(line);
        const found = LISTENING.exec(line)?.[1];
        if (found !== undefined) resolve(found);
      });
      child.once("error", reject);
      child.once("exit", () => reject(new Error(`${command} ended early: ${printed.join("\n")}`)));
    });
    const url = `http://${address}`;
    await until(`${command} is ready`, async () =>
      (await fetch(`${url}/-/ready`)).ok ? true : undefined,
    );
    return { url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
