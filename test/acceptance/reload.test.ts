import { createHash } from "node:crypto";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { startAggregator } from "./aggregator.ts";
import { makeHome, startDaemon, type Daemon, type Home, type LogLine } from "./daemon.ts";
import { ACT_KEY, alertLine, QUICK_RULES, quickConfig } from "./quick.ts";

const SUCCESSFUL = "aggwatch_config_last_reload_successful";
const SUCCESS_AT = "aggwatch_config_last_reload_success_timestamp_seconds";
const HASH = "aggwatch_config_hash";

const ENABLED_RULE = `
      - alert: ExchangeEnabled
        each: exchange
        when: exchange.status == "enabled"
`;

const BROKEN_RULE = ENABLED_RULE.replace("exchange.status", "exchange.stattus");

const reloaded = (line: LogLine) => line["msg"] === "reloaded";
const reloadFailed = (line: LogLine) => String(line["msg"]).startsWith("reload failed");

const rulesFile = (home: Home) => join(home.rules, "rules.yaml");

async function reload(daemon: Daemon, token?: string, query = ""): Promise<Response> {
  return await fetch(`${daemon.url}/-/reload${query}`, {
    method: "POST",
    ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
  });
}

/** Of a rule that is new and one that is changed. */
async function dryRun(daemon: Daemon, home: Home): Promise<unknown> {
  for (;;) {
    writeFileSync(rulesFile(home), QUICK_RULES.replace("for: 1s", "for: 1h") + ENABLED_RULE);
    const answer = await (await reload(daemon, "alices-token", "?dry_run=true")).json();
    const { rules } = answer as { readonly rules: { readonly added: readonly string[] } };
    if (rules.added.length > 0) return answer;
    // The daemon looks at its files each second, and took them over before it was asked: back, and again.
    writeFileSync(rulesFile(home), QUICK_RULES);
    await reload(daemon, "alices-token");
  }
}

/** A file with alice's token, and the config that names it. */
function withTokens(home: Home, config: string): void {
  const sha256 = createHash("sha256").update("alices-token").digest("hex");
  const file = join(dirname(home.config), "tokens.yaml");
  writeFileSync(
    file,
    `- { name: alice, token_sha256: "${sha256}", scopes: [operate] }
- { name: bob, token_sha256: "${createHash("sha256").update("bobs-token").digest("hex")}", scopes: [read] }
`,
  );
  writeFileSync(home.config, `${config}\nserver: { tokens_file: tokens.yaml }\n`);
}

