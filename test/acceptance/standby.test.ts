import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { MOST_FAILURES } from "../../src/io/api/tokens.ts";
import { connect, usePostgres } from "../io/postgres/fixture.ts";
import { startAggregator } from "./aggregator.ts";
import type { Daemon, LogLine } from "./daemon.ts";
import { look, type Sent } from "./look.ts";
import { isActing, startPair } from "./pair.ts";
import { askAsAlice } from "./people.ts";
import { alertLine, QUICK_RULES } from "./quick.ts";

const server = usePostgres();

const ofAlert = ({ event, data }: Sent): boolean =>
  event === "alerts" && data.includes("ExchangeDisabled");

describe("a viewer of a standby", () => {
  it("is sent what changes, is cut when that standby takes over, and goes on there", async (context) => {
    const aggregator = await startAggregator(context);
    const { a, b } = await startPair(context, await server().makeDatabase(), aggregator.url);
    const { events } = await look(context, b.url);
    await events.first(({ event }) => event === "reset");
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    const { data, id } = await events.first(ofAlert);
    expect(data).toContain("BINANCE");
    await a.end("SIGKILL");
    await b.line(isActing);
    await events.first(({ event }) => event === "end");
    const again = await look(context, b.url, id);
    await again.events.first(({ event }) => event === "reset");
    aggregator.control({ do: "disable_exchange", exchange: "KUCOIN" });
    await again.events.first((sent) => ofAlert(sent) && sent.data.includes("KUCOIN"));
  });
});

/** More looks than a standby needs to read again; one for each poll. */
const MOST_LOOKS = 30;

describe("the tokens of a standby", () => {
  it("are those in its file now: one whose line was removed is refused, and a new one is not", async (context) => {
    const aggregator = await startAggregator(context);
    const { b } = await startPair(context, await server().makeDatabase(), aggregator.url);
    const scope = { kind: "exchange", id: "KUCOIN" };
    const hold = { scope, for: "1h", reason: "by hand" };
    expect((await askAsAlice(b, "/api/v1/holds", hold)).status).toBe(200);
    const file = join(dirname(b.home.config), "tokens.yaml");
    const before = readFileSync(file, "utf8");
    const become = async (written: string, status: number): Promise<void> => {
      writeFileSync(file, written);
      for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
        if ((await askAsAlice(b, "/api/v1/token")).status === status) break;
        await aggregator.next("GET", "/exchange/disabled");
      }
      expect((await askAsAlice(b, "/api/v1/holds", hold)).status).toBe(status);
    };
    await become(before.replace(/^.*alice.*\n/m, ""), 401);
    await become(before, 200);
  });

  it("cannot be guessed faster because it reads its rows again and again", async (context) => {
    const aggregator = await startAggregator(context);
    const { b } = await startPair(context, await server().makeDatabase(), aggregator.url);
    const guess = async (token: string): Promise<number> => {
      const headers = { authorization: `Bearer ${token}` };
      return (await fetch(`${b.url}/api/v1/token`, { headers })).status;
    };
    const statusAt = async (): Promise<unknown> => {
      const { text } = await askAsAlice(b, "/api/v1/status");
      return (JSON.parse(text) as { at: unknown }).at;
    };
    const before = await statusAt();
    for (let wrong = 0; wrong < MOST_FAILURES; wrong += 1)
      expect(await guess(`wrong-${wrong}`)).toBe(401);
    for (let looks = 0; looks < MOST_LOOKS && (await statusAt()) === before; looks += 1)
      await aggregator.next("GET", "/exchange/disabled");
    expect(await statusAt()).not.toBe(before);
    expect(await guess("one-more")).toBe(429);
  });
});

