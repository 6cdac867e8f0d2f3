import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type {
  AlertsJson,
  BacktestJson,
  EntitiesJson,
  EntityHistoryJson,
  EntityJson,
  OverviewJson,
  PollersJson,
  RulesJson,
  StatusJson,
  TimelineJson,
} from "../../src/io/api/answers.ts";
import { until } from "../e2e/until.ts";
import { startAggregator } from "./aggregator.ts";
import { makeHome, startDaemon } from "./daemon.ts";
import { ACT_KEY, alertLine, QUICK_RULES, quickConfig } from "./quick.ts";

/** With a rule that is off, and that another one names all the same. */
const WITH_ONE_OFF = `${QUICK_RULES}        inhibited_by: [Off]
      - alert: Off
        each: aggregator
        when: aggregator.failing_pollers > 99.0
        enabled: false
`;

async function ask<Json>(url: string, path: string): Promise<Json> {
  const reply = await fetch(`${url}/api/v1/${path}`);
  expect(reply.status, path).toBe(200);
  return (await reply.json()) as Json;
}

/** What is said of an instant, without what goes on with the time or is not kept. */
async function said(url: string, at?: string) {
  const query = at === undefined ? "" : `&at=${at}`;
  const entities = await ask<EntitiesJson>(url, `entities?limit=1000&kind=exchange${query}`);
  const alerts = await ask<AlertsJson>(
    url,
    `alerts?sort=entity&alertname=ExchangeDisabled${query}`,
  );
  const overview = await ask<OverviewJson>(url, `overview?${query.slice(1)}`);
  const own = overview.alert_groups.filter(({ alertname }) => alertname === "ExchangeDisabled");
  return {
    at: overview.at,
    instant: entities.at,
    entities: entities.entities,
    counts: overview.aggregators.map(({ name, kinds }) => ({
      name,
      kinds: kinds.filter(({ kind }) => kind === "exchange"),
    })),
    alerts: alerts.alerts.map(({ entity, state, fired_at: firedAt }) => ({
      entity,
      state,
      firedAt,
    })),
    groups: own.map(({ firing, resolved }) => ({ firing, resolved })),
  };
}

