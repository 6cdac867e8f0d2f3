import { describe, expect, it } from "vitest";
import { readEndpoints } from "../../../src/aggregator/endpoints/index.ts";
import type { ReadEndpoint } from "../../../src/aggregator/endpoints/index.ts";
import type { Json } from "../../../src/domain/result.ts";
import { suggestMap } from "../../../src/io/probe/suggest-map.ts";
import { compileWireMap } from "../../../src/io/aggregator/decode-body.ts";

const suggest = async (endpoint: ReadEndpoint, body: Json) =>
  (await suggestMap({ endpoint, instants: "milliseconds" }, body)).suggestion?.map;

describe("a suggested map", () => {
  it("reads a listing in a wrapper, and lists one item or none of it", async () => {
    const map = await suggest("exchanges", { data: { list: ["BINANCE", "KUCOIN"] } });
    expect(map).toBe('$exists(data.list) ? [data.list] : $error("there is no data.list")');
    const compiled = compileWireMap(map ?? "");
    expect(await compiled({ data: { list: ["OKX"] } })).toEqual({ ok: true, value: ["OKX"] });
    expect(await compiled({ data: { list: [] } })).toEqual({ ok: true, value: [] });
  });

  it("makes no empty listing of an answer that has none", async () => {
    for (const body of [
      { data: { list: ["BINANCE"] } },
      { data: [{ name: "BINANCE" }] },
      { venues: { BINANCE: {} } },
    ] satisfies Json[]) {
      const map = await suggest("exchanges", body);
      const made = await compileWireMap(map ?? "")({ error: "maintenance" });
      expect(made).toMatchObject({ ok: false });
    }
  });

  it("leaves no item out that lacks its name", async () => {
    const map = await suggest("exchanges", { data: [{ name: "BINANCE" }, { name: "OKX" }] });
    const made = await compileWireMap(map ?? "")({ data: [{ name: "BINANCE" }, { nom: "OKX" }] });
    expect(made).toMatchObject({ ok: false, problem: expect.stringContaining("no name") });
  });

  it("gives fields of other names the default ones, in objects inside too", async () => {
    const body = [{ owner: "0x1", state: "ACTIVE", lock: { hash: "0xaa", amount: "1.5" } }];
    const map = await suggest("activeSwaps", body);
    const made = await compileWireMap(map ?? "")(body);
    expect(readEndpoints.activeSwaps.decode(made.ok ? made.value : undefined)).toMatchObject({
      ok: true,
      value: [{ sender: "0x1", status: "ACTIVE", lockOrder: { secretHash: "0xaa", amount: 1.5 } }],
    });
  });

  it("is not made if no name is alike: alike values prove nothing", async () => {
    expect(
      await suggest("activeSwaps", [{ noMap: "0x1", right: "ACTIVE", up: {} }]),
    ).toBeUndefined();
    expect(await suggest("reserves", { data: [{ one: 1, two: 2 }] })).toBeUndefined();
    expect(await suggest("exchanges", "BINANCE")).toBeUndefined();
    expect(await suggest("exchanges", {})).toBeUndefined();
  });

  it("reads names with odd characters, and is never fooled by a key that is JSONata", async () => {
    const odd = { "my-data": { '$error("x")': ["BINANCE"] } };
    const map = await suggest("exchanges", odd);
    expect(await compileWireMap(map ?? "")(odd)).toEqual({ ok: true, value: ["BINANCE"] });
  });

  it("is found or given up on within bounds, however large the body is", async () => {
    const wide = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, index) => [`k${index}`, { [`d${index}`]: [] }]),
    );
    expect(await suggest("reserves", wide)).toBeUndefined();
    expect(await suggest("order", wide)).toBeUndefined();
  });
});
