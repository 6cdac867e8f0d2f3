import { describe, expect, it } from "vitest";
import { createSimulator } from "../../../src/simulator/simulator.ts";

const PATH = "/api/v1/exchange/list";

function ask(simulator: ReturnType<typeof createSimulator>, headers = {}, method = "GET") {
  return simulator.handle({ method, path: PATH, query: {}, headers, body: "" });
}

describe("a simulator with ETags", () => {
  it("answers 304 without a body as long as the body is the same, and the body when it is not", () => {
    const simulator = createSimulator({ seed: 1, clock: { now: () => 0 }, etags: true });
    const first = ask(simulator);
    const etag = first.outcome === "answered" ? first.headers["etag"] : undefined;
    expect(etag).toMatch(/^"[0-9a-f]{16}"$/);
    const same = ask(simulator, { "if-none-match": etag });
    expect(same).toMatchObject({ status: 304, body: "", headers: { etag } });
    simulator.control({ do: "disable_exchange", exchange: "BINANCE" });
    expect(ask(simulator, { "if-none-match": etag })).toMatchObject({ status: 200 });
    expect(simulator.requestLog().map(({ status }) => status)).toEqual([200, 304, 200]);
  });

  it("gives none unless it is asked to, and none with an error", () => {
    const plain = createSimulator({ seed: 1, clock: { now: () => 0 } });
    expect(JSON.stringify(ask(plain))).not.toContain("etag");
    const tagging = createSimulator({ seed: 1, clock: { now: () => 0 }, etags: true });
    expect(JSON.stringify(ask(tagging, {}, "PUT"))).not.toContain("etag");
  });
});
