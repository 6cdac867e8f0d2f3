import { execFileSync, spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { commandLine } from "./command-line.ts";

async function completion(shell: string) {
  const { printed: script, ...ran } = await commandLine(["completion", shell]);
  return { ...ran, script };
}

/** What bash completes the words to, the last of which is being typed. */
function completed(script: string, ...words: readonly string[]): string[] {
  const line = words.map((word) => `'${word}'`).join(" ");
  const ask = `COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _aggwatch; echo "\${COMPREPLY[@]}"`;
  const out = execFileSync("bash", ["-c", `${script}\n${ask}`], { encoding: "utf8" });
  return out.trim().split(" ");
}

/** What fish completes the line to, if there is a fish. */
function completedByFish(script: string, line: string): string[] {
  const ask = `complete -C '${line}' | string replace -r '\\t.*' ''; true`;
  const out = execFileSync("fish", ["--no-config", "-c", `${script}\n${ask}`], {
    encoding: "utf8",
  });
  return out.split("\n").filter((word) => word !== "");
}

const hasFish = spawnSync("fish", ["--version"]).status === 0;

describe("completion", () => {
  it("knows in bash every command and its options", async () => {
    const { script } = await completion("bash");
    expect(completed(script, "aggwatch", "un")).toEqual(["unsilence", "unkill", "unquarantine"]);
    expect(completed(script, "aggwatch", "approve", "--")).toEqual([
      "--url",
      "--json",
      "--reason",
      "--token-file",
      "--digest",
      "--yes",
      "--color",
    ]);
  });

  it("knows what may follow: a verb, the values of an option, or a file", async () => {
    const { script } = await completion("bash");
    expect(completed(script, "aggwatch", "journal", "i")).toEqual(["info"]);
    expect(completed(script, "aggwatch", "alerts", "--state", "f")).toEqual(["firing"]);
    expect(completed(script, "aggwatch", "status", "--color", "a")).toEqual(["auto", "always"]);
    expect(completed(script, "aggwatch", "completion", "")).toEqual(["bash", "zsh", "fish"]);
    const schemas = ["config", "rules", "rule-tests", "scenario"];
    expect(completed(script, "aggwatch", "schema", "")).toEqual(schemas);
    // None of its own, so that the shell completes files.
    expect(completed(script, "aggwatch", "run", "--config", "")).toEqual([""]);
    expect(completed(script, "aggwatch", "test", "")).toEqual([""]);
    expect(completed(script, "aggwatch", "journal", "backup", "")).toEqual([""]);
  });

  it("knows values that are several or one of many, or behind an equals sign", async () => {
    const { script } = await completion("bash");
    expect(completed(script, "aggwatch", "timeline", "--type", "pol")).toEqual([
      "polled",
      "policy",
    ]);
    expect(completed(script, "aggwatch", "simulator", "--deployment", "k")).toEqual(["keyed"]);
    // In bash, the sign is a word of its own.
    const state = ["aggwatch", "alerts", "--state"];
    expect(completed(script, ...state, "=", "f")).toEqual(["firing"]);
    expect(completed(script, ...state, "=")).toEqual(["firing", "pending", "resolved"]);
    expect(completed(script, "aggwatch", "journal", "--data", "=", "")).toEqual([""]);
    // In zsh it is not.
    expect(completed(script, "aggwatch", "alerts", "--state=f")).toEqual(["--state=firing"]);
    expect(completed(script, "aggwatch", "--color=a")).toEqual(["--color=auto", "--color=always"]);
    for (const colored of [["--color=never"], ["--color", "=", "never"]]) {
      expect(completed(script, "aggwatch", ...colored, "unk")).toEqual(["unkill"]);
      expect(completed(script, "aggwatch", ...colored, "alerts", "--state=f")).toEqual([
        "--state=firing",
      ]);
    }
  });

  it("knows all of it behind an option that stands before the command", async () => {
    const { script } = await completion("bash");
    expect(completed(script, "aggwatch", "--color", "a")).toEqual(["auto", "always"]);
    const colored = ["aggwatch", "--color", "never"];
    expect(completed(script, ...colored, "unk")).toEqual(["unkill"]);
    expect(completed(script, ...colored, "journal", "i")).toEqual(["info"]);
    expect(completed(script, ...colored, "alerts", "--state", "f")).toEqual(["firing"]);
    expect(completed(script, ...colored, "journal", "backup", "")).toEqual([""]);
  });

  it("leaves out what stands for another option", async () => {
    const { script } = await completion("bash");
    expect(completed(script, "aggwatch", "hold", "--al")).toEqual([""]);
    expect(completed(script, "aggwatch", "alerts", "--al")).toEqual(["--alertname", "--all"]);
  });

  it("is there for zsh and fish", async () => {
    expect((await completion("zsh")).script).toMatch(/autoload -U \+X bashcompinit/);
    const { script } = await completion("fish");
    expect(script).toContain("-a approve -d 'Approves what a proposal shows;");
    expect(script).toContain("'__aggwatch_runs hold' -l until -r\n");
    expect(script).toContain("'__aggwatch_begins notify' -f -a 'test'\n");
    expect(script).toContain("'__aggwatch_runs status' -l json\n");
  });

  it.runIf(hasFish)("takes in fish no later word for the command", async () => {
    const { script } = await completion("fish");
    expect(completedByFish(script, "aggwatch unk")).toEqual(["unkill"]);
    expect(completedByFish(script, "aggwatch --color a")).toEqual(["always", "auto"]);
    expect(completedByFish(script, "aggwatch --color never unk")).toEqual(["unkill"]);
    expect(completedByFish(script, "aggwatch journal i")).toEqual(["info"]);
    expect(completedByFish(script, "aggwatch --color never journal i")).toEqual(["info"]);
    expect(completedByFish(script, "aggwatch alerts --state f")).toEqual(["firing"]);
    expect(completedByFish(script, "aggwatch status --color a")).toEqual(["always", "auto"]);
    // These options are of the commands `check`, `test` and `status`.
    expect(completedByFish(script, "aggwatch journal check --r")).toEqual([]);
    expect(completedByFish(script, "aggwatch notify test --ju")).toEqual([]);
    expect(completedByFish(script, "aggwatch hold --reason status --w")).toEqual([]);
    // A verb was given.
    expect(completedByFish(script, "aggwatch watch add remo")).toEqual([]);
  });

  it("says which shells there are", async () => {
    expect(await completion("constructor")).toMatchObject({
      exitCode: 2,
      complained: expect.stringContaining("Allowed choices are bash, zsh, fish."),
    });
  });
});
