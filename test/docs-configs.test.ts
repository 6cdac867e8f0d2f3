import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parseDocument } from "yaml";
import type { CheckReport } from "../src/cli/check.ts";
import { settingsSchema } from "../src/config/settings/settings-schema.ts";
import { commandLine } from "./cli/command-line.ts";

/** What a reader copies from README or docs is a config that `aggwatch check` accepts. */

const root = join(import.meta.dirname, "..");
const directory = mkdtempSync(join(tmpdir(), "aggwatch-docs-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const documents = [
  "README.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
];

type Example = { readonly place: string; readonly text: string };

/** The blocks of YAML whose keys are settings. */
const configs = documents.flatMap((document): Example[] => {
  const text = readFileSync(join(root, document), "utf8");
  return [...text.matchAll(/^```yaml\n(.*?)^```/gms)].flatMap(({ 1: block = "", index }) => {
    const value: unknown = parseDocument(block).toJS();
    const keys = typeof value === "object" && value !== null ? Object.keys(value) : [];
    const isConfig = keys.length > 0 && keys.every((key) => key in settingsSchema.in.shape);
    const line = text.slice(0, index).split("\n").length;
    return isConfig ? [{ place: `${document}:${line}`, text: block }] : [];
  });
});

/** What the files and variables that an example names lack here is none of its mistakes. */
const ABOUT_SURROUNDINGS = /cannot be read|is not set|is read from|is not there/;

async function check({ text }: Example): Promise<CheckReport> {
  const file = join(directory, "aggwatch.yaml");
  writeFileSync(file, text);
  const variables = [...text.matchAll(/_env: (\w+)/g)].map(([, name = ""]) => name);
  const env = {
    ...(text.includes("base_url") ? {} : { AGGWATCH_BASE_URL: "https://aggregator.example" }),
    AGGWATCH_RULES: join(root, "rules"),
    ...Object.fromEntries(variables.map((name) => [name, "https://hooks.example/services/x"])),
  };
  const { printed } = await commandLine(["check", "--json", "--config", file], env);
  return JSON.parse(printed) as CheckReport;
}

describe("the configs in the documents", () => {
  it("are found", () => {
    expect(configs.map(({ place }) => place.replace(/:.*/, ""))).toContain("README.md");
    expect(configs.length).toBeGreaterThan(5);
  });

  it.each(configs)("have no error: $place", async (example) => {
    const { problems } = await check(example);
    const wrong = problems.filter(
      ({ severity, message }) => severity === "error" && !ABOUT_SURROUNDINGS.test(message),
    );
    expect(wrong).toEqual([]);
  });

  it("give no warning with the shipped rules either, if it is README's", async () => {
    const first = configs.find(({ place }) => place.startsWith("README.md"));
    const { problems } = await check(first ?? { place: "", text: "" });
    expect(problems.filter(({ severity }) => severity !== "note")).toEqual([]);
  });
});