describe("a command that is given to a standby", () => {
  it("is in what that shows next", async (context) => {
    const aggregator = await startAggregator(context);
    const { b } = await startPair(context, await server().makeDatabase(), aggregator.url);
    const shown = async (): Promise<unknown[]> => {
      const { killed, holds } = await b.status();
      return [killed.length, holds.length];
    };
    expect(await shown()).toEqual([0, 0]);
    expect((await askAsAlice(b, "/api/v1/kill", { reason: "odd" })).status).toBe(200);
    expect(await shown()).toEqual([1, 0]);
    const hold = { scope: { kind: "exchange" }, for: "1h", reason: "by hand" };
    expect((await askAsAlice(b, "/api/v1/holds", hold)).status).toBe(200);
    expect(await shown()).toEqual([1, 1]);
    const overview = await askAsAlice(b, "/api/v1/overview");
    expect(JSON.parse(overview.text)).toMatchObject({ killed: [{ by: "alice" }] });
  });

  it("is checked by the owner, whose config names others than its own", async (context) => {
    const aggregator = await startAggregator(context);
    const { a, b } = await startPair(context, await server().makeDatabase(), aggregator.url);
    const hash = async (): Promise<number | undefined> => await b.metric("aggwatch_config_hash");
    const before = await hash();
    writeFileSync(
      b.home.config,
      readFileSync(b.home.config, "utf8").replace("name: sim", "name: sim2"),
    );
    for (let looks = 0; looks < MOST_LOOKS && (await hash()) === before; looks += 1)
      await aggregator.next("GET", "/exchange/disabled");
    expect(await hash()).not.toBe(before);
    const holdOf = async (asked: Daemon, name: string) => {
      const scope = { aggregator: name, kind: "exchange", id: "KUCOIN" };
      return await askAsAlice(asked, "/api/v1/holds", { scope, for: "1h", reason: "by hand" });
    };
    expect(await holdOf(b, "sim")).toMatchObject({
      status: 200,
      text: expect.stringContaining("it covers 1 entity now"),
    });
    const refused = await holdOf(b, "sim2");
    expect(refused).toEqual({
      status: 400,
      text: '{"error":"the body is wrong","problems":["scope.aggregator: there is no aggregator \\"sim2\\" (did you mean \\"sim\\"?)"]}',
    });
    expect(await holdOf(a, "sim2")).toEqual(refused);
    const watched = { kind: "sender", target: "0xa", reason: "ours" };
    expect(await askAsAlice(b, "/api/v1/watch", watched)).toMatchObject({
      status: 200,
      text: expect.stringContaining('"subject":"sim/sender/0xa"'),
    });
  });
});

describe("a command that waits at a standby as that ends", () => {
  it("is answered, and is not done by the next owner", async (context) => {
    const aggregator = await startAggregator(context);
    const url = await server().makeDatabase();
    const { b } = await startPair(context, url, aggregator.url);
    const database = await connect(context, url);
    // The owner takes none.
    await database.query(
      "CREATE FUNCTION leave() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
    );
    await database.query(
      "CREATE TRIGGER leave BEFORE UPDATE ON command FOR EACH ROW EXECUTE FUNCTION leave()",
    );
    const asked = askAsAlice(b, "/api/v1/kill", { reason: "odd" });
    while ((await database.query("SELECT FROM command ")).length === 0);
    expect(await b.end("SIGTERM")).toBe(0);
    expect(await asked).toEqual({
      status: 409,
      text: expect.stringContaining("nothing was done: this replica ends."),
    });
    expect(await database.query("SELECT FROM command")).toEqual([]);
  });
});

