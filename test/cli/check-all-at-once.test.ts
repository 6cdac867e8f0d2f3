/** Tests src/cli/check.ts: that mistakes of all stages are told at once, and nothing that follows from them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { CheckReport } from "../../src/cli/check.ts";
import { commandLine } from "./command-line.ts";
import { MISTAKES, put, soundWorld, type Mistake, type World } from "./mistakes.ts";

let directory = "";
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "aggwatch-all-at-once-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

/** The errors that `aggwatch check` tells, each as `id path`, in its order. */
async function errorsOf(mistakes: readonly Mistake[]): Promise<readonly string[]> {
  const world = soundWorld();
  for (const { make } of mistakes) make(world);
  const room = mkdtempSync(join(directory, "a-"));
  const config = join(room, "aggwatch.json");
  const files = { ...world.files, "rules/all.yaml": world.rules, "aggwatch.json": world.config };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(room, name)), { recursive: true });
    writeFileSync(
      join(room, name),
      typeof content === "string" ? content : JSON.stringify(content, undefined, 1),
    );
  }
  const { printed } = await commandLine(["check", "--config", config, "--json"], {
    DATABASE: "postgres://a@database.example/a",
    SECRET: "s",
    PING: "https://ping.example/a",
  });
  const { problems } = JSON.parse(printed) as CheckReport;
  const errors = problems.filter(({ severity }) => severity === "error");
  const places = errors.map(({ file, line, column }) => ({ file, line, column }));
  expect(places).toEqual(places.toSorted(byPlace));
  return errors.map(({ id, path }) => `${id} ${path ?? ""}`.trimEnd());
}

type Place = { readonly file: string; readonly line: number; readonly column: number };

function byPlace(one: Place, other: Place): number {
  if (one.file !== other.file) return one.file < other.file ? -1 : 1;
  return one.line - other.line || one.column - other.column;
}

describe("all mistakes at once", () => {
  it("has nothing to say of a sound world", async () => {
    expect(await errorsOf([])).toEqual([]);
  });

  it.each(MISTAKES.map((mistake) => [mistake.tells, mistake] as const))(
    "tells one mistake alone as what it is, and nothing that follows from it: %s",
    async (_, mistake) => {
      expect(await errorsOf([mistake])).toEqual([mistake.tells]);
    },
  );

  it.each<[string, (world: World) => void, readonly string[]]>([
    [
      "a rule that is inhibited by one with a mistake",
      ({ rules }) => {
        put(rules, "groups[0].rules[0].for", "long");
        put(rules, "groups[0].rules[1].inhibited_by", ["A"]);
      },
      ["rule/bad-value groups[0].rules[0].for"],
    ],
    [
      "a rule that is inhibited by one whose name is misspelt as a key",
      ({ rules }) => {
        put(rules, "groups[0].rules[0].alert", undefined);
        put(rules, "groups[0].rules[0].alrt", "A");
        put(rules, "groups[0].rules[1].inhibited_by", ["A"]);
      },
      ["rule/missing groups[0].rules[0].alert", "rule/unknown-key groups[0].rules[0].alrt"],
    ],
    [
      "the rules of a directory that is not named",
      ({ config }) => put(config, "rules", 5),
      ["config/bad-value rules"],
    ],
    [
      "a status of two kinds, of which one is the default of a list that is broken",
      ({ config }) => {
        put(config, "aggregators[0].statuses", { open: 5, final: ["NEW"], cancelable: ["A"] });
        put(config, "aggregators[1].swap_statuses", { activ: ["A"], expired: ["ACTIVE"] });
      },
      [
        "config/bad-value aggregators[0].statuses.open",
        "config/unknown-key aggregators[1].swap_statuses.activ",
      ],
    ],
    [
      "the same file in two aggregators",
      ({ files }) => (files["watch.yaml"] = "5"),
      ["watch/bad-list"],
    ],
    [
      "shards without a database that is not named well",
      ({ config }) => put(config, "journal.postgres", "DATABASE"),
      ["config/bad-value journal.postgres"],
    ],
    [
      "a lease that is too short for a request of an unknown length",
      ({ config }) => {
        put(config, "journal.postgres.lease", "12s");
        for (const index of [0, 1, 2, 3]) put(config, `aggregators[${index}].timeout`, "5s");
        put(config, "aggregators[3].timeout", "5");
      },
      ["config/bad-value aggregators[3].timeout"],
    ],
    [
      "what a database would be needed for, if its key is misspelt",
      ({ config }) => {
        put(config, "journal.postgres", undefined);
        put(config, "journal.postgers", { url_env: "DATABASE" });
      },
      ["config/unknown-key journal.postgers"],
    ],
    [
      "two lists of the same name, of which neither has an address",
      ({ config }) =>
        put(config, "aggregators[0].watch.http", [{ every: "1m" }, { every: "2m", ul: "a" }]),
      [
        "config/missing aggregators[0].watch.http[0].url",
        "config/missing aggregators[0].watch.http[1].url",
        "config/unknown-key aggregators[0].watch.http[1].ul",
      ],
    ],
    [
      "a certificate and a user that are missing, if their keys are misspelt",
      ({ config }) => {
        put(config, "aggregators[0].tls", { cert_fil: "a.pem", key_file: "b.pem" });
        const proxy = { url: "http://proxy.example", usernam: "u", password_env: "SECRET" };
        put(config, "aggregators[1].proxy", proxy);
      },
      [
        "config/unknown-key aggregators[0].tls.cert_fil",
        "config/unknown-key aggregators[1].proxy.usernam",
      ],
    ],
  ])("tells nothing that follows: %s", async (_, make, told) => {
    expect(await errorsOf([{ make, tells: "" }])).toEqual(told);
  });

  it("tells nothing of rules that are nowhere, if the config that may name their place cannot be read", async () => {
    const room = mkdtempSync(join(directory, "b-"));
    const [config, missing] = [join(room, "a.yaml"), join(room, "missing.yaml")];
    writeFileSync(config, "rules: [");
    const before = process.cwd();
    process.chdir(room);
    onTestFinished(() => process.chdir(before));
    for (const [file, id] of [
      [config, "yaml/syntax"],
      [missing, "config/unreadable"],
    ] as const) {
      const { printed } = await commandLine(["check", "--config", file, "--json"]);
      const { problems } = JSON.parse(printed) as CheckReport;
      const ids = new Set(problems.map((problem) => problem.id));
      expect(ids.has(id)).toBe(true);
      expect(ids.has("rule/unreadable")).toBe(false);
    }
  });

  it("tells all of them together", async () => {
    expect((await errorsOf(MISTAKES)).toSorted()).toEqual(
      MISTAKES.map(({ tells }) => tells).toSorted(),
    );
  });

  it("tells any of them together", async () => {
    await fc.assert(
      fc.asyncProperty(fc.subarray([...MISTAKES]), async (mistakes) => {
        expect((await errorsOf(mistakes)).toSorted()).toEqual(
          mistakes.map(({ tells }) => tells).toSorted(),
        );
      }),
      { numRuns: 60 },
    );
  });
});