describe.concurrent("a daemon whose rules and config are edited", () => {
  test("takes a new rule over by itself, and keeps what fires", async (context) => {
    const aggregator = await startAggregator(context);
    const config = quickConfig({ url: aggregator.url, mode: "shadow" });
    const home = makeHome(context, config, QUICK_RULES);
    const daemon = await startDaemon(context, home, ACT_KEY);
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    await daemon.line(alertLine("ExchangeDisabled", "firing"));
    const before = await daemon.status();
    const hash = await daemon.metric(HASH);
    const successAt = (await daemon.metric(SUCCESS_AT)) ?? 0;
    writeFileSync(rulesFile(home), QUICK_RULES + ENABLED_RULE);
    const line = await daemon.line(reloaded);
    expect(line).toMatchObject({ added: ["ExchangeEnabled"], removed: [], changed: [] });
    await daemon.line(alertLine("ExchangeEnabled", "firing"));
    const after = await daemon.status();
    const firedAt = (status: typeof before) =>
      status.alerts.find((alert) => alert.alertname === "ExchangeDisabled")?.fired_at;
    expect(firedAt(before)).toBeTruthy();
    expect(firedAt(after)).toBe(firedAt(before));
    expect(daemon.lines.filter(alertLine("ExchangeDisabled", "pending"))).toHaveLength(1);
    expect(await daemon.metric(HASH)).not.toBe(hash);
    expect(await daemon.metric(SUCCESS_AT)).toBeGreaterThan(successAt);
    expect(await daemon.metric(SUCCESSFUL)).toBe(1);
  });

  test("runs on by the old rules if one is broken, and says what is wrong", async (context) => {
    const aggregator = await startAggregator(context);
    const config = quickConfig({ url: aggregator.url, mode: "shadow" });
    const home = makeHome(context, config, QUICK_RULES);
    const daemon = await startDaemon(context, home, ACT_KEY);
    expect(await daemon.metric(SUCCESSFUL)).toBe(1);
    const hash = await daemon.metric(HASH);
    writeFileSync(rulesFile(home), QUICK_RULES + BROKEN_RULE);
    const line = await daemon.line(reloadFailed);
    const problems = (line["problems"] as string[]).join("\n");
    expect(problems).toContain("rules.yaml:");
    expect(problems).toContain("stattus");
    expect(problems).toContain("1 problem");
    expect(await daemon.metric(SUCCESSFUL)).toBe(0);
    expect(await daemon.metric(HASH)).toBe(hash);
    expect(await (await fetch(`${daemon.url}/plain`)).text()).toMatch(
      /The reload at .* failed.*stattus/,
    );
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    await daemon.line(alertLine("ExchangeDisabled", "firing"));
    writeFileSync(rulesFile(home), QUICK_RULES);
    await daemon.line(reloaded);
    expect(await daemon.metric(SUCCESSFUL)).toBe(1);
    expect(await (await fetch(`${daemon.url}/plain`)).text()).not.toContain("The reload at");
  });

  test("runs on by the old rules and config if one is not UTF-8, and says where", async (context) => {
    const aggregator = await startAggregator(context);
    const config = quickConfig({ url: aggregator.url, mode: "shadow" });
    const home = makeHome(context, config, QUICK_RULES);
    const daemon = await startDaemon(context, home, ACT_KEY);
    const hash = await daemon.metric(HASH);
    writeFileSync(rulesFile(home), Buffer.from(`# Müller\n${QUICK_RULES}`, "latin1"));
    const ofRules = await daemon.line(reloadFailed);
    expect(String(ofRules["problems"])).toContain("rules.yaml:1:4 is not UTF-8; save");
    writeFileSync(home.config, `\uFEFF${config}`, "utf16le");
    const ofConfig = await daemon.line(
      (line) => reloadFailed(line) && String(line["problems"]).includes("is UTF-16"),
    );
    expect(String(ofConfig["problems"])).toContain("save it as UTF-8");
    expect(await daemon.metric(HASH)).toBe(hash);
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    await daemon.line(alertLine("ExchangeDisabled", "firing"));
  });

  test("notices the swap of a mounted ConfigMap's links", async (context) => {
    const aggregator = await startAggregator(context);
    const config = quickConfig({ url: aggregator.url, mode: "shadow" });
    const home = makeHome(context, config, QUICK_RULES);
    rmSync(rulesFile(home));
    const mount = (version: string, rules: string): void => {
      mkdirSync(join(home.rules, `..${version}`));
      writeFileSync(join(home.rules, `..${version}`, "rules.yaml"), rules);
      symlinkSync(`..${version}`, join(home.rules, "..data_tmp"));
      renameSync(join(home.rules, "..data_tmp"), join(home.rules, "..data"));
    };
    mount("one", QUICK_RULES);
    symlinkSync(join("..data", "rules.yaml"), rulesFile(home));
    const daemon = await startDaemon(context, home, ACT_KEY);
    mount("two", QUICK_RULES + ENABLED_RULE);
    expect(await daemon.line(reloaded)).toMatchObject({ added: ["ExchangeEnabled"] });
    mount("three", QUICK_RULES);
    await daemon.line((line) => reloaded(line) && String(line["removed"]) === "ExchangeEnabled");
  });

  test("reads everything again at SIGHUP", async (context) => {
    const aggregator = await startAggregator(context);
    const config = quickConfig({ url: aggregator.url, mode: "shadow" });
    const home = makeHome(context, config, QUICK_RULES);
    const daemon = await startDaemon(context, home, ACT_KEY);
    daemon.process.kill("SIGHUP");
    expect(await daemon.line(reloaded)).toMatchObject({ by: "SIGHUP", settings: [], added: [] });
    expect(await daemon.end("SIGTERM")).toBe(0);
  });

  test("asks on its new schedule, and of what is watched again", async (context) => {
    const aggregator = await startAggregator(context);
    const slow = quickConfig({ url: aggregator.url, mode: "shadow" })
      .replace('exchanges: "* * * * * *"', 'exchanges: "0 0 0 1 1 *"')
      .replace("stale_after: 2m", "stale_after: 400d");
    const home = makeHome(context, slow, QUICK_RULES);
    const daemon = await startDaemon(context, home, ACT_KEY);
    await daemon.line((line) => line["entity"] === "sim/exchange/BINANCE");
    writeFileSync(
      home.config,
      slow.replace('exchanges: "0 0 0 1 1 *"', 'exchanges: "* * * * * *"'),
    );
    expect(await daemon.line(reloaded)).toMatchObject({
      settings: expect.arrayContaining([
        "aggregators.sim.schedules.exchanges: 0 0 0 1 1 * -> * * * * * *",
      ]),
    });
    const findings = await (await fetch(`${daemon.url}/api/v1/findings`)).json();
    expect(findings).toContainEqual({
      alias: null,
      at: expect.any(String),
      type: "policy",
      subject: "rules",
      what: "unchanged",
      detail: "settings: aggregators.sim.schedules.exchanges: 0 0 0 1 1 * -> * * * * * *",
      by: "a change of the files",
      reason: null,
    });
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    await daemon.line(alertLine("ExchangeDisabled", "firing"));
  });

  test("asks on its old schedule if the new one never comes", async (context) => {
    const aggregator = await startAggregator(context);
    const config = quickConfig({ url: aggregator.url, mode: "shadow" });
    const home = makeHome(context, config, QUICK_RULES);
    const daemon = await startDaemon(context, home, ACT_KEY);
    writeFileSync(home.config, config.replace('pools: "* * * * * *"', 'pools: "0 0 0 30W 2 *"'));
    const line = await daemon.line(reloadFailed);
    expect(String(line["problems"])).toContain("no day matches it");
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    await daemon.line(alertLine("ExchangeDisabled", "firing"));
  });

  test("refuses another address, with the place of it, and goes on as before", async (context) => {
    const aggregator = await startAggregator(context);
    const config = quickConfig({ url: aggregator.url, mode: "shadow" });
    const home = makeHome(context, config, QUICK_RULES);
    const daemon = await startDaemon(context, home, ACT_KEY);
    writeFileSync(
      home.config,
      `${config}\nactions: { kill_file: elsewhere }`.replace(/^actions.*$/m, ""),
    );
    const line = await daemon.line(reloadFailed);
    const problems = (line["problems"] as string[]).join("\n");
    expect(problems).toMatch(
      /aggwatch\.yaml:\d+:\d+: error: "actions.kill_file" cannot change while aggwatch runs: it is .*KILL, and would be .*elsewhere \(config\/needs-restart\)/,
    );
    expect(problems).toContain("restart aggwatch");
    expect(await daemon.metric(SUCCESSFUL)).toBe(0);
  });
});