test("a real daemon that was stopped and started says of an instant what it said then", async (context) => {
  const aggregator = await startAggregator(context);
  const home = makeHome(context, quickConfig({ url: aggregator.url, mode: "shadow" }), QUICK_RULES);
  const first = await startDaemon(context, home, ACT_KEY);
  aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
  await first.line(alertLine("ExchangeDisabled", "firing"));
  const { instant, at: _at, ...then } = await said(first.url);
  expect(then.groups).toEqual([{ firing: 1, resolved: 0 }]);
  expect(then.entities.some(({ condition }) => condition === "bad")).toBe(true);
  await first.end("SIGTERM");
  aggregator.control({ do: "enable_exchange", exchange: "BINANCE" });
  const daemon = await startDaemon(context, home, ACT_KEY);
  await daemon.line(alertLine("ExchangeDisabled", "resolved"));
  const { instant: shown, at, ...now } = await said(daemon.url, instant);
  expect([shown, at]).toEqual([instant, instant]);
  expect(now).toEqual(then);
  // Of a band that begins at the very instant that is shown, nothing is shown.
  let present = await said(daemon.url);
  while (present.entities.some(({ since }) => since === present.instant)) {
    await aggregator.next("GET", "/exchange/disabled");
    present = await said(daemon.url);
  }
  expect(present.groups).toEqual([{ firing: 0, resolved: 1 }]);

  // From instant to instant, with what was not recorded while it was stopped.
  const history = await ask<EntityHistoryJson>(
    daemon.url,
    `entities/${then.entities[0]?.aggregator ?? ""}/exchange/BINANCE/history?span=1h&at=${present.instant}`,
  );
  const { bands } = history;
  const bad = bands.filter(({ condition }) => condition === "bad");
  expect(bad.every(({ status }) => status === "disabled")).toBe(true);
  expect(bad.some(({ from }) => from < instant)).toBe(true);
  expect(bands.map(({ condition }) => condition)).toContain("not_recorded");
  expect(bands.at(-1)).toMatchObject({
    condition: "ok",
    status: "enabled",
    until: present.instant,
  });
  for (const [index, { until }] of bands.slice(0, -1).entries())
    expect(bands[index + 1]?.from).toBe(until);

  // Everything else says that it is the past, or that it is not kept.
  const overview = await ask<OverviewJson>(daemon.url, `overview?at=${instant}`);
  expect([overview.mode, overview.silences]).toEqual(["shadow", []]);
  expect(overview.not_kept).toContain("proposals");
  expect(overview.why_read_only).toContain("past");
  expect(Date.parse(overview.kept_since ?? "")).toBeLessThanOrEqual(Date.parse(instant));
  const key = `${then.entities[0]?.aggregator ?? ""}/exchange/BINANCE`;
  const entity = await ask<EntityJson>(daemon.url, `entities/${key}?at=${instant}`);
  expect(entity.entity.status).toBe("disabled");
  expect(entity.alerts.map(({ state }) => state)).toContain("firing");
  expect(entity.rules.map(({ rule }) => rule)).toContain("ExchangeDisabled");
  const pollers = await ask<PollersJson>(daemon.url, `pollers?at=${instant}`);
  const exchanges = pollers.pollers.find(({ entity: { id } }) => id === "exchanges");
  expect(exchanges?.recent.length).toBeGreaterThan(0);
  expect(exchanges?.recent.every((poll) => poll.at <= instant)).toBe(true);
  const timeline = await ask<TimelineJson>(daemon.url, `timeline?at=${instant}`);
  expect(timeline.rows.length).toBeGreaterThan(0);
  expect(timeline.rows.every((row) => row.at <= instant)).toBe(true);
  const alert = await fetch(`${daemon.url}/api/v1/alerts/ExchangeDisabled/${key}?at=${instant}`);
  expect(await alert.json()).toMatchObject({
    alert: { state: "firing" },
    told: null,
    rule_text: expect.stringContaining("alert: ExchangeDisabled") as string,
  });
  const paths = ["rules", "entities", "pollers", "overview", "timeline"];
  for (const path of [...paths, `entities/${key}`, `entities/${key}/history`]) {
    const reply = await fetch(`${daemon.url}/api/v1/${path}?at=2020-01-01T00:00:00Z`);
    expect([path, reply.status]).toEqual([path, 410]);
    expect(((await reply.json()) as { error: string }).error).toContain("not kept");
  }
});

test("a real daemon shows the last polls as soon as they are past, though all were alike", async (context) => {
  const aggregator = await startAggregator(context);
  const home = makeHome(context, quickConfig({ url: aggregator.url, mode: "shadow" }), QUICK_RULES);
  const pollsOf = async (url: string, query = "") => {
    const { at, pollers } = await ask<PollersJson>(url, `pollers${query}`);
    const recent = pollers.find(({ entity }) => entity.id === "exchanges")?.recent ?? [];
    return { at, polls: recent.map((poll) => `${poll.at} ${poll.outcome}`) };
  };
  const first = await startDaemon(context, home, ACT_KEY);
  await expect
    .poll(async () => (await pollsOf(first.url)).polls.length, { timeout: 60_000 })
    .toBeGreaterThan(4);
  const now = await pollsOf(first.url);
  expect(await pollsOf(first.url, `?at=${now.at}`)).toEqual(now);
  // And what came after that is written at the latest when it ends.
  await expect
    .poll(async () => (await pollsOf(first.url)).polls.length, { timeout: 60_000 })
    .toBeGreaterThan(now.polls.length + 1);
  const last = await pollsOf(first.url);
  await first.end("SIGTERM");
  const second = await startDaemon(context, home, ACT_KEY);
  expect(await pollsOf(second.url, `?at=${last.at}`)).toEqual(last);
});

