import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { startAggregator } from "./aggregator.ts";
import { makeHome, runCli, startDaemon } from "./daemon.ts";
import { hasPrlimit, limitFiles, WITHOUT_PRLIMIT } from "./limit-files.ts";
import { ACT_KEY, alertLine, QUICK_RULES, quickConfig } from "./quick.ts";
import { accept, refuseWith, startReceiver, type Receiver } from "./receiver.ts";

type Told = { readonly notifications: ReadonlyArray<{ readonly state: string; key: string }> };

const KEY = "alert ExchangeDisabled|sim/exchange/BINANCE";

const MANY = ["ASCENDEX", "BINANCE", "CURVE", "KUCOIN", "OKX"];

function configFor(url: string, receivers: { am?: Receiver; hook?: Receiver }): string {
  const { am, hook } = receivers;
  return `${quickConfig({ url, mode: "shadow" })}
server: { external_url: https://aggwatch.example }
notify:
  alertmanagers: ${am === undefined ? "[]" : `[{ url: "${am.url}", name: am }]`}
  webhooks: ${hook === undefined ? "[]" : "[{ name: hook, url_env: HOOK_URL }]"}
`;
}

function states(receiver: Receiver): string[] {
  return receiver.taken.flatMap((body) =>
    (body as Told).notifications.filter(({ key }) => key === KEY).map(({ state }) => state),
  );
}

const says = (word: string) => (seen: { readonly body: string }) =>
  seen.body.includes(`"state":"${word}"`) && seen.body.includes("BINANCE");

