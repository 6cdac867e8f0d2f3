import { describe, expect, it } from "vitest";
import { commandLine } from "./command-line.ts";

const schema = async (...args: readonly string[]) => await commandLine(["schema", ...args]);

describe("aggwatch schema", () => {
  it("prints the schema of the config, or the one that is named", async () => {
    const config = await schema();
    expect(config.exitCode).toBe(0);
    expect(JSON.parse(config.printed)).toMatchObject({ title: "The config of aggwatch" });
    const rules = await schema("rules");
    expect(JSON.parse(rules.printed)).toMatchObject({ title: "Rules of aggwatch" });
    const scenario = await schema("scenario");
    expect(JSON.parse(scenario.printed)).toMatchObject({ required: ["name"] });
  });

  it("says which there are", async () => {
    const { exitCode, complained } = await schema("rulez");
    expect(exitCode).toBe(2);
    expect(complained).toContain("Allowed choices are config, rules, rule-tests, scenario.");
  });
});