describe.concurrent("POST /-/reload", () => {
  test("is off without a tokens file, and says how to turn it on", async (context) => {
    const aggregator = await startAggregator(context);
    const config = quickConfig({ url: aggregator.url, mode: "shadow" });
    const home = makeHome(context, config, QUICK_RULES);
    const daemon = await startDaemon(context, home, ACT_KEY);
    const refused = await reload(daemon, "alices-token");
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({
      error: expect.stringContaining("server.tokens_file"),
    });
    // The tokens file is read with the rest.
    withTokens(home, config);
    await daemon.line(reloaded);
    expect((await reload(daemon, "alices-token")).status).toBe(200);
  });

  test("reloads for a holder of the scope, and for nobody else", async (context) => {
    const aggregator = await startAggregator(context);
    const config = quickConfig({ url: aggregator.url, mode: "shadow" });
    const home = makeHome(context, config, QUICK_RULES);
    withTokens(home, config);
    const daemon = await startDaemon(context, home, ACT_KEY);
    expect((await reload(daemon)).status).toBe(401);
    expect((await reload(daemon, "wrong")).status).toBe(401);
    expect((await reload(daemon, "bobs-token")).status).toBe(403);
    expect(daemon.lines.filter(reloaded)).toEqual([]);
    const done = await reload(daemon, "alices-token");
    expect(done.status).toBe(200);
    expect(await done.json()).toMatchObject({ reloaded: true, settings: [] });
    expect(await daemon.line(reloaded)).toMatchObject({ by: "alice, by POST /-/reload" });
    const said = JSON.stringify(daemon.lines);
    for (const secret of ["alices-token", "bobs-token", "wrong"])
      expect(said).not.toContain(secret);
  });

  test("says what a dry run would do, does nothing, and the change is still noticed", async (context) => {
    const aggregator = await startAggregator(context);
    const config = quickConfig({ url: aggregator.url, mode: "shadow" });
    const home = makeHome(context, config, QUICK_RULES);
    withTokens(home, config);
    const daemon = await startDaemon(context, home, ACT_KEY);
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    await daemon.line(alertLine("ExchangeDisabled", "firing"));
    const wouldDo = await dryRun(daemon, home);
    expect(wouldDo).toMatchObject({
      reloaded: false,
      dry_run: true,
      rules: { added: ["ExchangeEnabled"], changed: ["ExchangeDisabled"] },
    });
    await daemon.line((one) => reloaded(one) && one["by"] === "a change of the files");
    await daemon.line(
      (one) => alertLine("ExchangeDisabled", "pending")(one) && one["detail"] !== undefined,
    );
    writeFileSync(rulesFile(home), BROKEN_RULE);
    const refused = await reload(daemon, "alices-token", "?dry_run=true");
    expect(refused.status).toBe(422);
    expect(await refused.json()).toMatchObject({
      reloaded: false,
      problems: expect.stringMatching(/1 problem$/),
    });
  });
});
