/** Tests src/cli: closed reader. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";

it("A reader that has seen enough ends the printing, and is not a failure", async () => {
  const command = spawn(process.execPath, ["src/main.ts", "schema", "rules"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  command.stdout.destroy();
  const [complained, [exitCode]] = await Promise.all([
    text(command.stderr),
    once(command, "exit") as Promise<[number]>,
  ]);
  expect([exitCode, complained]).toEqual([0, ""]);
});
