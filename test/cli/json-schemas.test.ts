import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Ajv, type ValidateFunction } from "ajv";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { SCHEMA_NAMES, schemaText } from "../../src/cli/json-schemas.ts";
import { compileTexts } from "../config/rules/rule-text.ts";
import { load } from "../config/settings/settings-text.ts";

const root = join(import.meta.dirname, "../..");
const fileOf = (name: string): string => join(root, "schemas", `${name}.schema.json`);
const readText = (path: string): string => readFileSync(path, "utf8");

/** The YAML files that people are meant to read, to copy and to change. */
const shipped = ["rules", "deploy"]
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) =>
      join(root, folder, name),
    ),
  )
  .filter((path) => /\.ya?ml$/.test(path))
  .filter((path) => /^(?:groups|aggregators|tests|listen):/m.test(readText(path)))
  .filter((path) => !isForPrometheus(readText(path)));

/** Prometheus's own rules have groups, too, and their tests have tests. */
function isForPrometheus(text: string): boolean {
  return /^\s+expr:|^rule_files:/m.test(text);
}

const validators = new Map<string, ValidateFunction>();

/** Of the schema of this name; that of the config takes long to be made. */
function validator(name: string): ValidateFunction {
  const known = validators.get(name);
  if (known !== undefined) return known;
  // Descriptions and defaults are for editors; a word that is misspelt would be an error.
  const made = new Ajv({ strict: true, allErrors: true, allowUnionTypes: true }).compile(
    JSON.parse(schemaText(name) ?? "{}") as object,
  );
  validators.set(name, made);
  return made;
}

function errorsOf(name: string, value: unknown): string[] {
  const validate = validator(name);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message }) => `${instancePath} ${message ?? ""}`,
  );
}

describe("the JSON Schemas", () => {
  it.each(SCHEMA_NAMES)("are what the files are checked with: %s", (name) => {
    const text = schemaText(name) ?? "";
    if (process.env["UPDATE_DOCS"] === "1") {
      mkdirSync(dirname(fileOf(name)), { recursive: true });
      writeFileSync(fileOf(name), text);
    }
    expect(readText(fileOf(name)), "run UPDATE_DOCS=1 npx vitest run json-schemas").toBe(text);
    expect(text).not.toContain('"form"');
    expect(text.match(/"description"/g)?.length).toBeGreaterThan(10);
  });

  it("are all there is in their folder", () => {
    expect(readdirSync(join(root, "schemas")).sort()).toEqual(
      SCHEMA_NAMES.map((name) => `${name}.schema.json`).sort(),
    );
  });

  it.each(shipped.map((path) => [path.slice(root.length + 1), path] as const))(
    "are named by each shipped file in its first line, which fits: %s",
    (_, path) => {
      const text = readText(path);
      const named = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text)?.[1] ?? "none";
      const schema = resolve(dirname(path), named);
      expect(existsSync(schema), `${named} is not there`).toBe(true);
      const name = SCHEMA_NAMES.find((candidate) => fileOf(candidate) === schema) ?? "";
      expect(errorsOf(name, parse(text))).toEqual([]);
    },
  );

  it("fit the examples in the documents", () => {
    const documents = [
      "README.md",
      ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`),
    ];
    let count = 0;
    for (const name of documents.filter((path) => path.endsWith(".md")))
      for (const [, text = ""] of readText(join(root, name)).matchAll(/```yaml\n(.*?)```/gs)) {
        if (!/^(?:groups|aggregators|tests):/m.test(text) || isForPrometheus(text)) continue;
        count += 1;
        const key = /^(groups|tests|aggregators):/m.exec(text)?.[1] ?? "";
        const schema = { groups: "rules", tests: "rule-tests" }[key] ?? "config";
        expect(errorsOf(schema, parse(text)), `${name}: ${text}`).toEqual([]);
      }
    expect(count).toBeGreaterThan(1);
  });

  const rule = { alert: "A", each: "pool", when: "pool.base < 1" };
  it.each([
    ["rules", { groups: [{ name: "a", rules: [rule] }] }],
    ["rules", { groups: [{ name: "a", rules: [{ ...rule, for: "1h30m" }] }] }],
    ["rules", { groups: [{ name: "a", rules: [{ ...rule, for: 0 }] }] }],
    ["rules", { groups: [{ name: "a", rules: [{ ...rule, fro: "1h" }] }] }],
    ["rules", { groups: [{ name: "a", rules: [{ ...rule, for: 90 }] }] }],
    ["rules", { groups: [{ name: "a", rules: [{ ...rule, for: "soon" }] }] }],
    ["rules", { groups: [{ name: "a", rules: [{ ...rule, each: "pol" }] }] }],
    ["rules", { groups: [{ name: "a", rules: [{ ...rule, act: { action: "reboot" } }] }] }],
    ["rules", { groups: [{ rules: [] }] }],
    ["config", { aggregators: [{ base_url: "https://a.example/x", watch: { senders: ["0x1"] } }] }],
    ["config", { aggregators: [{ base_url: "https://a.example/x", watch: { senders: [{}] } }] }],
    ["config", { aggregators: [{ base_url: "https://a.example/x", schedules: { pools: "off" } }] }],
    ["config", { aggregators: [{ base_url: "https://a.example/x", schedules: { pools: null } }] }],
    ["config", { aggregators: [{ base_url: "https://a.example/x" }], actions: { mode: "live" } }],
    ["config", { aggregators: [{ base_url: "https://a.example/x" }], actoins: {} }],
    ["config", { aggregators: [{ base_url: "https://a.example/x", max_body_bytes: 65536 }] }],
    ["config", { aggregators: [{ base_url: "https://a.example/x", max_body_bytes: [65536] }] }],
  ])("say of a file what aggwatch says of it: %s %j", (name, value) => {
    const text = JSON.stringify(value);
    const isRight = name === "rules" ? compileTexts(text).ok : load({ text }).ok;
    expect(errorsOf(name, value).length === 0).toBe(isRight);
  });
});
