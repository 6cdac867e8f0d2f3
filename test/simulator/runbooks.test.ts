/** Tests src/simulator: that it knows every request that a runbook has a person make by hand. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createSimulator } from "../../src/simulator/simulator.ts";
import { DEFAULT_LIQUIDATIONS, DEFAULT_SENDERS } from "../../src/simulator/model/default-world.ts";

const folder = join(import.meta.dirname, "../../docs/runbooks");
const [sender] = DEFAULT_SENDERS;
const [liquidation] = DEFAULT_LIQUIDATIONS;

const ORDER = `0x${"a1".repeat(32)}`;

/** What a person puts in the place of a word in capitals. */
const WORDS: Readonly<Record<string, string>> = {
  NAME: "BINANCE",
  EXCHANGE: "BINANCE",
  PAIR: "ORN-USDT",
  FACTORY: "OrionV2",
  ADDRESS: sender,
  OWNER: sender,
  ORDER,
  ID: liquidation,
};

const requests = readdirSync(folder).flatMap((name) =>
  [...readFileSync(join(folder, name), "utf8").matchAll(/`(curl [^`]*\$BASE_URL[^`]*)`/g)].map(
    ([, line = ""]) => ({ name, line: line.replaceAll(/\s+/g, " ") }),
  ),
);

it.each(requests)("$name: $line", ({ line }) => {
  const simulator = createSimulator({ seed: 1, clock: { now: () => Date.UTC(2026, 0, 1) } });
  simulator.control({
    do: "add_order",
    type: "spot",
    id: ORDER,
    owner: sender,
    status: "NEW",
    stuck: true,
  });
  const [, path = "", query = ""] = /\$BASE_URL([^\s"?]*)\??([^\s"]*)/.exec(line) ?? [];
  // Braces are a pattern to curl, which takes them away.
  expect(path + query).not.toMatch(/[{}[\]]/);
  const filled = (text: string): string =>
    text.replaceAll(/(?<![A-Za-z])[A-Z]+(?![a-z])/g, (word) => WORDS[word] ?? word);
  const isOrder = path === "/api/v1/order";
  const reply = simulator.handle({
    method: /-X (\w+)/.exec(line)?.[1] ?? "GET",
    path: filled(path),
    query: Object.fromEntries(
      new URLSearchParams(filled(isOrder ? query.replace("=ID", "=ORDER") : query)),
    ),
    headers: line.includes("X-API-KEY: $(cat ") ? { "x-api-key": "simulator-key" } : {},
    body: /-d '([^']*)'/.exec(line)?.[1] ?? "",
  });
  expect(reply).toMatchObject({ outcome: "answered", status: 200 });
});

it("has requests of runbooks to try", () => {
  expect(requests.length).toBeGreaterThan(20);
});
