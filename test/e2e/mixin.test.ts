import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { expressions, filledIn } from "../deploy/dashboard-file.ts";
import { root, yamlFilesIn } from "../deploy/rule-files.ts";
import { findTool } from "./tools.ts";

const promtool = findTool(["promtool"], "the rules for Prometheus by promtool");
const amtool = findTool(["amtool"], "the config of Alertmanager by amtool");

function run(...args: readonly string[]): { status: number | null; output: string } {
  const done = spawnSync(promtool ?? "", args, { cwd: root, encoding: "utf8" });
  return { status: done.status, output: done.stdout + done.stderr };
}

describe.skipIf(promtool === undefined)("the rules for Prometheus", () => {
  it("are valid, and say nothing twice", () => {
    const files = yamlFilesIn("deploy/prometheus/rules");
    const { status, output } = run("check", "rules", "--lint=all", "--lint-fatal", ...files);
    expect(output).not.toContain("FAILED");
    expect(status, output).toBe(0);
  });

  it("fire, are quiet and bear missing data as their tests say", () => {
    const { status, output } = run("test", "rules", ...yamlFilesIn("deploy/prometheus/tests"));
    expect(status, output).toBe(0);
  });
});

describe.skipIf(promtool === undefined)("the dashboard", () => {
  it("asks in PromQL that promtool can parse", () => {
    const folder = mkdtempSync(join(tmpdir(), "aggwatch-e2e-"));
    const rules = expressions.map(([, expr], index) => ({
      record: `panel:expression:${index}`,
      expr: filledIn(expr),
    }));
    const file = join(folder, "dashboard.yaml");
    writeFileSync(file, stringify({ groups: [{ name: "dashboard", rules }] }));
    const { status, output } = run("check", "rules", file);
    rmSync(folder, { recursive: true });
    expect(status, output).toBe(0);
  });
});

describe("what compose gives to Prometheus and Alertmanager", () => {
  it.skipIf(promtool === undefined)("is a config that promtool accepts", () => {
    // The syntax alone, as the rules are elsewhere in the container.
    const file = "deploy/compose/prometheus.yaml";
    const { status, output } = run("check", "config", "--syntax-only", file);
    expect(status, output).toBe(0);
  });

  it.skipIf(amtool === undefined)("is a config that amtool accepts", () => {
    const done = spawnSync(amtool ?? "", ["check-config", "deploy/compose/alertmanager.yaml"], {
      cwd: root,
      encoding: "utf8",
    });
    expect(done.status, done.stdout + done.stderr).toBe(0);
  });
});
