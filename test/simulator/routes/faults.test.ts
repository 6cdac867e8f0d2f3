import { describe, expect, it } from "vitest";
import { MINUTE, SECOND } from "../../../src/domain/time.ts";
import { KEY, drive, type Driver } from "../driver.ts";

const LIST = "/api/v1/exchange/list";
const TOGGLE = "/api/v1/exchange/toggle/BINANCE";

function fault(driver: Driver, endpoint: string, plan: object, times?: number): void {
  const count = times === undefined ? {} : { times };
  driver.control({ do: "set_fault", endpoint, fault: plan as never, ...count });
}
const logged = (driver: Driver) => driver.simulator.requestLog().at(-1);

describe("faults", () => {
  it("are not there unasked, and strike only their endpoint", () => {
    const driver = drive();
    fault(driver, "disabled", { kind: "status", status: 503 });
    expect(driver.ask("GET", LIST).status).toBe(200);
    expect(driver.ask("GET", "/api/v1/exchange/disabled").status).toBe(503);
    driver.control({ do: "clear_faults", endpoint: "disabled" });
    expect(driver.ask("GET", "/api/v1/exchange/disabled").status).toBe(200);
  });

  it("say nothing of the simulator's own key, whose words a watchdog that holds it would hide", () => {
    const driver = drive();
    fault(driver, "exchanges", { kind: "status", status: 503 });
    expect(JSON.stringify(driver.ask("GET", LIST))).not.toMatch(/simulator/i);
  });

  it("strike so many requests and no more", () => {
    const driver = drive();
    fault(driver, "exchanges", { kind: "status", status: 429, retry_after: "1500ms" }, 2);
    expect(driver.raw("GET", LIST)).toMatchObject({ status: 429, headers: { "retry-after": "2" } });
    expect(driver.ask("GET", LIST).status).toBe(429);
    expect(driver.ask("GET", LIST).status).toBe(200);
    expect(driver.simulator.snapshot()["faults"]).toEqual([]);
  });

  it("delay an answer without delaying its effect", () => {
    const driver = drive();
    fault(driver, "all", { kind: "latency", length: "2s" });
    expect(driver.raw("DELETE", TOGGLE)).toMatchObject({ status: 200, delayMs: 2_000 });
    expect(driver.raw("GET", LIST)).toMatchObject({ delayMs: 2_000 });
    driver.control({ do: "clear_faults" });
    expect(driver.get(LIST)).not.toContain("BINANCE");
  });

  it("time out after applying: the effect is there, the answer is not", () => {
    const driver = drive();
    fault(driver, "disableExchange", { kind: "timeout_after_applying", close_after: "5s" }, 1);
    expect(driver.raw("DELETE", TOGGLE)).toEqual({ outcome: "silent", closeAfterMs: 5_000 });
    expect(logged(driver)).toMatchObject({ status: null, applied: true });
    expect(driver.get(LIST)).not.toContain("BINANCE");
  });

  it("hang, go down and answer HTML without any effect", () => {
    const driver = drive();
    for (const [kind, reply] of [
      ["hang", { outcome: "silent", closeAfterMs: Infinity }],
      ["down", { outcome: "silent", closeAfterMs: 0 }],
      ["html", { status: 200, headers: { "content-type": "text/html; charset=utf-8" } }],
    ] as const) {
      fault(driver, "all", { kind }, 1);
      expect(driver.raw("DELETE", TOGGLE)).toMatchObject(reply);
      expect(logged(driver)).toMatchObject({ applied: false, faults: [kind] });
    }
    expect(driver.get(LIST)).toContain("BINANCE");
  });

  it("cut a body in the middle, so that it is not JSON", () => {
    const driver = drive();
    fault(driver, "exchanges", { kind: "truncated" }, 1);
    const reply = driver.raw("GET", LIST);
    expect(() => JSON.parse("body" in reply ? reply.body : "")).toThrow(SyntaxError);
  });

  it.each([
    ["status_206", { status: 206 }],
    ["content_range", { headers: { "content-range": "items 0-0/1000000" } }],
    ["link_next", { headers: { link: '</next>; rel="next"' } }],
    ["total_count", { headers: { "x-total-count": "1000000" } }],
    [
      "error",
      { body: '{"error":{"reason":"a part could not be read"},"exchanges":[],"pairs":[]}' },
    ],
    ["has_more", { body: '{"has_more":true,"exchanges":[],"pairs":[]}' }],
    ["duplicate_key", { body: '{"exchanges":[],"exchanges":[],"pairs":[]}' }],
  ])("mark a reading as a part: %s", (mark, reply) => {
    const driver = drive();
    fault(driver, "all", { kind: "partial", mark });
    expect(driver.raw("GET", "/api/v1/exchange/disabled")).toMatchObject(reply);
    expect(driver.raw("POST", TOGGLE)).toMatchObject({ status: 200 });
  });

  it("list an exchange that is disabled too", () => {
    const driver = drive();
    driver.control({ do: "disable_exchange", exchange: "OKX" });
    fault(driver, "exchanges", { kind: "contradiction" });
    expect(driver.get(LIST)).toContain("OKX");
  });

  it("answer empty listings, each in its own shape", () => {
    const driver = drive();
    driver.control({ do: "disable_exchange", exchange: "OKX" });
    fault(driver, "all", { kind: "empty" });
    expect(driver.get(LIST)).toEqual([]);
    expect(driver.get("/api/v1/exchange/disabled")).toEqual({ exchanges: [], pairs: [] });
    expect(driver.ask("GET", "/api/v1/pools/reservations/none/of-it")).toEqual({
      status: 200,
      body: {},
    });
    expect(driver.ask("DELETE", TOGGLE).body.changed).toBe(true);
  });

  it("answer reads as the world was, while writes go on", () => {
    const driver = drive();
    fault(driver, "exchanges", { kind: "stale" });
    driver.ask("DELETE", TOGGLE);
    driver.wait(MINUTE);
    expect(driver.get(LIST)).toContain("BINANCE");
    expect(driver.get("/api/v1/exchange/disabled").exchanges).toEqual(["BINANCE"]);
    driver.control({ do: "clear_faults", kind: "stale" });
    expect(driver.get(LIST)).not.toContain("BINANCE");
  });

  it("lie: success without effect, for writes that would have one", () => {
    const driver = drive();
    driver.control({ do: "disable_exchange", exchange: "BINANCE" });
    fault(driver, "enableExchange", { kind: "lie" }, 1);
    expect(driver.ask("POST", TOGGLE)).toMatchObject({ status: 200, body: { changed: true } });
    expect(logged(driver)).toMatchObject({ status: 200, applied: false, faults: ["lie"] });
    expect(driver.get(LIST)).not.toContain("BINANCE");
    expect(driver.ask("POST", TOGGLE).status).toBe(200);
    expect(driver.get(LIST)).toContain("BINANCE");
  });

  it("make an exchange flap: disabled again and again, so many times", () => {
    const driver = drive();
    driver.control({ do: "flap", exchange: "OKX", every: "10s", times: 3 });
    const enabled = (): boolean => driver.get(LIST).includes("OKX");
    for (let time = 1; time <= 3; time += 1) {
      expect(enabled()).toBe(false);
      driver.ask("POST", "/api/v1/exchange/toggle/OKX");
      expect(enabled()).toBe(true);
      driver.wait(10 * SECOND);
    }
    expect(enabled()).toBe(true);
    driver.control({ do: "flap", exchange: "OKX", every: "10s" });
    driver.control({ do: "stop_flapping", exchange: "OKX" });
    driver.ask("POST", "/api/v1/exchange/toggle/OKX");
    driver.wait(MINUTE);
    expect(enabled()).toBe(true);
  });
});