describe("people are told", () => {
  test("by a test alert with a link to the page, as nothing is known of it there", async (context) => {
    const am = await startReceiver(context);
    const home = makeHome(context, configFor("http://aggregator.example", { am }), QUICK_RULES);
    const args = ["notify", "test", "--config", home.config, "--rules", home.rules];
    expect(await runCli(context, args, ACT_KEY)).toMatchObject({ code: 0, err: "" });
    const links = am.seen.flatMap(({ body }) =>
      (JSON.parse(body) as { generatorURL: string }[]).map(({ generatorURL: link }) => link),
    );
    expect(links).toEqual(["https://aggwatch.example/", "https://aggwatch.example/"]);
  });

  test("that an alert fires and resolves, through an Alertmanager and a webhook", async (context) => {
    const aggregator = await startAggregator(context);
    const am = await startReceiver(context);
    const hook = await startReceiver(context);
    const config = configFor(aggregator.url, { am, hook });
    const home = makeHome(context, config, QUICK_RULES);
    const secret = `${hook.url}/hooks/very-secret`;
    const daemon = await startDaemon(context, home, { ...ACT_KEY, HOOK_URL: secret });
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    await hook.request(says("firing"));
    await am.request(({ url, body }) => url === "/api/v2/alerts" && body.includes("BINANCE"));
    aggregator.control({ do: "enable_exchange", exchange: "BINANCE" });
    await hook.request(says("resolved"));
    expect(states(hook)).toEqual(["firing", "resolved"]);
    expect(hook.seen[0]?.url).toBe("/hooks/very-secret");
    expect(hook.seen[0]?.headers["x-api-key"]).toBeUndefined();
    const status = await daemon.status();
    expect(status.channels.map(({ name, last_error }) => [name, last_error])).toEqual([
      ["am", null],
      ["hook", null],
    ]);
    const page = await (await fetch(`${daemon.url}/plain`)).text();
    expect(page).toContain("<h2>Channels</h2>");
    const told = await runCli(context, ["status", "--url", daemon.url]);
    expect(told.out).toMatch(/hook +webhook +0/);
    const shown = JSON.stringify([told, daemon.lines, status, page, await daemon.metrics()]);
    expect(shown).not.toContain("very-secret");
  });

  test("after a SIGKILL, and after the receiver was down: the last word, and nothing is lost", async (context) => {
    const aggregator = await startAggregator(context);
    const hook = await startReceiver(context);
    hook.answers = refuseWith(503);
    const home = makeHome(context, configFor(aggregator.url, { hook }), QUICK_RULES);
    const env = { ...ACT_KEY, HOOK_URL: hook.url };
    const first = await startDaemon(context, home, env);
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    await hook.request(says("firing"));
    expect(await (await fetch(`${first.url}/healthz`)).text()).toContain("ok");
    await first.end("SIGKILL");
    // It ends while nobody watches, and while the receiver is still down.
    const second = await startDaemon(context, home, env);
    aggregator.control({ do: "enable_exchange", exchange: "BINANCE" });
    await second.line(alertLine("ExchangeDisabled", "resolved"));
    expect(await second.metric('aggwatch_outbox_notifications{channel="hook"}')).toBe(1);
    await second.end("SIGKILL");
    hook.answers = accept;
    const third = await startDaemon(context, home, env);
    await third.line((line) => line["msg"] === "notification" && line["outcome"] === "delivered");
    expect(states(hook)).toEqual(["resolved"]);
    expect(await third.metric('aggwatch_outbox_notifications{channel="hook"}')).toBe(0);
  });

  test("again, if the daemon died between the sending and the answer", async (context) => {
    const aggregator = await startAggregator(context);
    const hook = await startReceiver(context);
    const arrived = Promise.withResolvers<void>();
    hook.answers = (_seen, response) => {
      // Taken, but the answer never comes back.
      arrived.resolve();
      response.flushHeaders();
    };
    const home = makeHome(context, configFor(aggregator.url, { hook }), QUICK_RULES);
    const env = { ...ACT_KEY, HOOK_URL: hook.url };
    const first = await startDaemon(context, home, env);
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    await arrived.promise;
    await first.end("SIGKILL");
    hook.answers = accept;
    await startDaemon(context, home, env);
    await hook.request((seen) => seen !== hook.seen[0] && says("firing")(seen));
    expect(hook.seen.length).toBeGreaterThan(1);
  });

  test("of many at once in one message, which names each", async (context) => {
    const aggregator = await startAggregator(context);
    const hook = await startReceiver(context);
    const home = makeHome(context, configFor(aggregator.url, { hook }), QUICK_RULES);
    await startDaemon(context, home, { ...ACT_KEY, HOOK_URL: hook.url });
    for (const exchange of MANY) aggregator.control({ do: "disable_exchange", exchange });
    const told = await hook.request(says("firing"));
    for (const exchange of MANY) aggregator.control({ do: "enable_exchange", exchange });
    const over = await hook.request(says("resolved"));
    for (const [{ body }, word] of [
      [told, "FIRING"],
      [over, "RESOLVED"],
    ] as const) {
      const { title, notifications } = JSON.parse(body) as Told & { readonly title: string };
      expect(title).toMatch(
        new RegExp(String.raw`^\[${word}:${MANY.length}\] ExchangeDisabled: .* and 4 more$`),
      );
      expect(notifications.map(({ key }) => key).toSorted()).toEqual(
        MANY.map((exchange) => KEY.replace("BINANCE", exchange)),
      );
    }
    expect(hook.seen).toHaveLength(2);
  });

  test("by a channel that a reload brought, and by no test of a channel that cannot be reached", async (context) => {
    const aggregator = await startAggregator(context);
    const hook = await startReceiver(context);
    const home = makeHome(context, configFor(aggregator.url, {}), QUICK_RULES);
    const env = { ...ACT_KEY, HOOK_URL: hook.url };
    const daemon = await startDaemon(context, home, env);
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    await daemon.line(alertLine("ExchangeDisabled", "firing"));
    writeFileSync(home.config, configFor(aggregator.url, { hook }));
    daemon.process.kill("SIGHUP");
    await hook.request(says("firing"));
    const args = ["notify", "test", "--config", home.config, "--rules", home.rules];
    const tested = await runCli(context, args, env);
    expect(tested).toMatchObject({ code: 0, err: "" });
    expect(tested.out).toMatch(/hook +webhook +delivered/);
    expect(hook.seen.at(-1)?.body).toContain("AggwatchTest");
    hook.answers = refuseWith(403, {}, "invalid_token");
    const denied = await runCli(context, args, env);
    expect(denied).toMatchObject({ code: 1 });
    expect(denied.out).toContain("status 403: invalid_token");
    const json = await runCli(context, [...args, "--json"], env);
    const [only] = JSON.parse(json.out) as readonly object[];
    expect(only).toMatchObject({ channel: "hook", type: "webhook", outcome: "denied" });
    const unknown = await runCli(context, [...args, "--channel", "nobody"], env);
    expect(unknown.err).toContain('there is no channel "nobody"; there are: hook');
  });

  test.skipIf(!hasPrlimit)(
    `while the journal cannot be written, and that it cannot${WITHOUT_PRLIMIT}`,
    async (context) => {
      const aggregator = await startAggregator(context);
      const hook = await startReceiver(context);
      const home = makeHome(context, configFor(aggregator.url, { hook }), QUICK_RULES);
      const daemon = await startDaemon(context, home, { ...ACT_KEY, HOOK_URL: hook.url });
      await daemon.line((line) => line["entity"] === "sim/exchange/BINANCE");
      limitFiles(daemon, "0");
      aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
      const told = await hook.request(says("firing"));
      expect(JSON.parse(told.body)).toMatchObject({ recorded: false });
      await hook.request(({ body }) => body.includes("kill_on") && body.includes("journal"));
    },
  );
});
