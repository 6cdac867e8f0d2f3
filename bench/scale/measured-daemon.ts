import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { rolldown } from "rolldown";
import { childEnvironment } from "../../test/child-environment.ts";
import type { Sample } from "./inside.ts";

const root = join(import.meta.dirname, "..", "..");

export type MeasuredDaemon = {
  readonly url: string;
  /** What the process has used; `collect` collects garbage first. */
  readonly ask: (what: "sample" | "collect") => Promise<Sample>;
  /** Ends it as an operator would. */
  readonly stop: () => Promise<void>;
  /** Ends it as a crash does. */
  readonly kill: () => Promise<void>;
};

/** As operations.md advises. On a machine with much memory it would be 64, and the young generation would hold 128 MB. */
export const SEMI_SPACE_MB = 16;

/** As in the image and the unit of systemd. */
const MALLOC = { MALLOC_ARENA_MAX: "1" };

/**
 * `inside.ts` as JavaScript: to strip its types, Node would load 17 MB and need 40 ms in the process that is measured, and
 * as much again in each of its threads.
 */
async function insideModule(): Promise<string> {
  const bundle = await rolldown({
    input: join(import.meta.dirname, "inside.ts"),
    platform: "node",
  });
  const { output } = await bundle.generate({ format: "esm" });
  await bundle.close();
  return `data:text/javascript,${encodeURIComponent(output[0].code)}`;
}

/** Made once, so that no start that is timed makes it. */
let inside: Promise<string> | undefined;

/**
 * The daemon as a process of its own, which `inside.ts` measures from within; from source, or that of a package. In a
 * `home` it keeps its compiled modules for the next start, as it does for users.
 */
export async function startMeasured(
  paths: readonly string[],
  heapMb: number,
  program = "src/main.ts",
  home?: string,
): Promise<MeasuredDaemon> {
  inside ??= insideModule();
  const imported = await inside;
  const child = spawn(
    process.execPath,
    [
      `--max-old-space-size=${heapMb}`,
      `--max-semi-space-size=${SEMI_SPACE_MB}`,
      "--expose-gc",
      `--import=${imported}`,
      program,
      "run",
      "--listen",
      "127.0.0.1:0",
      ...paths,
    ],
    {
      cwd: root,
      env: {
        ...childEnvironment(),
        ...MALLOC,
        ...(home === undefined ? {} : { HOME: home }),
      },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    },
  );
  const printed: string[] = [];
  const end = async (signal: "SIGTERM" | "SIGKILL"): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "close");
    child.kill(signal);
    await ended;
  };
  const failed = once(child, "exit").then(([code]: unknown[]) => {
    throw new Error(`the daemon ended with ${String(code)}: ${printed.slice(-5).join("\n")}`);
  });
  failed.catch(() => undefined);
  const address = new Promise<string>((resolve) => {
    const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
    for (const input of streams)
      createInterface({ input }).on("line", (line) => {
        const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
        if (url !== undefined) resolve(url);
        printed.push(line);
        if (printed.length > 100) printed.shift();
      });
  });
  return {
    url: await Promise.race([address, failed]),
    stop: async () => await end("SIGTERM"),
    kill: async () => await end("SIGKILL"),
    ask: async (what) => {
      const reply = once(child, "message");
      child.send(what);
      const [sample] = (await Promise.race([reply, failed])) as [Sample];
      return sample;
    },
  };
}
