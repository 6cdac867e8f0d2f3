import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { DEFAULT_SENDERS } from "../../src/simulator/model/default-world.ts";
import { sendJson, startServer } from "../io/local-server.ts";
import { makeHome, runCli, startDaemon } from "./daemon.ts";
import { ACT_KEY, alertLine, quickConfig } from "./quick.ts";

const [SENDER] = DEFAULT_SENDERS;
const rules = (name: string): string =>
  readFileSync(new URL(`../../rules/${name}.yaml`, import.meta.url), "utf8");

/** The shipped rules of swaps and coverage; blind for a second is enough. */
const RULES = [
  rules("swaps"),
  rules("coverage")
    .replace(/^[^]*groups:\n/, "")
    .replace("for: 10m", "for: 1s"),
].join("\n");

const lock = { secretHash: "0xcd", expiration: 1_700_000_000_000 };
const WELL = { sender: SENDER, status: "ACTIVE", lockOrder: lock };

/** What a deployment says of a swap whose lock has expired long ago. */
const deployments = [
  {
    what: "the names of another deployment",
    swap: { ...WELL, lockOrder: { secretHash: "0xcd", validUntilBlockTime: lock.expiration } },
    rule: "SwapExpired",
    fact: "expires",
  },
];

describe("a deployment of which every poll succeeds and a rule can judge nothing", () => {
  test.for(deployments)(
    "with $what: the probe does not say that all is well, and RuleBlind fires",
    async ({ swap, rule, fact }, context) => {
      let said: unknown = swap;
      const server = await startServer(({ url }, response) => {
        if (url.includes("history")) sendJson(response, [said]);
        else sendJson(response, url.includes("disabled") ? { exchanges: [], pairs: [] } : []);
      });
      context.onTestFinished(server.close);
      const config = quickConfig({
        url: server.baseUrl,
        mode: "shadow",
        watch: `    watch: { senders: ["${SENDER}"] }`,
      });
      const home = makeHome(context, config, RULES);
      const probed = await runCli(
        context,
        ["probe", "--config", home.config, "--rules", home.rules],
        ACT_KEY,
      );
      expect(probed.code).toBe(1);
      expect(probed.out).toMatch(new RegExp(`${rule} +swap +1 +0 +BLIND: not known: ${fact} `));
      expect(probed.out).toMatch(new RegExp(`swap\\.${fact}: given by none of 1\\n.*${rule}`));
      expect(probed.out).toContain("change   ");

      const daemon = await startDaemon(context, home, ACT_KEY);
      await daemon.line(alertLine("RuleBlind", "firing"));
      const shown = await runCli(context, ["rules"], { AGGWATCH_URL: daemon.url });
      expect(shown.out).toMatch(
        new RegExp(`${rule} +sim +swap +- +1 +0 +BLIND: ${fact} of 1 is not known`),
      );
      said = WELL;
      await daemon.line(alertLine("RuleBlind", "resolved"));
      expect((await runCli(context, ["rules"], { AGGWATCH_URL: daemon.url })).out).not.toContain(
        "BLIND",
      );
    },
  );
});

test("a swap whose status word has no known meaning is judged as active, and the word is told", async (context) => {
  let said: unknown = { ...WELL, status: "Redeeming" };
  const server = await startServer(({ url }, response) => {
    if (url.includes("history")) sendJson(response, [said]);
    else sendJson(response, url.includes("disabled") ? { exchanges: [], pairs: [] } : []);
  });
  context.onTestFinished(server.close);
  const config = quickConfig({
    url: server.baseUrl,
    mode: "shadow",
    watch: `    watch: { senders: ["${SENDER}"] }`,
  });
  const home = makeHome(context, config, RULES.replaceAll("for: 5m", "for: 1s"));
  const daemon = await startDaemon(context, home, ACT_KEY);
  await daemon.line(alertLine("SwapExpired", "firing"));
  await daemon.line(alertLine("SwapStatusUnknown", "firing"));
  said = { ...WELL, status: "settled" };
  await daemon.line(alertLine("SwapStatusUnknown", "resolved"));
  await daemon.line(alertLine("SwapExpired", "resolved"));
});
