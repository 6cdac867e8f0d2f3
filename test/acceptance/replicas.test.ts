import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HOUR } from "../../src/domain/time.ts";
import { usePostgres } from "../io/postgres/fixture.ts";
import { startAggregator } from "./aggregator.ts";
import type { Daemon } from "./daemon.ts";
import { isActing, startPair } from "./pair.ts";
import { askAsAlice as ask } from "./people.ts";
import { alertLine, QUICK_RULES, remediationLine } from "./quick.ts";

const server = usePostgres();

const SUCCESS_AT = "aggwatch_config_last_reload_success_timestamp_seconds";
const STARTED_AT = "aggwatch_started_timestamp_seconds";

const toggle = (exchange: string): string => `/exchange/toggle/${exchange}`;
const disable = (exchange: string) => ({ do: "disable_exchange", exchange });

const ready = async ({ url }: Daemon): Promise<string> =>
  await (await fetch(`${url}/readyz`)).text();

/** What it said that it is about to do. */
const startsOf = ({ lines }: Daemon) =>
  lines
    .filter(({ msg }) => msg === "watching" || msg === "standing by")
    .map(({ msg, url, replica, holder }) => ({
      msg,
      url,
      replica,
      ...(holder === undefined ? {} : { holder }),
    }));

describe("two replicas on one database", () => {
  it("act as one: the other takes over after SIGKILL, and repairs what comes then", async (context) => {
    const aggregator = await startAggregator(context);
    const { a, b } = await startPair(context, await server().makeDatabase(), aggregator.url);
    expect(await ready(a)).toContain("owner: a, epoch 1");
    // A slow database may leave open for a while who has the lease.
    let role = await ready(b);
    while (role.includes("who has the lease is not known")) {
      await aggregator.next("GET", "/exchange/disabled");
      role = await ready(b);
    }
    expect(role).toMatch(/^ok\nstandby: b; a\/\w+ has the lease\n$/);
    expect(startsOf(a)).toEqual([{ msg: "watching", url: a.url, replica: "a" }]);
    const holder = expect.stringMatching(/^a\/\w+$/) as string;
    expect(startsOf(b)).toEqual([{ msg: "standing by", url: b.url, replica: "b", holder }]);
    const startedAt = await b.metric(STARTED_AT);
    expect(startedAt).toBeGreaterThan(0);
    aggregator.control(disable("BINANCE"));
    await a.line(remediationLine("verified"));
    await a.end("SIGKILL");
    expect(await b.line(isActing)).toMatchObject({ epoch: 2 });
    expect(await ready(b)).toContain("owner: b, epoch 2");
    // A take-over is no restart.
    expect(await b.metric(STARTED_AT)).toBe(startedAt);
    aggregator.control(disable("KUCOIN"));
    await b.line(remediationLine("verified"));
    expect(aggregator.count("POST", toggle("BINANCE"))).toBe(1);
    expect(aggregator.count("POST", toggle("KUCOIN"))).toBe(1);
    expect(await b.end("SIGTERM")).toBe(0);
  });

  it("send an action once, though the one that sent it is killed before its answer", async (context) => {
    let kill: (() => void) | undefined;
    const aggregator = await startAggregator(context, {
      before: ({ method }) => {
        if (method === "POST") kill?.();
      },
    });
    const { a, b } = await startPair(context, await server().makeDatabase(), aggregator.url);
    kill = () => void a.end("SIGKILL");
    aggregator.control(disable("BINANCE"));
    await b.line(isActing);
    await b.line(remediationLine("in_doubt"));
    await b.line(remediationLine("verified"));
    await b.line(alertLine("ExchangeDisabled", "resolved"));
    expect(aggregator.count("POST", toggle("BINANCE"))).toBe(1);
  });

  it("hand over on SIGTERM: the lease is free at once, and taken", async (context) => {
    const aggregator = await startAggregator(context);
    const { a, b } = await startPair(context, await server().makeDatabase(), aggregator.url);
    expect(await a.end("SIGTERM")).toBe(0);
    expect(await b.line(isActing)).toMatchObject({ epoch: 2 });
  });

  it("go on with the rules before, and say so, if those of the one that takes over are broken", async (context) => {
    const aggregator = await startAggregator(context);
    const { a, b } = await startPair(context, await server().makeDatabase(), aggregator.url);
    const before = await b.metric(SUCCESS_AT);
    const rules = join(b.home.rules, "rules.yaml");
    writeFileSync(rules, QUICK_RULES.replace("exchange.status", "exchange.stattus"));
    await a.end("SIGKILL");
    await b.line(isActing);
    expect(await b.metric("aggwatch_config_last_reload_successful")).toBe(0);
    expect(await b.metric(SUCCESS_AT)).toBeLessThanOrEqual(before ?? 0);
    const { text } = await ask(b, "/api/v1/status");
    expect(text).toMatch(/"notices":\["The reload at .* failed, .* run on: [^"]*rules\.yaml/);
    aggregator.control(disable("BINANCE"));
    await b.line(remediationLine("verified"));
    writeFileSync(rules, QUICK_RULES);
    await b.line(({ msg }) => msg === "reloaded");
    expect(await b.metric("aggwatch_config_last_reload_successful")).toBe(1);
  });

  it("go on with what a replica read last as it stood by, if its files are broken as it takes over", async (context) => {
    const aggregator = await startAggregator(context);
    const { a, b } = await startPair(context, await server().makeDatabase(), aggregator.url);
    const before = await b.metric(SUCCESS_AT);
    const config = readFileSync(b.home.config, "utf8");
    writeFileSync(b.home.config, config.replace("mode: act", "mode: shadow"));
    await b.line(({ msg }) => msg === "reloaded");
    writeFileSync(join(b.home.rules, "rules.yaml"), "groups: broken");
    await b.line(({ msg }) => String(msg).startsWith("reload failed"));
    await a.end("SIGKILL");
    expect(await b.line(isActing)).toMatchObject({ mode: "shadow" });
    expect(await b.metric(SUCCESS_AT)).toBeGreaterThan(before ?? Number.POSITIVE_INFINITY);
    expect(await b.metric("aggwatch_config_last_reload_successful")).toBe(0);
  });

  it("answer alike: a standby shows what the owner wrote, explains it, and passes commands on", async (context) => {
    const aggregator = await startAggregator(context);
    const { a, b } = await startPair(context, await server().makeDatabase(), aggregator.url);
    const scope = { kind: "exchange", id: "BINANCE" };
    const held = await ask(b, "/api/v1/holds", { scope, for: "1h", reason: "by hand" });
    expect(held).toMatchObject({ status: 200, text: expect.stringContaining('"durable":true') });
    aggregator.control(disable("BINANCE"));
    const suppressed = await a.line(({ msg, reason }) => msg === "suppressed" && reason === "held");
    expect(suppressed).toMatchObject({ entity: "sim/exchange/BINANCE" });
    expect(aggregator.count("POST", toggle("BINANCE"))).toBe(0);
    // What it shows may be some seconds old, so it is asked until it has read again.
    let status = "";
    while (!status.includes('"firing"')) {
      ({ text: status } = await ask(b, "/api/v1/status"));
      await aggregator.next("GET", "/exchange/disabled");
    }
    expect(status).toContain('"replica":"standby: b; a/');
    // Being a standby is nothing that is wrong.
    expect(status).toContain('"notices":[]');
    const { started_at: startedAt } = JSON.parse(status) as { started_at: string };
    expect(Date.now() - Date.parse(startedAt)).toBeLessThan(HOUR);
    expect(status).toContain("by hand");
    const explained = await ask(b, "/api/v1/explain?rule=ExchangeDisabled&entity=exchange/BINANCE");
    expect(explained.text).toContain("held");
    // What the guards said to the owner, and not what they would say to one that has read nothing.
    expect(explained.text).toContain("✓ standby: this replica holds the lease, of epoch 1");
    expect(explained.text).toContain("✓ stale: last read");
    const calm = await ask(b, "/api/v1/explain?rule=ExchangeDisabled&entity=exchange/KUCOIN");
    expect(calm.text).toContain("When it was last read is known to the replica that owns it.");
    const at = new Date().toISOString();
    const past = await ask(
      b,
      `/api/v1/explain?rule=ExchangeDisabled&entity=exchange/BINANCE&at=${at}`,
    );
    expect(past).toMatchObject({ status: 200, text: expect.stringContaining("held") });
    expect((await ask(b, "/api/v1/findings")).text).toContain("by hand");
    const wrong = await ask(b, "/api/v1/proposals/p9/approval", { digest: "0", reason: "no such" });
    expect(wrong.status).toBeGreaterThanOrEqual(400);
    const metrics = await b.metrics();
    expect(metrics).toContain("aggwatch_replica_owner 0");
    // It has no work that it could be behind with, and is no reason to alert.
    expect(metrics).not.toMatch(/^aggwatch_heartbeat_withheld\{.*\} 1$/m);
    expect(metrics).not.toContain("BINANCE");
    expect(await a.metric("aggwatch_replica_owner")).toBe(1);
    expect(await a.metric("aggwatch_lease_epoch")).toBe(1);
  });

  it("send no action without the database, alert all the same, and go on when it is back", async (context) => {
    const aggregator = await startAggregator(context);
    const { a, b } = await startPair(context, await server().makeDatabase(), aggregator.url);
    await server().kill();
    context.onTestFinished(async () => await server().restart());
    aggregator.control(disable("BINANCE"));
    await a.line(alertLine("ExchangeDisabled", "firing"));
    await aggregator.next("GET", "/exchange/disabled");
    expect(aggregator.count("POST", toggle("BINANCE"))).toBe(0);
    expect(await ready(a)).toContain("the journal cannot be written");
    expect(await ask(b, "/api/v1/status")).toMatchObject({
      status: 503,
      text: expect.stringContaining('{"error":"the database cannot be read'),
    });
    const posted = aggregator.next("POST", toggle("BINANCE"));
    await server().start();
    await posted;
    expect(aggregator.count("POST", toggle("BINANCE"))).toBe(1);
    expect(await ready(b)).toContain("b");
  });
});
