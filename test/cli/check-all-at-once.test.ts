/** Tests src/cli/check.ts: that mistakes of all stages are shown at once, and nothing that follows from them. */
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

type Problem = CheckReport["problems"][number];

/** The problems and the lint that `aggwatch check` shows of files; `option` names one of them, or their directory. */
async function checked(
  files: Readonly<Record<string, unknown>>,
  [option, name]: readonly [option: string, name: string],
  env: Readonly<Record<string, string>> = {},
): Promise<readonly Problem[]> {
  const room = mkdtempSync(join(directory, "a-"));
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(room, file)), { recursive: true });
    const text = typeof content === "string" ? content : JSON.stringify(content, undefined, 1);
    writeFileSync(join(room, file), text);
  }
  const { printed } = await commandLine(["check", option, join(room, name), "--json"], env);
  return (JSON.parse(printed) as CheckReport).problems;
}

async function problemsOf({ files, rules, config }: World): Promise<readonly Problem[]> {
  const all = { ...files, "rules/all.yaml": rules, "aggwatch.json": config };
  return await checked(all, ["--config", "aggwatch.json"], {
    DATABASE: "postgres://a@database.example/a",
    SECRET: "s",
    PING: "https://ping.example/a",
  });
}

/** The errors, each as `id path`, in their order. */
async function errorsOf(mistakes: readonly Mistake[]): Promise<readonly string[]> {
  const world = soundWorld();
  for (const { make } of mistakes) make(world);
  const problems = await problemsOf(world);
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
      "a window for an aggregator that is named by an address with a mistake",
      ({ config }) => {
        put(config, "aggregators[0].name", undefined);
        put(config, "aggregators[0].base_url", "nowhere");
        put(config, "maintenance[0].scope", { aggregator: "one.example" });
      },
      ["config/bad-value aggregators[0].base_url"],
    ],
    [
      "but a window for an aggregator that is not there, if the one with the mistake has a name",
      ({ config }) => {
        put(config, "aggregators[0].base_url", "nowhere");
        put(config, "maintenance[0].scope", { aggregator: "one.example" });
      },
      [
        "config/bad-value aggregators[0].base_url",
        "config/bad-value maintenance[0].scope.aggregator",
      ],
    ],
    [
      "but that two emails without a name have the same, though the address of one is wrong",
      ({ config }) => {
        for (const index of [0, 1]) put(config, `notify.email[${index}].name`, undefined);
        put(config, "notify.email[0].url", "smtp.example");
      },
      ["config/bad-value notify.email[0].url", "config/duplicate notify.email[1].name"],
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

describe("lint beside problems", () => {
  const OF_A_RULE = ["lint/no-runbook", "lint/no-test", "lint/no-verify-within"];
  /** It is judged by the schedules, which the config says. */
  const BY_CONFIG = "lint/for-shorter-than-two-polls";

  /** The rules of the lint by its id. */
  function lintIn(problems: readonly Problem[]): Readonly<Record<string, readonly string[]>> {
    const lint = problems.filter(({ severity }) => severity !== "error");
    const rulesOf = (own: readonly Problem[]): readonly string[] =>
      own.map(({ within = "" }) => /rule "(.*)"/.exec(within)?.[1] ?? "").toSorted();
    const byId = Map.groupBy(lint, ({ id }) => id);
    return Object.fromEntries([...byId].map(([id, own]) => [id, rulesOf(own)]));
  }

  const ofEach = (ids: readonly string[], rules: readonly string[]) =>
    Object.fromEntries(ids.map((id) => [id, rules]));

  it("is of all rules in a sound world", async () => {
    const found = lintIn(await problemsOf(soundWorld()));
    expect(found).toMatchObject(ofEach([BY_CONFIG, ...OF_A_RULE], ["A", "B", "C"]));
  });

  it("is of the other rules if one has a problem", async () => {
    const world = soundWorld();
    put(world.rules, "groups[0].rules[0].for", "long");
    const found = lintIn(await problemsOf(world));
    expect(found).toEqual(ofEach([BY_CONFIG, ...OF_A_RULE], ["B", "C"]));
  });

  it("leaves out what the config decides if that has a problem", async () => {
    const world = soundWorld();
    put(world.rules, "groups[0].rules[1].aggregators", ["five"]);
    put(world.rules, "groups[0].rules[2]", { alert: "C", each: "market", when: "market.listed" });
    const whole = lintIn(await problemsOf(world));
    expect(whole).toMatchObject({
      "lint/unknown-aggregator": ["B"],
      "lint/watches-nothing": ["C"],
    });
    put(world.config, "lisen", "x");
    expect(lintIn(await problemsOf(world))).toEqual({
      ...ofEach(OF_A_RULE, ["A", "B", "C"]),
      "lint/no-verify-within": ["A", "B"],
    });
  });

  it("is judged by what the config says of aggregators if the problem is elsewhere in it", async () => {
    const world = soundWorld();
    put(world.config, "aggregators[0].rate.requests_per_second", 0.01);
    const sound = Object.keys(lintIn(await problemsOf(world)));
    expect(sound).toEqual(
      expect.arrayContaining([BY_CONFIG, "lint/max-age-too-short", "lint/sweep-too-long"]),
    );
    put(world.config, "notify.slack[0].url_env", 5);
    put(world.config, "listen", "x");
    expect(Object.keys(lintIn(await problemsOf(world)))).toEqual(sound);
    put(world.config, "actions.max_age", "long");
    const withoutMaxAge = sound.filter((id) => id !== "lint/max-age-too-short");
    expect(Object.keys(lintIn(await problemsOf(world)))).toEqual(withoutMaxAge);
    put(world.config, "aggregators[1].name", 5);
    expect(Object.keys(lintIn(await problemsOf(world))).toSorted()).toEqual(OF_A_RULE);
  });

  it("is of the rules if the config cannot be read", async () => {
    const rules = mkdtempSync(join(directory, "b-"));
    writeFileSync(join(rules, "all.yaml"), JSON.stringify(soundWorld().rules));
    const config = { "a.yaml": "aggregators: [" };
    const env = { AGGWATCH_RULES: rules };
    const found = lintIn(await checked(config, ["--config", "a.yaml"], env));
    expect(found).toEqual(ofEach(OF_A_RULE, ["A", "B", "C"]));
  });

  it("calls a comment unused whatever else has a problem, if its rule was linted for it", async () => {
    const lines = [
      "groups:",
      "  - name: g",
      "    rules:",
      "      - { alert: A, each: exchange, when: 5 }",
      "      # aggwatch-ignore lint/always-true: it was",
      "      - alert: B # aggwatch-ignore lint/poller-off: the config may say so",
      "        each: exchange",
      "        when: exchange.disabled",
    ];
    const config = { aggregators: [{ base_url: 5 }], rules: "rules" };
    const files = { "rules/a.yaml": lines.join("\n"), "a.json": config };
    const problems = await checked(files, ["--config", "a.json"]);
    const unused = problems.filter(({ id }) => id === "lint/unused-ignore");
    expect(unused).toMatchObject([{ line: 5, message: "there is no lint/always-true here" }]);
  });

  it("calls no comment unused that may be about what was not linted", async () => {
    const lines = [
      "groups:",
      "  - name: g",
      "    rules:",
      "      - alert: A # aggwatch-ignore lint/no-test: it is new",
      "        each: exchange",
      "        when: 5",
      "      - { alert: 5, each: exchange, when: 'true' } # aggwatch-ignore lint/no-test: it is new",
      "      - 5 # aggwatch-ignore lint/no-test: it is new",
      "      # aggwatch-ignore lint/nothing: it is new",
      "      - { alert: B, each: exchange, when: exchange.disabled, for: 10m }",
    ];
    const found = lintIn(await checked({ "rules/a.yaml": lines.join("\n") }, ["--rules", "rules"]));
    expect(found).toEqual({
      "lint/no-runbook": ["B"],
      "lint/no-test": ["B"],
      "lint/unknown-ignore": [""],
    });
  });
});
