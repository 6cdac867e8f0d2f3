import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startDemo } from "./start-demo.ts";
import type { Demo } from "./start-demo.ts";
import { findTool } from "./tools.ts";

const promtool = findTool(["promtool"], "the metrics by promtool");

describe("the daemon from the command line", () => {
  let demo: Demo;

  beforeAll(async () => {
    demo = await startDemo();
  });

  afterAll(async () => {
    await demo?.stop();
  });

  const metrics = async (): Promise<string> => (await fetch(`${demo.url}/metrics`)).text();

  it.skipIf(promtool === undefined)("exports metrics that promtool accepts", async () => {
    const text = await metrics();
    expect(text).toContain("aggwatch_build_info");
    const check = spawnSync(promtool ?? "", ["check", "metrics"], {
      input: text,
      encoding: "utf8",
    });
    expect(check.stderr + check.stdout).toBe("");
    expect(check.status).toBe(0);
  });

  it("ends with exit code 0 on SIGTERM", async () => {
    expect(await demo.stop()).toEqual([0, 0]);
  });
});
