/** Tests src/domain/entity.ts: entities as people write them. */
import { expect, it } from "vitest";
import { readWrittenEntity } from "../../src/domain/entity.ts";

const known = { aggregator: ["sim", "pair"], kind: ["exchange", "pair", "pool"] };

it.each([
  ["exchange/BINANCE", { kind: "exchange", id: "BINANCE" }],
  ["sim/exchange/BINANCE", { aggregator: "sim", kind: "exchange", id: "BINANCE" }],
  ["pair/BINANCE/ORN-USDT", { kind: "pair", id: "BINANCE/ORN-USDT" }],
  ["sim/pair/BINANCE/ORN-USDT", { aggregator: "sim", kind: "pair", id: "BINANCE/ORN-USDT" }],
  ["desk-a", { id: "desk-a" }],
])("reads %s, whose id may hold slashes", (text, read) => {
  expect(readWrittenEntity(text, known)).toEqual(read);
});

it.each([
  ["pair/exchange/BINANCE", { aggregator: "pair", kind: "exchange", id: "BINANCE" }],
  ["pair/exchange", { kind: "pair", id: "exchange" }],
  ["pair/BINANCE/exchange", { kind: "pair", id: "BINANCE/exchange" }],
  ["pool/pair/0x1", { kind: "pool", id: "pair/0x1" }],
])("reads %s by what comes second if an aggregator may be called like a kind", (text, read) => {
  expect(readWrittenEntity(text, known)).toEqual(read);
});

it.each([
  ["smi/exchange/BINANCE", { aggregator: "smi", kind: "exchange", id: "BINANCE" }],
  ["sim/exchnge/BINANCE", { aggregator: "sim", kind: "exchnge", id: "BINANCE" }],
  ["exchnge/BINANCE", { kind: "exchnge", id: "BINANCE" }],
])("reads %s so that the misspelt word can be named", (text, read) => {
  expect(readWrittenEntity(text, known)).toEqual(read);
});