test("a real daemon says which rules, mode and silences were in force, whatever is now", async (context) => {
  const aggregator = await startAggregator(context);
  const config = `${quickConfig({ url: aggregator.url, mode: "shadow" })}\nserver: { tokens_file: tokens.yaml }\n`;
  const home = makeHome(context, config, QUICK_RULES);
  const token = "the-token-of-alice";
  const sha256 = createHash("sha256").update(token).digest("hex");
  const tokens = `- { name: alice, token_sha256: "${sha256}", scopes: [read, operate] }\n`;
  writeFileSync(join(dirname(home.config), "tokens.yaml"), tokens);
  const first = await startDaemon(context, home, ACT_KEY);
  const post = async (url: string, path: string, body?: object): Promise<void> => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const text = body === undefined ? null : JSON.stringify(body);
    const reply = await fetch(`${url}${path}`, { method: "POST", headers, body: text });
    expect(reply.status, await reply.text()).toBeLessThan(300);
  };
  aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
  await first.line(alertLine("ExchangeDisabled", "firing"));
  const began = await ask<OverviewJson>(first.url, "overview");
  const rulesThen = await ask<RulesJson>(first.url, "rules");
  await post(first.url, "/api/v1/silences", {
    scope: { kind: "exchange" },
    until: new Date(Date.now() + 3_600_000).toISOString(),
    reason: "the exchange moves",
  });
  const silenced = (await ask<AlertsJson>(first.url, "alerts")).at;
  const standing = (await ask<StatusJson>(first.url, "status")).silences;

  // Other rules without a restart, and another mode with one.
  const changed = QUICK_RULES.replace("for: 1s", "for: 1h");
  writeFileSync(join(home.rules, "rules.yaml"), changed);
  await post(first.url, "/-/reload");
  const reloaded = (await ask<RulesJson>(first.url, "rules")).at;
  await first.end("SIGTERM");
  writeFileSync(home.config, config.replace("mode: shadow", "mode: act"));
  const daemon = await startDaemon(context, home, ACT_KEY);
  await post(daemon.url, `/-/reload`);

  const textsAt = async (at: string): Promise<string> =>
    (await ask<RulesJson>(daemon.url, `rules?at=${at}`)).rules.map(({ text }) => text).join("");
  const { rules } = await ask<RulesJson>(daemon.url, `rules?at=${began.at}`);
  expect(rules.map(({ coverage: _coverage, ...rule }) => rule)).toEqual(
    rulesThen.rules.map(({ coverage: _coverage, ...rule }) => rule),
  );
  expect(rules.find(({ alertname }) => alertname === "ExchangeDisabled")?.firing).toBe(1);
  expect(await textsAt(began.at)).toContain("for: 1s");
  expect(await textsAt(reloaded)).toContain("for: 1h");
  expect(await textsAt(reloaded)).not.toContain("for: 1s");

  const overviewAt = async (at: string): Promise<OverviewJson> =>
    await ask<OverviewJson>(daemon.url, `overview?at=${at}`);
  const then = await overviewAt(began.at);
  expect([then.mode, then.silences]).toEqual(["shadow", []]);
  expect(then.not_kept).not.toContain("silences");
  expect(then.verdict.lines).toEqual(began.verdict.lines);
  expect((await overviewAt(silenced)).silences).toEqual(standing);
  // What stood before a restart stands after it.
  const present = await ask<StatusJson>(daemon.url, "status");
  expect(present).toMatchObject({ mode: "act", silences: standing });
  expect(await overviewAt((await ask<AlertsJson>(daemon.url, "alerts")).at)).toMatchObject({
    mode: "act",
    silences: standing,
  });
});

