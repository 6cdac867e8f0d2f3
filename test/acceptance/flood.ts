import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createEvents, type Finishing } from "./events.ts";

export const NEW_NAMES = 10_000;

/** Names new exchanges at every poll while it floods, and has one that is disabled. */
export async function startFlood(context: Finishing, name: string) {
  const polls = createEvents<number>(context, `poll of ${name}`);
  const world = { floods: false, disabled: new Set<string>() };
  let made = 0;
  const server = createServer((request, response) => {
    request.resume();
    const { method, url = "" } = request;
    const send = (body: unknown): void => void response.end(JSON.stringify(body));
    if (method === "POST") {
      world.disabled.delete(url.split("/").at(-1) ?? "");
      return send({});
    }
    const disabled = [...world.disabled];
    if (url.endsWith("/disabled")) return send({ exchanges: disabled, pairs: [] });
    const names = ["BINANCE", "KUCOIN"].filter((one) => !world.disabled.has(one));
    for (let index = 0; world.floods && index < NEW_NAMES; index += 1)
      names.push(`${name}-${(made += 1)}`);
    polls.add(polls.all.length + 1);
    send(names);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  context.onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, polls, world };
}

export const RULES = `
groups:
  - name: flood
    rules:
      - alert: ExchangeDisabled
        each: exchange
        when: exchange.status == "disabled" && exchange.name != "KUCOIN"
        for: 0s
        act: { action: enable_exchange, cooldown: 1h, verify_within: 5s, budget: { max: 5, per: 1h } }
      - alert: KucoinDisabled
        each: exchange
        when: exchange.status == "disabled" && exchange.name == "KUCOIN"
        for: 0s
      - alert: ExchangeMissing
        each: exchange
        when: exchange.status == "missing"
        for: 0s
      - alert: TooManyEntities
        each: poller
        when: poller.left_out > 0
        for: 0s
`;

export const configOf = (urls: Readonly<Record<string, string>>): string => `
aggregators:
${Object.entries(urls)
  .map(
    ([name, url]) => `
  - name: ${name}
    base_url: ${url}
    auth: { act: { type: header, name: X-API-KEY, value_env: ACT_KEY } }
    retries: 0
    schedules: { exchanges: "* * * * * *", liquidations: "off", pools: "off", swaps: "off", swap_history: "off", orders: "off" }`,
  )
  .join("")}
actions: { mode: act, settle_after_start: 0s }
log: { level: info, format: json }
`;
