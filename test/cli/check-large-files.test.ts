/** Tests src/cli/check.ts, src/cli/check-watch.ts: files that are deep or wrong throughout, as made by a program. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../io/temporary-directory.ts";
import { commandLine } from "./command-line.ts";

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

describe("aggwatch check of a watch list", () => {
  it.each([
    ["nests without end", "[".repeat(10_000) + "]".repeat(10_000), "more than 200 brackets"],
    [
      "has more mistakes than a stack holds",
      `[{ "targets": [${"1,".repeat(200_000)}1] }]`,
      "$[0].targets[0]: this entry must be text, not a number (watch/bad-list)",
    ],
  ])("that %s says so in a few lines", async (_, list, problem) => {
    writeFileSync(join(directory.path, "desks.json"), list);
    const config = join(directory.path, "aggwatch.yaml");
    writeFileSync(
      config,
      "aggregators: [{ base_url: http://127.0.0.1:1, watch: { files: [desks.json] } }]\n",
    );
    const { exitCode, complained } = await commandLine(["check", "--config", config]);
    expect(exitCode).toBe(1);
    expect(complained).toContain(problem);
    expect(complained.length).toBeLessThan(20_000);
  });

  it("that has nearly as many orders as can be watched has nothing to say of them", async () => {
    const targets = Array.from({ length: 190_000 }, (_, index) => `0x${index.toString(16)}`);
    const list = [{ targets, labels: { kind: "liquidation" } }];
    writeFileSync(join(directory.path, "desks.json"), JSON.stringify(list));
    const config = join(directory.path, "aggwatch.yaml");
    writeFileSync(
      config,
      "aggregators: [{ base_url: http://127.0.0.1:1, watch: { files: [desks.json] } }]\n",
    );
    const rules = join(import.meta.dirname, "../../rules");
    const { exitCode, printed } = await commandLine([
      "check",
      "--config",
      config,
      "--rules",
      rules,
    ]);
    expect(exitCode).toBe(3);
    expect(printed).toContain("1 aggregator");
  });
});

const ones = (count: number): string => `[${"1,".repeat(count - 1)}1]`;

describe("aggwatch check of a config", () => {
  it.each([
    ["nests without end", "[".repeat(10_000) + "]".repeat(10_000), "more than 200 brackets"],
    ["nests without end by indents", "- ".repeat(10_000), "yaml/"],
    [
      "has a list that is too long",
      `aggregators: ${ones(150_000)}`,
      "a list or mapping has more than 100000 entries (yaml/too-wide)",
    ],
    [
      "has more mistakes than anyone reads",
      `{ aggregators: ${ones(70_000)}, notify: { routes: ${ones(70_000)} } }`,
      "more problems are not shown",
    ],
    ["is no YAML in every line", '- "a" b\n'.repeat(50_000), "49900 more problems are not shown"],
  ])("that %s says so, and no more than a screen or some", async (_, text, problem) => {
    const config = join(directory.path, "aggwatch.yaml");
    writeFileSync(config, text);
    const { exitCode, complained } = await commandLine(["check", "--config", config]);
    expect(exitCode).toBe(1);
    expect(complained).toContain(problem);
    expect(complained).not.toContain("RangeError");
    expect(complained.length).toBeLessThan(500_000);
  });
});
