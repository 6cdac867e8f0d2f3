import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const main = join(import.meta.dirname, "../src/main.ts");

/** Loaded before the program: sends it a second signal a moment after the first, while it closes. */
const IMPATIENT = `data:text/javascript,${encodeURIComponent(
  'process.once("SIGTERM", () => setImmediate(() => process.kill(process.pid, "SIGTERM")));',
)}`;

describe("the process", () => {
  // npm passes on a Ctrl-C that the terminal has sent to its child already.
  it("ends in its own time when a second signal comes", async () => {
    const args = ["--import", IMPATIENT, main, "simulator", "--port", "0"];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const closed = once(child, "close");
    await once(child.stdout, "data");
    child.kill("SIGTERM");
    expect(await closed).toEqual([0, null]);
  });
});