describe("the control surface", () => {
  it("logs every request of the interface, whether it was applied, and none of its own", () => {
    const driver = drive();
    driver.get(LIST);
    driver.get("/_sim/state");
    driver.wait(SECOND);
    driver.ask("DELETE", "/api/v1/order/force/nothing?why=1", undefined, KEY);
    driver.ask("DELETE", TOGGLE);
    driver.ask("GET", "/nowhere");
    const log = driver.get("/_sim/requests").requests;
    expect(log.map((entry: { path: string }) => entry.path)).toEqual([
      LIST,
      "/api/v1/order/force/nothing",
      TOGGLE,
      "/nowhere",
    ]);
    expect(log[1]).toMatchObject({ number: 2, status: 404, applied: false, query: { why: "1" } });
    expect(log[2]).toMatchObject({ endpoint: "disableExchange", status: 200, applied: true });
    expect(log[1].at - log[0].at).toBe(1_000);
    expect(driver.get("/_sim/requests?method=delete&after=2").requests).toHaveLength(1);
    expect(driver.get("/_sim/requests?endpoint=forceCancel").total).toBe(4);
    expect(JSON.stringify(log)).not.toContain("simulator-key");
  });

  it("carries out one command or a list, and says what is wrong with one", () => {
    const { ask, get } = drive();
    const control = (body: unknown) => ask("POST", "/_sim/control", body as never);
    expect(control({ do: "disable_exchange", exchange: "OKX" }).status).toBe(200);
    expect(
      control([{ do: "enable_exchange", exchange: "OKX" }, { do: "clear_faults" }]).body,
    ).toEqual([{}, { cleared: 0 }]);
    expect(get(LIST)).toContain("OKX");
    const reason = (body: unknown): string => control(body).body.error.reason;
    expect(reason({ do: "explode" })).toMatch(/^do: must be one of set_fault, /);
    expect(reason({ do: "disable_exchange" })).toMatch(/^exchange: /);
    expect(reason({ do: "disable_exchange", exchange: "KRAKEN" })).toBe(
      "There is no exchange KRAKEN.",
    );
    expect(reason([{ do: "clear_faults" }, 7])).toMatch(/^\[1\] do: /);
    expect(reason({ do: "flap", exchange: "OKX", every: "soon" })).toMatch(
      /^every: must be a duration/,
    );
    expect(reason({ do: "flap", exchange: "OKX", every: "0" })).toMatch(/at least 100ms/);
    expect(reason({ do: "set_fault", endpoint: "exchange", fault: { kind: "down" } })).toMatch(
      /^endpoint/,
    );
    expect(ask("GET", "/_sim/nothing").status).toBe(404);
    expect(get("/_sim/").commands.length).toBeGreaterThan(20);
  });

  it("begins again on reset: world, faults and log", () => {
    const driver = drive();
    const before = driver.get("/_sim/state");
    driver.ask("DELETE", TOGGLE);
    driver.control({ do: "set_fault", endpoint: "all", fault: { kind: "down" } });
    expect(driver.ask("POST", "/_sim/reset").status).toBe(200);
    expect(driver.get("/_sim/state")).toEqual(before);
    expect(driver.get("/_sim/requests")).toEqual({ total: 0, requests: [] });
  });

  it("adds senders, orders and balances", () => {
    const { ask, control, get, simulator } = drive();
    const address = `0x${"9".repeat(40)}`;
    control({ do: "add_sender", address });
    expect(get(`/api/v1/atomic-swap/history/current?sender=${address}`)).toHaveLength(1);
    expect(simulator.control({ do: "add_sender", address }).ok).toBe(false);
    const { id } = control({
      do: "add_order",
      type: "liquidation",
      status: "ACCEPTED",
      stuck: true,
    });
    expect(get(`/api/v1/order/liquidation?orderId=${id}`).order.status).toBe("ACCEPTED");
    expect(simulator.control({ do: "add_order", type: "spot", id }).ok).toBe(false);
    control({ do: "set_pool", factory: "Curve", pair: "USDC-USDT", base: 5 });
    expect(get("/api/v1/pools/reservations/Curve/USDC-USDT").a).toBe(5);
    const [{ broker }] = ask("POST", "/api/v1/atomic-swap/balances", {}).body;
    control({ do: "set_balance", broker, asset: "BNB", amount: 7 });
    expect(ask("POST", "/api/v1/atomic-swap/balances", {}).body[0].amount).toBe(7);
  });
});
