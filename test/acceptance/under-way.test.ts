import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { startAggregator, type Aggregator } from "./aggregator.ts";
import { makeHome, startDaemon } from "./daemon.ts";
import { createEvents, type Finishing } from "./events.ts";
import { ACT_KEY, quickConfig, remediationLine } from "./quick.ts";

/** Tries again as soon as it may, and gives an action up long before its request times out. */
const EAGER_RULES = `
groups:
  - name: eager
    rules:
      - alert: ExchangeDisabled
        each: exchange
        when: exchange.status == "disabled"
        act: { action: enable_exchange, cooldown: 1s, verify_within: 1s, attempts: 5, budget: { max: 9, per: 1h } }
`;

/** In front of an aggregator: passes reads on, and answers no action until the test does. */
async function holdActions(context: Finishing, { url }: Aggregator) {
  const held = createEvents<ServerResponse>(context, "action at the aggregator");
  const answer = async ({ method, url: path }: IncomingMessage, response: ServerResponse) => {
    if (method === "POST") {
      held.add(response);
      return;
    }
    const reply = await fetch(url + path);
    response.writeHead(reply.status, { "content-type": "application/json" });
    response.end(await reply.text());
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { held, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test("an action is not sent again while its request is under way, though its time to be seen is over", async (context) => {
  const aggregator = await startAggregator(context);
  aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
  const { held, url } = await holdActions(context, aggregator);
  const watch = "    timeouts: { response: 5m }";
  const config = quickConfig({ url, mode: "act", timeout: "5m", watch });
  const daemon = await startDaemon(context, makeHome(context, config, EAGER_RULES), ACT_KEY);
  const first = await held.first(() => true);
  await daemon.line(remediationLine("unverified"));
  await daemon.line((line) => line["msg"] === "suppressed" && line["reason"] === "in_flight");
  // Two more whole polls, so that whatever it would send has had its time.
  await aggregator.next("GET", "/exchange/disabled");
  await aggregator.next("GET", "/exchange/disabled");
  expect(held.all).toHaveLength(1);
  first.writeHead(503).end();
  await held.first((response) => response !== first);
});
