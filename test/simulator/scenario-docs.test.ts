/** Tests src/simulator/control/scenario-json-schema.ts: scenario docs. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { schemaText } from "../../src/cli/json-schemas.ts";
import { replaceSection } from "../../tools/describe.ts";
import {
  describeCommands,
  describeFaults,
  describeWorldKeys,
} from "../../tools/describe-scenario.ts";
import { scenarioJsonSchema } from "../../src/simulator/control/scenario-json-schema.ts";
import { parseScenario } from "../../src/simulator/control/scenario.ts";

const root = join(import.meta.dirname, "../..");
const docs = join(root, "docs/scenarios.md");

/** With UPDATE_DOCS=1 the file is written again; otherwise it must be right as it is. */
function checkFile(path: string, expected: string): void {
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(path, expected);
  else
    expect(readFileSync(path, "utf8"), `UPDATE_DOCS=1 npx vitest run test/simulator`).toBe(
      expected,
    );
}

describe("docs/scenarios.md", () => {
  it("lists every key of the world, every command and every fault, and docs/simulator.md the commands", () => {
    const sections = [
      ["world-keys", describeWorldKeys()],
      ["scenario-commands", describeCommands()],
      ["scenario-faults", describeFaults()],
    ] as const;
    const text = sections.reduce(
      (changed, [name, content]) => replaceSection(changed, name, content),
      readFileSync(docs, "utf8"),
    );
    checkFile(docs, text);
    const simulator = join(root, "docs/simulator.md");
    const before = readFileSync(simulator, "utf8");
    checkFile(simulator, replaceSection(before, "scenario-commands", describeCommands()));
  });

  it("shows a scenario that reads well", () => {
    const read = parseScenario(example(), "example.yaml");
    expect(read.ok ? [] : read.problem).toEqual([]);
  });
});

describe("schemas/scenario.schema.json", () => {
  it("is the schema that scenarios are checked with", () => {
    checkFile(join(root, "schemas/scenario.schema.json"), schemaText("scenario") ?? "");
  });

  it.each(["bad-day", "bad-replies"])("accepts deploy/scenarios/%s.yaml", (name) => {
    const validate = new Ajv({ strict: false, allowUnionTypes: true }).compile(
      scenarioJsonSchema(),
    );
    const text = readFileSync(join(root, `deploy/scenarios/${name}.yaml`), "utf8");
    expect(validate(parse(text)), JSON.stringify(validate.errors?.slice(0, 3))).toBe(true);
    expect(validate(parse(example()))).toBe(true);
  });

  it("refuses a command that is not one, and a field that a command does not have", () => {
    const validate = new Ajv({ strict: false, allowUnionTypes: true }).compile(
      scenarioJsonSchema(),
    );
    const of = (step: object) => ({ name: "x", steps: [{ at: "1s", ...step }] });
    expect(validate(of({ do: "explode" }))).toBe(false);
    expect(validate(of({ do: "disable_exchange", exchange: "OKX", colour: "red" }))).toBe(false);
    expect(validate(of({ do: "disable_exchange", exchange: "OKX" }))).toBe(true);
  });
});

function example(): string {
  return /```yaml\n([^]*?)```/.exec(readFileSync(docs, "utf8"))?.[1] ?? "";
}
