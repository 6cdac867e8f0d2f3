/** Tests src/aggregator: replies. */
import { describe, expect, it } from "vitest";
import { readEndpoints } from "../../src/aggregator/endpoints/index.ts";
import { READ_ENDPOINTS, type ReadEndpoint } from "../../src/aggregator/endpoints/index.ts";
import type { ReplyShape } from "../../src/aggregator/endpoints/definition.ts";
import type { Json } from "../../src/domain/result.ts";
import { DEFAULT_LIQUIDATIONS, DEFAULT_SENDERS } from "../../src/simulator/model/default-world.ts";
import { drive } from "../simulator/driver.ts";

const ORDER_ID = `0x${"ab".repeat(32)}`;

type Field = { readonly path: string; readonly without: Json };

/** Every field, and every item of a list, with the value as it is when just that is missing. */
function fieldsOf(value: Json, path = ""): Field[] {
  if (Array.isArray(value)) {
    const [first, ...others] = value as Json[];
    if (first === undefined) return [];
    const own = `${path}[]`;
    const inner = fieldsOf(first, own).map((field) => ({
      ...field,
      without: [field.without, ...others],
    }));
    return [{ path: own, without: [null, ...others] }, ...inner];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value as Record<string, Json>).flatMap(([key, field]) => {
    const own = path === "" ? key : `${path}.${key}`;
    const { [key]: _, ...others } = value as Record<string, Json>;
    const inner = fieldsOf(field, own).map((one) => ({
      ...one,
      without: { ...(value as Record<string, Json>), [key]: one.without },
    }));
    return [{ path: own, without: others }, ...inner];
  });
}

/** The fields that are read; the one around an order is taken off by its decoder. */
const namesIn = (value: unknown): string[] =>
  fieldsOf(value as Json)
    .map(({ path }) => path.replace(/^order\./, ""))
    .filter((path) => !["order", "orderId"].includes(path));

const cases = READ_ENDPOINTS.map((endpoint): [ReadEndpoint, ReplyShape] => [
  endpoint,
  readEndpoints[endpoint].reply,
]);

describe("the documented replies", () => {
  it.each(cases)("%s: its example is read, and every field of it", (endpoint, { example }) => {
    const read = readEndpoints[endpoint].decode(example);
    if (!read.ok) throw new Error(JSON.stringify(read.problem));
    const given = JSON.parse(JSON.stringify(read.value)) as unknown;
    expect(namesIn(given).toSorted()).toEqual(namesIn(example).toSorted());
  });

  it.each(cases)("%s: just what it says is required is missed", (endpoint, shape) => {
    const missed = fieldsOf(shape.example).filter(
      ({ without }) => !readEndpoints[endpoint].decode(without).ok || leavesOut(endpoint, without),
    );
    expect(missed.map(({ path }) => path).toSorted()).toEqual(shape.required.toSorted());
  });

  it.each(replies())("%s: nothing else is read of a whole reply", (endpoint, body) => {
    const shape = cases.find(([name]) => name === endpoint)?.[1];
    const read = readEndpoints[endpoint].decode(body);
    if (!read.ok || shape === undefined) throw new Error(JSON.stringify(read));
    const names = namesIn(JSON.parse(JSON.stringify(read.value)));
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect(namesIn(shape.example)).toContain(name);
  });
});

/** An entry with a malformed name is left out and counted, if others are sound. */
function leavesOut(endpoint: ReadEndpoint, body: Json): boolean {
  const read = readEndpoints[endpoint].decode(body);
  return read.ok && "malformed" in read && read.malformed !== undefined;
}

/** What the simulator answers, which knows every field that clients show. */
function replies(): Array<[ReadEndpoint, Json]> {
  const { get, ask, control, wait } = drive();
  const sender = DEFAULT_SENDERS[0] ?? "";
  control({ do: "start_swap", sender, stuck: true });
  control({
    do: "add_order",
    type: "spot",
    status: "NEW",
    id: ORDER_ID,
    owner: sender,
    stuck: true,
  });
  wait(1_000);
  const trade = { amount: 1, side: "SELL" };
  return [
    ["exchanges", get("/api/v1/exchange/list")],
    ["pairs", get("/api/v1/pairs/list")],
    ["pairsDetailed", get("/api/v1/pairs/list/detailed")],
    ["exchangeInfo", get("/api/v1/pairs/exchangeInfo")],
    ["pairInfo", get("/api/v1/pairs/exchangeInfo/ORN-USDT")],
    ["reserves", get("/api/v1/pools/reservations")],
    ["estimations", ask("POST", "/api/v1/pools/estimation", trade).body as Json],
    ["activeSwaps", get(`/api/v1/atomic-swap/history/current?sender=${sender}`)],
    ["swapHistory", get(`/atomic-swap/api/v1/history/all?sender=${sender}`)],
    ["brokerBalances", ask("POST", "/api/v1/atomic-swap/balances", {}).body as Json],
    ["ordersByStatus", get("/api/v1/order/status?status=NEW")],
    ["order", get(`/api/v1/order?orderId=${ORDER_ID}&owner=${sender}`)],
    ["liquidation", get(`/api/v1/order/liquidation?orderId=${DEFAULT_LIQUIDATIONS[0]}`)],
  ];
}
