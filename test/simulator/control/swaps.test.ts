import { expect, it } from "vitest";
import { createSimulator } from "../../../src/simulator/simulator.ts";

const BROKER = "0x1b0a3c5e7d9f1b3d5f7a9c1e3d5b7f9a1c3e5d70";
const SENDER = "0x8a0c1d5f3b7e92460d1f8b3a5c7e9f0b2d4a6c81";
const inUpperCase = (address: string) => `0x${address.slice(2).toUpperCase()}`;

it("knows a broker and a sender in whatever case an address is written", () => {
  const simulator = createSimulator({ seed: 1, clock: { now: () => 0 } });
  const balance = { do: "set_balance", broker: inUpperCase(BROKER), asset: "BNB", amount: 1 };
  expect(simulator.control(balance)).toEqual({ ok: true, value: {} });
  expect(simulator.control({ do: "add_sender", address: inUpperCase(SENDER) })).toEqual({
    ok: false,
    problem: "That sender is there already.",
  });
});
