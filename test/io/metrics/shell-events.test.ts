/** Tests src/io/metrics/definition.ts: the events that no finding of the core reports. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const SOURCES = join(import.meta.dirname, "../../../src");
const METRICS = "io/metrics/";

const textOf = (path: string): string => readFileSync(join(SOURCES, path), "utf8");

it("are each raised by something, or their metrics would stay at 0 whatever happens", () => {
  const [, declared = ""] =
    /export type ShellEvent =([^;]*(?:;[^;]*?)*?);\n\n/.exec(textOf(`${METRICS}definition.ts`)) ??
    [];
  const types = [...declared.matchAll(/readonly type: "(\w+)"/g)].map(([, type = ""]) => type);
  expect(types).toContain("heartbeat");
  const elsewhere = readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.startsWith(METRICS))
    .map(textOf)
    .join("\n");
  const unraised = types.filter((type) => !elsewhere.includes(`{ type: "${type}"`));
  expect(unraised.map((type) => `nothing outside of ${METRICS} raises "${type}"`)).toEqual([]);
});
