import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { childEnvironment } from "../../child-environment.ts";

it("A thread that inflates is ended, and the process lives on: also the hundredth time", async () => {
  const program = join(import.meta.dirname, "ending-threads.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [program, "100"], {
    env: childEnvironment(),
  });
  expect(stdout).toBe("100 ended\n");
});
