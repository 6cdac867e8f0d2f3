import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CheckReport } from "../../src/cli/check.ts";
import { commandLine } from "./command-line.ts";

const shipped = join(import.meta.dirname, "../../rules");

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "aggwatch-check-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

function write(name: string, text: string | Buffer): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

const check = async (args: readonly string[], env: Record<string, string> = {}) =>
  await commandLine(["check", ...args], env);

const BASE_URL = { AGGWATCH_BASE_URL: "https://aggregator.example/bsc-mainnet/backend" };

describe("aggwatch check", () => {
  it("says what it found, with the shipped rules and a base URL alone", async () => {
    const { exitCode, printed, complained } = await check(["--rules", shipped], BASE_URL);
    const files = readdirSync(shipped).filter((name) => /(?<!\.test)\.yaml$/.test(name));
    const rules = files.flatMap((name) =>
      readFileSync(join(shipped, name), "utf8").match(/^ *- alert:/gm),
    );
    expect(printed).toBe(
      `${files.length} files, ${rules.length} rules, 1 aggregator, actions: shadow`,
    );
    const warnings = complained.split("\n").filter((line) => line.includes(": warning: "));
    const hasTests = readdirSync(shipped).some((name) => name.endsWith(".test.yaml"));
    expect(warnings.filter((line) => hasTests || !line.includes("(lint/no-test)"))).toEqual([]);
    expect(exitCode).toBe(hasTests ? 0 : 3);
  });

  it.each([
    '!has(exchange.status) && exchange.name == "A"',
    '! has(exchange.status) && exchange.name == "A"',
  ])("refuses a condition of which YAML would drop the beginning: %s", async (condition) => {
    const rule = (when: string) =>
      `groups:\n  - name: a\n    rules:\n      - alert: A\n        each: exchange\n        when: ${when}\n`;
    write("a.yaml", rule(condition));
    const dropped = await check(["--rules", directory]);
    expect(dropped.complained).toMatch(/a\.yaml:6:15: error: .*\(yaml\/tag\)/);
    expect(dropped.exitCode).toBe(1);
    write("a.yaml", rule(`'${condition}'`));
    expect((await check(["--rules", directory])).complained).not.toContain("error");
  });

  it.each([
    ["the config", "aggwatch.yaml:3:30", "aggwatch.yaml: error: the config file cannot be read"],
    [
      "a secret",
      "secret:1:8",
      "aggwatch.yaml:4:53: error: the secret file .*secret cannot be read",
    ],
    ["the tokens", "tokens.yaml:1:12", "the tokens file .*tokens.yaml cannot be read"],
    ["a watch list", "desks.yaml:1:41", "desks.yaml: error: the watch list cannot be read"],
    ["a rule", "rules/a.yaml:1:19", "rules: error: the rules cannot be read"],
  ])("says where %s is not UTF-8", async (_, place, problem) => {
    const text = (name: string, holding: string): string =>
      write(name, Buffer.from(holding.replace("ü", place.startsWith(name) ? "ü" : "u"), "latin1"));
    mkdirSync(join(directory, "rules"));
    const config = text(
      "aggwatch.yaml",
      `rules: rules
aggregators: [{ base_url: "https://a.example", watch: { files: [desks.yaml], senders: [
  { address: "0x1", alias: "Müller" }] },
  auth: { act: { type: header, name: X, value_file: secret } } }]
server: { tokens_file: tokens.yaml }
`,
    );
    text("secret", "hunter-ü");
    text("tokens.yaml", `- { name: Müller, token_sha256: "${"0".repeat(64)}", scopes: [read] }`);
    text("desks.yaml", '- { targets: ["0x2"], labels: { alias: Müller, kind: sender } }');
    text("rules/a.yaml", "groups: [{ name: Müller, rules: [] }]");
    const { exitCode, complained } = await check(["--config", config]);
    expect(complained).toMatch(new RegExp(problem));
    expect(complained).toContain(`: ${join(directory, place)} is not UTF-8; save it as UTF-8 (`);
    expect(exitCode).toBe(1);
  });

  it("names a directory of rules that cannot be looked into as any other problem", async () => {
    // As the directory of another user is; root may look into all but this.
    const loop = join(directory, "loop");
    symlinkSync(loop, loop);
    const { exitCode, complained } = await check(["--rules", loop]);
    expect(complained).toContain("loop: error: the rules cannot be read: ELOOP");
    expect(exitCode).toBe(1);
    const tested = await commandLine(["test", loop]);
    expect(tested.complained).toContain("loop: the rule tests cannot be read: ELOOP");
    expect(tested.exitCode).toBe(1);
  });

  it("asks where the rules are only if they are nowhere", async () => {
    mkdirSync(join(directory, "odd", "a.yaml"), { recursive: true });
    const said = async (rules: string) =>
      (await check(["--rules", join(directory, rules)])).complained;
    expect(await said("odd")).toContain("the rules cannot be read: ");
    expect(await said("odd")).not.toContain("say where the rules are");
    expect(await said("none")).toContain("say where the rules are");
  });

  it("checks rules alone: without a config no aggregator has to be named, and none is unknown", async () => {
    const rule =
      "alert: A, aggregators: [bsc-mainnet], each: order, when: order.amout > 1.0, annotations: { runbook_url: 'https://x.example' }";
    write("a.yaml", `groups: [{ name: a, rules: [{ ${rule} }] }]\n`);
    const broken = await check(["--rules", directory]);
    expect(broken.complained).toContain("amout");
    expect(broken.complained).toContain("1 problem\n".trim());
    write("a.yaml", `groups: [{ name: a, rules: [{ ${rule.replace("amout", "amount")} }] }]\n`);
    const sound = await check(["--rules", directory]);
    expect(sound.complained).not.toMatch(/unknown-aggregator|watches-nothing|no-aggregator/);
    expect(sound.printed).toBe("1 file, 1 rule, no config");
    const { exitCode, complained } = await check([], { AGGWATCH_RULES: directory });
    expect(complained).toContain("set AGGWATCH_BASE_URL");
    expect(exitCode).toBe(1);
  });

  it.each([1, 2])(
    "takes the aggregators that the environment names by their positions: %d",
    async (count) => {
      const positions = Array.from({ length: count }, (_, position) => position);
      const env = Object.fromEntries(
        positions.map((at) => [`AGGWATCH_AGGREGATORS_${at}_BASE_URL`, `http://a${at}.example`]),
      );
      const { exitCode, printed, complained } = await check(["--rules", shipped], env);
      expect(complained).not.toContain("error");
      expect(printed).toContain(`${count} aggregator`);
      expect(exitCode).toBe(0);
    },
  );

  it("refuses a maintenance window with a misspelt name in its scope, as it would hold nothing", async () => {
    write(
      "a.yaml",
      "groups: [{ name: a, rules: [{ alert: A, each: order, when: order.amount > 1.0 }] }]\n",
    );
    const config = (scope: string) =>
      write(
        "aggwatch.json",
        `{ rules: ".", aggregators: [{ base_url: "https://aggregator.example", name: bsc }],
           maintenance: [{ name: n, schedule: "0 2 * * *", duration: 1h, reason: r, scope: { ${scope} } }] }`,
      );
    const errors = async (scope: string) =>
      (await check(["--config", config(scope)])).complained.match(/error: .*|did you mean .*/g);
    expect(await errors("kind: order, aggregator: bsc, rule: A, id: anything")).toBeNull();
    expect(await errors("kind: orders")).toEqual([
      'error: there is no kind "orders" (config/bad-value)',
      'did you mean "order"?',
    ]);
    expect(await errors("aggregator: bcs")).toEqual([
      'error: there is no aggregator "bcs" (config/bad-value)',
      'did you mean "bsc"?',
    ]);
    expect(await errors("rule: B")).toEqual([
      'error: there is no rule "B" (config/bad-value)',
      'did you mean "A"?',
    ]);
    write(
      "a.yaml",
      "groups: [{ name: a, rules: [{ alert: B, each: order, when: order.amout > 1.0 }] }]\n",
    );
    expect(await errors("rule: A")).toEqual([expect.stringContaining("amout"), expect.any(String)]);
  });

  it("names a scope of no aggregator beside other problems of the aggregators", async () => {
    const window = `name: n, schedule: "0 2 * * *", duration: 1h, reason: r`;
    const problems = async (own: string) => {
      const maintenance = `[{ ${window}, scope: { aggregator: bcs } }]`;
      write("aggwatch.json", `{ aggregators: [{ ${own} }], maintenance: ${maintenance} }`);
      const { complained } = await check(["--config", join(directory, "aggwatch.json")]);
      return complained.match(/(?<=error: ).*/g);
    };
    const timed = 'base_url: "https://a.example", timeout: soon';
    const named = expect.stringContaining('there is no aggregator "bcs"');
    expect(await problems(`name: bsc, ${timed}`)).toEqual([
      expect.stringContaining('"timeout" is not a duration'),
      named,
    ]);
    const isNoUrl = expect.stringContaining('"base_url" is not a URL');
    expect(await problems("name: bsc, base_url: nowhere")).toEqual([isNoUrl, named]);
    // A name that cannot be read, or follows from an address that is wrong, may be that of the scope.
    expect(await problems(`name: [bcs], ${timed}`)).not.toContainEqual(named);
    expect(await problems("base_url: nowhere")).toEqual([isNoUrl]);
  });

  it("takes an empty AGGWATCH_CONFIG for none, and names the problems of rules and settings all the same", async () => {
    write("a.yaml", "groups: [{ name: a, rules: [{ alert: A }] }]\n");
    const env = { AGGWATCH_RULES: directory, AGGWATCH_BASE_URL: "no address" };
    const without = await check([], env);
    expect(without.complained).toContain("AGGWATCH_BASE_URL");
    expect(without.complained).toContain("a.yaml:");
    expect(await check([], { ...env, AGGWATCH_CONFIG: "" })).toEqual(without);
  });

  it("warns of a sweep that takes longer than its schedule, at the part of the rate that a unit of senders has", async () => {
    const senders = Array.from({ length: 250 }, (_, at) => `0x${String(at).padStart(40, "0")}`);
    const lint = async (shards: number): Promise<string> => {
      const config = write(
        "aggwatch.yaml",
        `aggregators:
  - name: bsc
    base_url: http://aggregator.example/
    rate: { requests_per_second: 10 }
    schedules: { swap_history: off }
    watch: { senders: [${senders.map((one) => `"${one}"`).join(", ")}] }
actions: { max_age: 10m }
journal: { shards: ${shards}, postgres: { url_file: ${write("url", "postgres://a@127.0.0.1/b")} } }
`,
      );
      return (await check(["--config", config, "--rules", shipped])).complained;
    };
    expect(await lint(0)).not.toContain("sweep-too-long");
    expect(await lint(4)).toMatch(
      /senders\/\d, the fullest of 4 units: Poller swaps of bsc: a sweep takes 4\ds at 1\.75 requests\/s, the schedule is 30s \(lint\/sweep-too-long\)/,
    );
  });

  it("warns of a max_age that a reading outlasts at the rate, also at the part of it that shards leave", async () => {
    const config = (shards: number, maxAge: string): string =>
      write(
        "aggwatch.yaml",
        `aggregators: [{ name: bsc, base_url: http://aggregator.example/, rate: { requests_per_second: 2 } }]
actions: { max_age: ${maxAge} }
journal: { shards: ${shards}, postgres: { url_file: ${write("url", "postgres://a@127.0.0.1/b")} } }
`,
      );
    const lint = async (shards: number, maxAge: string): Promise<string> => {
      const args = ["--config", config(shards, maxAge), "--rules", shipped];
      const { complained } = await check(args);
      return complained;
    };
    expect(await lint(4, "4s")).toContain(
      "a reading by exchanges of bsc takes 2 requests, 5s at 0.40 requests/s, a fifth of 2, which is what shards leave for what acts; actions.max_age is 4s, so every reading is too old to act on (lint/max-age-too-short)\n",
    );
    expect(await lint(4, "4s")).toContain(
      "      make actions.max_age 10s or more, or rate.requests_per_second 3 or more\n",
    );
    expect(await lint(0, "500ms")).toContain("2 requests, 1s at 2 requests/s; actions.max_age is");
    const env = { AGGWATCH_CONFIG: config(4, "4s") };
    expect((await check(["--rules", shipped], env)).complained).toMatch(
      /^\S+aggwatch\.yaml:1:28: warning: a reading by exchanges /m,
    );
    expect(await lint(4, "10s")).not.toContain("max-age");
    expect(await lint(0, "4s")).not.toContain("max-age");
  });

  it("warns of a max_age only for an aggregator on which a rule acts", async () => {
    const config = write(
      "aggwatch.conf",
      `aggregators:
  - { name: slow, base_url: http://slow.example/, rate: { requests_per_second: 0.5 } }
  - { name: fast, base_url: http://fast.example/ }
actions: { max_age: 1s }
`,
    );
    write(
      "a.yaml",
      `groups: [{ name: a, rules: [{ alert: A, each: exchange, when: exchange.disabled, aggregators: [fast],
  act: { action: enable_exchange, budget: { max: 1, per: 1h } } }] }]`,
    );
    const { complained } = await check(["--config", config, "--rules", directory]);
    expect(complained).toContain("lint/no-test");
    expect(complained).not.toContain("max-age");
  });

  it("warns of each aggregator that is too slow, but for those that a comment beside them ignores", async () => {
    const entry = (name: string, ignore = "") =>
      `  - name: ${name}\n${ignore}    base_url: https://${name}.example/\n    rate: { requests_per_second: 0.01 }\n`;
    const ignore = "    # aggwatch-ignore lint/sweep-too-long: a is a lab\n";
    const slowIn = async (text: string, env: Readonly<Record<string, string>> = {}) => {
      const config = write("aggwatch.yaml", text);
      const { complained } = await check(["--config", config, "--rules", shipped], env);
      return complained.split("\n").filter((line) => line.endsWith("(lint/sweep-too-long)"));
    };
    const slow = await slowIn(`aggregators:\n${entry("a", ignore)}${entry("b")}`);
    expect(slow.length).toBeGreaterThan(1);
    expect(slow.filter((line) => !/aggwatch\.yaml:7:5: warning: .* of b: /.test(line))).toEqual([]);
    // One that is not in the file is not ignored there.
    const env = {
      AGGWATCH_BASE_URL: "https://c.example/",
      AGGWATCH_RATE_REQUESTS_PER_SECOND: "0.01",
    };
    const ofEnv = await slowIn(`${ignore.trim()}\nlog: { level: info }\n`, env);
    expect(ofEnv.length).toBeGreaterThan(1);
    expect(ofEnv.filter((line) => !line.startsWith("AGGWATCH_BASE_URL: warning: "))).toEqual([]);
  });

  it("refuses a key that merges what is missing, and says nothing of that", async () => {
    const entry = "{ base_url: https://a.example/, watch: { senders: [{ <<: { address: a } }] } }";
    const config = write("aggwatch.yaml", `aggregators: [${entry}]\n`);
    const { complained } = await check(["--config", config, "--rules", shipped]);
    expect(complained.match(/\((?:config|lint)\/[-\w]+\)/g)).toEqual(["(config/unknown-key)"]);
  });

  it("warns of a key by its old name, with its place and the new one", async () => {
    const old = `aggregators: [{ base_url: https://aggregator.example/ }]
notify:
  page_url: https://aggwatch.example
`;
    const file = write("aggwatch.yaml", old);
    const { exitCode, complained } = await check(["--config", file, "--rules", shipped]);
    expect(complained).toContain(
      `${file}:3:3: warning: "notify.page_url" is called "server.external_url" now; the old name goes with the next version (config/renamed-key)`,
    );
    expect(complained).toContain("write server.external_url: it means the same");
    expect(exitCode).toBe(3);
  });

  it("warns of a secret that is sent by plain http, as text and as JSON", async () => {
    const file = write(
      "aggwatch.yaml",
      `aggregators:
  - base_url: http://aggregator.example/backend
    auth: { act: { type: header, name: X-API-KEY, value_env: ACT_KEY } }
`,
    );
    const args = ["--config", file, "--rules", shipped];
    const { exitCode, complained } = await check(args, { ACT_KEY: "an-act-key" });
    expect(complained).toContain(
      `${file}:2:15: warning: "aggregators[0].base_url" is an http URL, so secrets are sent to it in the clear (lint/secret-in-clear)
   2 |   - base_url: http://aggregator.example/backend
     |               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      give an https URL, or`,
    );
    expect(exitCode).toBe(3);
    const json = await check([...args, "--json"], { ACT_KEY: "an-act-key" });
    const { problems, counts } = JSON.parse(json.printed) as CheckReport;
    expect(problems.filter(({ id }) => id === "lint/secret-in-clear")).toMatchObject([
      { severity: "warning", file, line: 2, column: 15, path: "aggregators[0].base_url" },
    ]);
    expect(counts).toMatchObject({ errors: 0, warnings: 1 });
  });

  it("leaves out a lint of the config that a comment there ignores, and counts it", async () => {
    const config = (comment: string, id = "lint/secret-in-clear"): string =>
      write(
        "aggwatch.yaml",
        `aggregators:
  # ${comment === "" ? "nothing is ignored" : `aggwatch-ignore ${id}: ${comment}`}
  - base_url: http://10.0.0.7/backend
    auth: { act: { type: header, name: X-API-KEY, value_env: ACT_KEY } }
`,
      );
    const report = async (file: string) => {
      const args = ["--config", file, "--rules", shipped, "--json"];
      const { exitCode, printed } = await check(args, { ACT_KEY: "an-act-key" });
      const { problems, counts } = JSON.parse(printed) as CheckReport;
      const places = problems
        .filter(({ severity }) => severity === "warning")
        .map(({ id, line, column }) => `${line}:${column} ${id}`);
      return { exitCode, places, ignored: counts.ignored };
    };
    const shippedOnes = await report(
      write("aggwatch.yaml", "aggregators: [{ base_url: http://a }]\n"),
    );
    const { ignored } = shippedOnes;
    expect(await report(config(""))).toEqual({
      exitCode: 3,
      places: ["3:15 lint/secret-in-clear"],
      ignored,
    });
    expect(await report(config("a bridge of this host"))).toEqual({
      exitCode: 0,
      places: [],
      ignored: ignored + 1,
    });
    expect((await report(config("so", "lint/secret-in-claer"))).places).toEqual([
      "2:3 lint/unknown-ignore",
      "3:15 lint/secret-in-clear",
    ]);
    expect((await report(config("so", "lint/writable-secret"))).places).toEqual([
      "2:3 lint/unused-ignore",
      "3:15 lint/secret-in-clear",
    ]);
  });

  it("warns of a secret or tokens file that every user can write to", async () => {
    const secret = write("act", "an-act-key");
    const tokens = write(
      "tokens.yaml",
      `- { name: alice, token_sha256: ${"a1".repeat(32)}, scopes: [operate] }\n`,
    );
    const file = write(
      "aggwatch.yaml",
      `aggregators:
  - base_url: https://aggregator.example
    auth: { act: { type: bearer, value_file: act } }
server:
  tokens_file: tokens.yaml
`,
    );
    const args = ["--config", file, "--rules", shipped];
    for (const path of [secret, tokens]) chmodSync(path, 0o664);
    expect((await check(args)).exitCode).toBe(0);
    for (const path of [secret, tokens]) chmodSync(path, 0o666);
    const { exitCode, complained } = await check(args);
    expect(complained).toContain(
      `${file}:3:46: warning: every user of the machine can write to the secret file ${secret} (lint/writable-secret)
      chmod o-w ${secret}`,
    );
    expect(complained).toContain(
      `${file}:5:16: warning: every user of the machine can write to the tokens file ${tokens} (lint/writable-secret)`,
    );
    expect(complained).toContain("2 warnings");
    expect(exitCode).toBe(3);
  });

  it("says nothing of the stand-in for an aggregator if rules are checked alone", async () => {
    const env = { AGGWATCH_AUTH_ACT_TYPE: "bearer", AGGWATCH_AUTH_ACT_VALUE_ENV: "ACT_KEY" };
    const given = { ...env, ACT_KEY: "an-act-key" };
    const { exitCode, complained } = await check(["--rules", shipped], given);
    expect(complained).not.toContain("in the clear");
    expect(exitCode).toBe(0);
  });

  it("exits with 3 if there is lint alone, and with 0 if a comment says why", async () => {
    const rule =
      "alert: A, each: pool, when: pool.base < 1, for: 5m, annotations: { runbook_url: 'https://x.example' }";
    const file = (comment: string) =>
      `groups:\n  - name: a\n    rules:\n      - { ${rule} } ${comment}\n`;
    write("a.yaml", file(""));
    const found = await check(["--rules", directory], BASE_URL);
    expect(found.exitCode).toBe(3);
    expect(found.complained).toContain("a.yaml:4:18: warning: no rule test names");
    expect(found.complained).toContain("1 warning");
    expect(found.printed).toContain("1 file, 1 rule");
    write("a.yaml", file("# aggwatch-ignore lint/no-test: it is too simple"));
    expect(await check(["--rules", directory], BASE_URL)).toMatchObject({
      exitCode: 0,
      complained: "",
    });
    write("a.yaml", file(""));
    write("a.test.yaml", "tests: [{ expect: [{ alerts: [{ A: x }] }] }]");
    expect((await check(["--rules", directory], BASE_URL)).exitCode).toBe(0);
  });

  it("takes a runbook that lies beside the rules, or above them", async () => {
    const file = write("a.yaml", "groups:\n  - name: a\n    rules:\n");
    const rule = (path: string) =>
      `      - { alert: A, each: pool, when: pool.base < 1, for: 5m, annotations: { runbook_url: ${path} } }\n`;
    write("A.md", "");
    for (const [path, count] of [
      ["A.md", 0],
      [`${directory.split("/").at(-1)}/A.md`, 0],
      [join(directory, "A.md"), 0],
      ["B.md", 1],
    ] as const) {
      writeFileSync(file, `groups:\n  - name: a\n    rules:\n${rule(path)}`);
      const { complained } = await check(["--rules", directory], BASE_URL);
      expect(complained.split("lint/no-runbook").length - 1, path).toBe(count);
    }
  });

  it("takes a runbook that comes with aggwatch wherever the rules are, as the daemon serves it", async () => {
    cpSync(shipped, directory, { recursive: true });
    const cwd = process.cwd();
    const room = mkdtempSync(join(tmpdir(), "aggwatch-elsewhere-"));
    process.chdir(room);
    try {
      const { complained } = await check(["--rules", directory], BASE_URL);
      expect(complained).not.toContain("lint/no-runbook");
      const file = join(directory, "exchanges.yaml");
      writeFileSync(file, readFileSync(file, "utf8").replace("ExchangeMissing.md", "Exchange.md"));
      const misspelt = await check(["--rules", directory], BASE_URL);
      expect(misspelt.complained.match(/there is no runbook "(.*)"/g)).toEqual([
        'there is no runbook "docs/runbooks/Exchange.md"',
      ]);
    } finally {
      process.chdir(cwd);
      rmSync(room, { recursive: true });
    }
  });

  it("prints one JSON document, with lint as with problems", async () => {
    write(
      "a.yaml",
      "groups:\n  - name: a\n    rules:\n      - { alert: A, each: pool, when: pool.base < 1 }\n",
    );
    const found = await check(["--rules", directory, "--json"], BASE_URL);
    expect(found.exitCode).toBe(3);
    expect(found.complained).toBe("");
    const report = JSON.parse(found.printed) as CheckReport;
    expect(
      report.problems.map(({ id, severity, line, column }) => [id, severity, line, column]),
    ).toEqual([
      ["lint/for-shorter-than-two-polls", "warning", 4, 18],
      ["lint/no-test", "warning", 4, 18],
      ["lint/no-runbook", "warning", 4, 18],
    ]);
    expect(report.counts).toEqual({ errors: 0, warnings: 3, notes: 0, ignored: 0 });
    expect(report.checked).toEqual({ files: 1, rules: 1, aggregators: 1 });
    write("a.yaml", "groups: 5");
    const broken = await check(["--rules", directory, "--json"], BASE_URL);
    expect(broken.exitCode).toBe(1);
    const { problems, checked } = JSON.parse(broken.printed) as CheckReport;
    expect(problems).toMatchObject([{ id: "rule/bad-value", severity: "error", line: 1 }]);
    expect(checked).toBeUndefined();
  });

  it("prints every problem of the config and of the rules, and exits with 1", async () => {
    const config = write(
      "config.yaml",
      "aggregators:\n  - base_url: https://host/x\n    auth: { act: { type: bearer, value_file: none } }\nlisten: 5\n",
    );
    write(
      "a.yaml",
      "groups:\n  - name: a\n    rules:\n      - { alert: A, each: pool, when: pool.bas < 1 }\n",
    );
    rmSync(write("b.yaml", ""));
    const { exitCode, printed, complained } = await check([
      "--config",
      config,
      "--rules",
      join(directory),
    ]);
    expect(exitCode).toBe(1);
    expect(printed).toBe("");
    // The config lies in the same folder, so it is read as a rule file too.
    expect(complained).toContain(
      `${config}:3:46: error: the secret file ${join(directory, "none")} cannot be read`,
    );
    expect(complained).toContain(`${config}:4:9: error: "listen" must be text, not a number`);
    expect(complained).toContain(`${join(directory, "a.yaml")}:4:44: error: unknown fact "bas"`);
    expect(complained).toContain('did you mean "base"?');
  });

  it.each([
    ["a wrong base URL", [], { AGGWATCH_BASE_URL: "localhost:80" }, "AGGWATCH_BASE_URL: error"],
    [
      "no config file",
      ["--config", "nope.yaml"],
      {},
      "nope.yaml: error: the config file cannot be read: no such file",
    ],
    ["no config file, by variable", [], { AGGWATCH_CONFIG: "no.yaml" }, "no.yaml: error"],
  ])("says in one message what is wrong: %s", async (_, args, env, text) => {
    const { exitCode, complained } = await check(["--rules", shipped, ...args], env);
    expect(exitCode).toBe(1);
    expect(complained).toContain(text);
    expect(complained).toContain("1 problem");
  });

  it("checks the wire profile, and points into the config", async () => {
    const config = write(
      "config.yaml",
      "aggregators:\n  - base_url: https://host/x\n    wire: { disabled: { path: '/api/{nope}' } }\n",
    );
    const { exitCode, complained } = await check(["--config", config, "--rules", shipped]);
    expect(exitCode).toBe(1);
    expect(complained).toContain(`${config}:3:31: error: there is no argument {nope}`);
    expect(complained).toContain("1 problem");
  });

  it("says where it looked for the rules", async () => {
    const { exitCode, complained } = await check(["--rules", join(directory, "nope")], BASE_URL);
    expect(exitCode).toBe(1);
    expect(complained).toContain("no such file or directory");
    const empty = await check(["--rules", directory], BASE_URL);
    expect(empty.complained).toContain("there is no rule file");
  });

  it("finds the rules beside the config file that names them", async () => {
    const config = write("config.yml", "rules: .\naggregators: [{ base_url: 'https://host/x' }]\n");
    const { complained } = await check(["--config", config]);
    expect(complained).toContain("config.yml:1:1: error");
  });
});
