import { copyFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { startProxy } from "../io/connect-proxy.ts";
import { FIXTURES, PASSPHRASE, startTlsFront } from "../io/tls-front.ts";
import { startAggregator } from "./aggregator.ts";
import { makeHome, runCli, startDaemon, type Home } from "./daemon.ts";
import type { Finishing } from "./events.ts";
import { ACT_KEY, alertLine, QUICK_RULES, quickConfig, remediationLine } from "./quick.ts";
import { startReceiver } from "./receiver.ts";

const PASSWORD = "pr0xy-passw0rd";
const ENV = { ...ACT_KEY, PROXY_PASSWORD: PASSWORD, PASSPHRASE };
const TOGGLE = "/api/v1/exchange/toggle/BINANCE";

const CLIENT =
  "cert_file: client.pem, key_file: client-key-encrypted.pem, key_passphrase_env: PASSPHRASE";

/** Certificates beside the config. */
function give(home: Home, name: string, as = name): void {
  copyFileSync(join(FIXTURES, name), join(dirname(home.config), as));
}

/** An aggregator that is reached only by TLS, with a certificate of ours, and through a proxy. */
async function startPrivateNetwork(context: Finishing) {
  const aggregator = await startAggregator(context);
  const receiver = await startReceiver(context);
  const front = await startTlsFront(aggregator.url, { demandsClientOf: "ca" });
  const receiving = await startTlsFront(receiver.url, { demandsClientOf: "ca" });
  const proxy = await startProxy({ demands: `me:${PASSWORD}` });
  for (const one of [front, receiving, proxy]) context.onTestFinished(one.close);
  const through = `proxy: { url: "${proxy.url}", username: me, password_env: PROXY_PASSWORD }`;
  const route = `tls: { ca_file: ca.pem, ${CLIENT} }\n    ${through}`;
  const config = `${quickConfig({ url: front.baseUrl, mode: "act", watch: `    ${route}` })}
notify:
  webhooks:
  - name: desk
    url_env: HOOK
    tells: [alerts]
    ${route}
`;
  const home = makeHome(context, config, QUICK_RULES);
  for (const name of ["ca.pem", "client.pem", "client-key-encrypted.pem"]) give(home, name);
  const env = { ...ENV, HOOK: `${receiving.baseUrl}/hook` };
  return { aggregator, receiver, front, receiving, proxy, home, env, config };
}

describe.concurrent("a daemon in a private network", () => {
  test("reads, acts and notifies through the proxy, by a private CA, with its certificate", async (context) => {
    const { aggregator, receiver, front, receiving, proxy, home, env } =
      await startPrivateNetwork(context);
    const daemon = await startDaemon(context, home, env);
    await daemon.line((line) => line["entity"] === "sim/exchange/BINANCE");
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    await daemon.line(remediationLine("verified"));
    expect(aggregator.count("POST", TOGGLE)).toBe(1);
    await receiver.request(({ body }) => body.includes("ExchangeDisabled"));
    // Every connection came by the proxy, which saw who is asked, and nothing of what.
    const authorities = new Set(proxy.asked.map(({ authority }) => authority));
    expect([...authorities].sort()).toEqual(
      [front, receiving].map(({ port }) => `127.0.0.1:${port}`).sort(),
    );
    expect(front.heard()).toContain(ACT_KEY.ACT_KEY);
    expect(proxy.carried()).not.toContain(ACT_KEY.ACT_KEY);
    expect(proxy.carried()).not.toContain("/hook");
    const shown = JSON.stringify([daemon.lines, await daemon.status(), await daemon.metrics()]);
    expect(shown).not.toMatch(new RegExp(`${PASSWORD}|${PASSPHRASE}|PRIVATE KEY`));
    expect(await daemon.end("SIGTERM")).toBe(0);
  });

  test("says which setting is wrong while it trusts nobody, and goes on when the CA is renewed", async (context) => {
    const { aggregator, front, home, env } = await startPrivateNetwork(context);
    give(home, "other-ca.pem", "ca.pem");
    const daemon = await startDaemon(context, home, env);
    await daemon.line(alertLine("PollFailing", "firing"));
    const said = JSON.stringify(await daemon.status());
    expect(said).toContain("TLS is not trusted (");
    expect(said).toContain("tls.ca_file");
    expect(front.heard()).toBe("");
    expect(aggregator.heard).toEqual([]);
    give(home, "ca.pem");
    const reloaded = await daemon.line((line) => line["msg"] === "reloaded");
    expect(JSON.stringify(reloaded)).toContain("aggregators.sim.tls.ca");
    await daemon.line(alertLine("PollFailing", "resolved"));
    expect(front.heard()).not.toBe("");
    expect(await daemon.end("SIGTERM")).toBe(0);
  });

  test("does not turn verification off for the environment", async (context) => {
    const { front, home, config } = await startPrivateNetwork(context);
    writeFileSync(home.config, config.replaceAll(/(?<=tls: \{ )ca_file: ca.pem, /g, ""));
    const off = { NODE_TLS_REJECT_UNAUTHORIZED: "0", NODE_NO_WARNINGS: "1" };
    const env = { ...ENV, HOOK: "https://127.0.0.1:9/hook", ...off };
    const probed = await runCli(context, ["probe", "--config", home.config], env);
    expect(probed.code).toBe(1);
    expect(probed.out).toContain("tls.ca_file: as the message says");
    expect(front.heard()).toBe("");
  });
});

describe.concurrent("the command line in a private network", () => {
  test("probes through the proxy, with the certificate", async (context) => {
    const { aggregator, proxy, home, env } = await startPrivateNetwork(context);
    const probed = await runCli(context, ["probe", "--config", home.config], env);
    expect(probed.err).toBe("");
    expect(probed.code).toBe(0);
    expect(aggregator.heard.length).toBeGreaterThan(0);
    expect(proxy.asked.length).toBeGreaterThan(0);
  });

  test("tests each channel by its route", async (context) => {
    const { receiver, proxy, home, env } = await startPrivateNetwork(context);
    const rules = ["--rules", home.rules];
    const args = ["notify", "test", "--config", home.config, ...rules];
    const tested = await runCli(context, args, env);
    expect(tested.code).toBe(0);
    expect(receiver.seen).toHaveLength(1);
    expect(proxy.asked).toHaveLength(1);
    const wrong = await runCli(context, args, { ...env, PROXY_PASSWORD: "other" });
    expect(wrong.code).toBe(1);
    expect(wrong.out).toContain("407");
    expect(wrong.out).toContain("proxy.password_file");
  });

  test("checks the files of TLS, with their places", async (context) => {
    const { home, env } = await startPrivateNetwork(context);
    give(home, "client-key.pem", "ca.pem");
    const args = ["check", "--config", home.config, "--rules", home.rules];
    const checked = await runCli(context, args, { ...env, PASSPHRASE: "wrong" });
    expect(checked.code).toBe(1);
    expect(checked.err).toMatch(/aggwatch\.yaml:\d+:\d+: .*ca\.pem holds no certificate/);
    expect(checked.err).toMatch(/aggwatch\.yaml:\d+:\d+: .*passphrase does not open/);
  });
});
