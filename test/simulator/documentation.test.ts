/** Tests src/simulator: documentation. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CODES } from "../../src/simulator/routes/answer.ts";
import { COMMANDS } from "../../src/simulator/control/control.ts";
import { DEPLOYMENT_NAMES } from "../../src/simulator/deployment/deployment.ts";
import { FAULT_KINDS } from "../../src/simulator/routes/faults.ts";
import { ENDPOINT_NAMES } from "../../src/simulator/routes/interface.ts";
import { parseScenario } from "../../src/simulator/control/scenario.ts";

const text = readFileSync(join(import.meta.dirname, "../../docs/simulator.md"), "utf8");

describe("docs/simulator.md", () => {
  it("names every endpoint, command, field, fault and error code", () => {
    const fields = COMMANDS.filter(
      (one) => one.name !== "set_fault" && one.name !== "clear_faults",
    );
    const missing = [
      ...ENDPOINT_NAMES.map((name) => `\`${name}\``),
      ...COMMANDS.map(({ name }) => `\`${name}\``),
      ...fields.flatMap((one) => one.fields.map((field) => `\`${field}\``)),
      ...FAULT_KINDS.map((kind) => `"kind": "${kind}"`),
      ...Object.values(CODES).map(String),
      ...DEPLOYMENT_NAMES.map((name) => `\`${name}\``),
    ].filter((word) => !text.includes(word));
    expect(missing).toEqual([]);
  });

  it("shows a scenario that reads well", () => {
    const example = /```yaml\n([^]*?)```/.exec(text)?.[1] ?? "";
    const read = parseScenario(example, "example.yaml");
    expect(read.ok ? [] : read.problem).toEqual([]);
  });
});
