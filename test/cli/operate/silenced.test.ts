/** Tests src/cli/operate: what it says of alerts that are silenced. */
import { expect, it, type TestContext } from "vitest";
import { explain, explanationSentences } from "../../../src/core/explain/explain.ts";
import { createApp } from "../../../src/io/api/server.ts";
import { startServer } from "../../../src/io/http/app-server.ts";
import { eventfulWorld, sourceOf } from "../../io/api/server-fixture.ts";
import { commandLine } from "../command-line.ts";

const UNTIL = "2030-01-31T16:40:00.000Z";

/** What commands print of a daemon in which alerts on pairs are silenced. */
async function silencedDaemon(context: TestContext) {
  const world = eventfulWorld();
  const source = sourceOf(world, {
    explain: (rule, id) => {
      const { policy, state } = world;
      const explanation = explain(policy, state, rule, id, world.now);
      if (explanation === undefined) return { ok: false, problem: "there is no such thing" };
      const sentences = explanationSentences(policy.kinds, explanation);
      return { ok: true, value: { explanation, sentences } };
    },
  });
  const { url, close } = await startServer(createApp(source), "127.0.0.1", 0);
  context.onTestFinished(close);
  const printed = async (...args: readonly string[]): Promise<string> =>
    (await commandLine([...args, "--url", url])).printed;
  const before = await printed("alerts");
  const scope = { kind: "pair" };
  world.commands({ name: "silence", scope, until: Date.parse(UNTIL) });
  return { printed, before };
}

it("marks an alert that is silenced wherever alerts are shown", async (context) => {
  const { printed, before } = await silencedDaemon(context);
  expect(before).not.toContain("NOT NOTIFIED");
  const alerts = await printed("alerts");
  expect(alerts).toMatch(/^STATE.* NOT NOTIFIED BECAUSE\n/);
  expect(alerts).toMatch(
    /\nfiring .* PairDisabled .* silenced by s1 until 2030-01-31 16:40:00 UTC/,
  );
  expect(alerts.match(/silenced by/g)).toHaveLength(1);
  expect(await printed("status")).toMatch(
    /^alerts: 2 firing \(2 critical; 1 of them silenced\), 1 pending$/m,
  );
  expect(
    JSON.parse(await printed("alerts", "--json", "--alertname", "PairDisabled")),
  ).toMatchObject({ alerts: [{ inhibited_by: [], silenced_by: ["s1"], silenced_until: UNTIL }] });
});

it("says in an explanation which silence mutes the alert, whose it is and until when", async (context) => {
  const { printed } = await silencedDaemon(context);
  expect(await printed("explain", "PairDisabled", "pair/A/ORN-USDT")).toMatch(
    /: firing since .*\nIts notifications are silenced by s1 of alice until 2030-01-31T16:40:00\.000Z: she said so\.\n/,
  );
  const json = await printed("explain", "PairDisabled", "pair/A/ORN-USDT", "--json");
  expect(JSON.parse(json)).toMatchObject({ explanation: { silenced_by: ["s1"] } });
  expect(await printed("explain", "ExchangeDisabled", "exchange/A")).not.toContain("silenced");
});