test("a real daemon replays its past by today's rules: nothing differs by the same rules, and what others change", async (context) => {
  const aggregator = await startAggregator(context);
  const config = quickConfig({ url: aggregator.url, mode: "shadow" });
  // A `for` ends at a tick, which comes late on a busy machine: what fires later than it should is moved.
  const rules = WITH_ONE_OFF.replace("for: 1s", "for: 0s");
  const home = makeHome(context, config, rules);
  const token = "the-token-of-alice";
  const sha256 = createHash("sha256").update(token).digest("hex");
  const tokens = `- { name: alice, token_sha256: "${sha256}", scopes: [read, operate] }\n`;
  writeFileSync(join(dirname(home.config), "tokens.yaml"), tokens);
  writeFileSync(home.config, `${config}\nserver: { tokens_file: tokens.yaml }\n`);
  const daemon = await startDaemon(context, home, ACT_KEY);
  const call = async (method: string, path: string, body?: unknown): Promise<Response> =>
    await fetch(`${daemon.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const result = async (since: string, rules?: string): Promise<BacktestJson> => {
    expect((await call("POST", "/api/v1/backtest", { since, rules })).status).toBe(202);
    return await until("the backtest has ended", async () => {
      const status = (await (await call("GET", "/api/v1/backtest")).json()) as BacktestJson;
      return status.state === "running" ? undefined : status;
    });
  };
  const { at: since } = await ask<OverviewJson>(daemon.url, "overview");
  aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
  await daemon.line(alertLine("ExchangeDisabled", "firing"));
  aggregator.control({ do: "enable_exchange", exchange: "BINANCE" });
  await daemon.line(alertLine("ExchangeDisabled", "resolved"));

  const same = await result(since);
  expect(same).toMatchObject({ state: "done", by: "alice", problem: null, progress: 1 });
  expect(same.result?.counts.alerts_told).toBeGreaterThan(0);
  const none = {
    alerts_more: 0,
    alerts_fewer: 0,
    alerts_moved: 0,
    actions_more: 0,
    actions_fewer: 0,
  };
  expect(same.result).toMatchObject({ counts: none, problems: [] });

  const slower = rules.replace("for: 0s", "for: 1h");
  writeFileSync(join(home.rules, "rules.yaml"), slower);
  expect((await call("POST", "/-/reload")).status).toBe(200);
  const other = await result(since);
  expect(other.result?.alerts_fewer.map(({ rule, entity }) => [rule, entity.id])).toEqual([
    ["ExchangeDisabled", "BINANCE"],
  ]);
  expect(other.result?.counts.alerts_more).toBe(0);

  // One at a time, which can be cancelled, and of no more than a week.
  expect((await call("POST", "/api/v1/backtest", { since })).status).toBe(202);
  expect((await call("POST", "/api/v1/backtest", { since })).status).toBe(409);
  const cancelled = (await (await call("DELETE", "/api/v1/backtest")).json()) as BacktestJson;
  expect(cancelled.state).toBe("cancelled");
  // A rule that is in no file, and names one that is: all that it would have done is more.
  const tried = `groups:
  - name: mine
    rules:
      - alert: Tried
        each: exchange
        when: exchange.status == "disabled"
        inhibited_by: [PollFailing, Off]
`;
  const trial = await result(since, tried);
  expect(trial).toMatchObject({ state: "done", problem: null });
  expect(trial.result?.counts).toMatchObject({ alerts_told: 0, alerts_fewer: 0 });
  expect(trial.result?.alerts_more.map(({ rule, entity }) => [rule, entity.id])).toContainEqual([
    "Tried",
    "BINANCE",
  ]);

  for (const wrong of ["2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z"])
    expect((await call("POST", "/api/v1/backtest", { since: wrong })).status, wrong).toBe(400);
  expect((await fetch(`${daemon.url}/api/v1/backtest`)).status).toBe(401);

  // Of the polls that fail, the first is on the timeline, and then the one that read again.
  const fault = { kind: "status", status: 503 };
  aggregator.control({ do: "set_fault", endpoint: "exchanges", fault, times: 3 });
  await daemon.line(({ msg, poller }) => msg === "poll is not complete" && poller === "exchanges");
  await daemon.line(
    ({ msg, poller }) => msg === "poll is complete again" && poller === "exchanges",
  );
  const { rows } = await ask<TimelineJson>(daemon.url, "timeline?types=polled");
  const entity: unknown = expect.stringContaining("/poller/exchanges");
  expect(rows).toMatchObject([
    { what: "complete", entity },
    { what: "failed", entity },
  ]);
});