describe("the files of a standby", () => {
  it("are read when they change, at SIGHUP and on request, and it says so as the owner does", async (context) => {
    const aggregator = await startAggregator(context);
    const { b } = await startPair(context, await server().makeDatabase(), aggregator.url);
    const by =
      (msg: string, who: string) =>
      (line: LogLine): boolean =>
        line["msg"] === msg && line["by"] === who;
    const CHANGE = "a change of the files";
    const noticesAt = async (path: string): Promise<unknown> =>
      (JSON.parse((await askAsAlice(b, path)).text) as { notices: unknown }).notices;
    const rules = join(b.home.rules, "rules.yaml");
    writeFileSync(rules, QUICK_RULES.replace("exchange.status", "exchange.stattus"));
    const FAILED = "reload failed; what was in force still is";
    const failed = await b.line(by(FAILED, CHANGE));
    expect(failed["problems"]).toContainEqual(expect.stringContaining("rules.yaml"));
    const notice = expect.stringMatching(
      /^The reload at .* failed, .* run on: .*rules\.yaml/,
    ) as string;
    expect(await noticesAt("/api/v1/status")).toEqual([notice]);
    expect(await noticesAt("/api/v1/overview")).toEqual([notice]);
    expect(await askAsAlice(b, "/-/reload", {})).toMatchObject({
      status: 422,
      text: expect.stringContaining("exchange.stattus"),
    });
    writeFileSync(rules, QUICK_RULES.replace("for: 1s", "for: 2s"));
    expect(await b.line(by("reloaded", CHANGE))).toMatchObject({ changed: ["ExchangeDisabled"] });
    expect(await noticesAt("/api/v1/status")).toEqual([]);
    b.process.kill("SIGHUP");
    expect(await b.line(by("reloaded", "SIGHUP"))).toMatchObject({ changed: [] });
    expect(await askAsAlice(b, "/-/reload?dry_run=true", {})).toMatchObject({
      status: 200,
      text: expect.stringContaining('"reloaded":false'),
    });
    expect(await askAsAlice(b, "/-/reload", {})).toMatchObject({
      status: 200,
      text: expect.stringContaining('"reloaded":true'),
    });
    await b.line(by("reloaded", "alice, by POST /-/reload"));
  });
});

describe("why an alert fires, at a standby whose files lack its rule", () => {
  it("is not known, and the answer says so instead of that there is no such rule", async (context) => {
    const aggregator = await startAggregator(context);
    const { a, b } = await startPair(context, await server().makeDatabase(), aggregator.url);
    const rules = join(b.home.rules, "rules.yaml");
    writeFileSync(rules, QUICK_RULES.replace("ExchangeDisabled", "Renamed"));
    await b.line(({ msg }) => msg === "reloaded");
    expect((await askAsAlice(a, "/api/v1/kill", { reason: "odd" })).status).toBe(200);
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    await a.line(alertLine("ExchangeDisabled", "firing"));
    const { status, text } = await askAsAlice(
      b,
      "/api/v1/explain?rule=ExchangeDisabled&entity=exchange/BINANCE",
    );
    expect({ status, ...(JSON.parse(text) as object) }).toEqual({
      status: 404,
      error:
        "the files of this replica have no rule ExchangeDisabled; its alert on sim/exchange/BINANCE is firing: ask the replica that acts",
    });
  });
});

describe("the metrics of a standby", () => {
  it("are of its files as they are now, also if they cannot be read", async (context) => {
    const aggregator = await startAggregator(context);
    const { b } = await startPair(context, await server().makeDatabase(), aggregator.url);
    const HASH = "aggwatch_config_hash";
    const SUCCESSFUL = "aggwatch_config_last_reload_successful";
    const before = await b.metric(HASH);
    const become = async (metric: string, isNow: (value?: number) => boolean): Promise<void> => {
      for (let looks = 0; looks < MOST_LOOKS && !isNow(await b.metric(metric)); looks += 1)
        await aggregator.next("GET", "/exchange/disabled");
      expect(await b.metric(metric)).toSatisfy(isNow);
    };
    const rules = join(b.home.rules, "rules.yaml");
    writeFileSync(rules, QUICK_RULES.replace("for: 1s", "for: 2s"));
    await become(HASH, (value) => value !== undefined && value !== before);
    expect(await b.metric(SUCCESSFUL)).toBe(1);
    writeFileSync(rules, "groups: 3");
    await become(SUCCESSFUL, (value) => value === 0);
    writeFileSync(rules, QUICK_RULES);
    await become(HASH, (value) => value === before);
    expect(await b.metric(SUCCESSFUL)).toBe(1);
  });
});
