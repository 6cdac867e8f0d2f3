/** Tests src/io/aggregator: orders whose lists by status are requested one after the other. */
import { afterEach, expect, test, vi } from "vitest";
import type { Client } from "../../../src/io/aggregator/client.ts";
import { createReadings } from "../../../src/io/aggregator/readings.ts";
import { runPoll } from "../../../src/io/aggregator/poll-runner.ts";
import { ordersPoller } from "../../../src/pollers/orders.ts";
import { NOTHING_WATCHED } from "../../../src/pollers/poller.ts";
import { DEFAULT_STATUSES } from "../../../src/pollers/status-words.ts";
import { sendJson } from "../local-server.ts";
import { connect, never } from "./client-fixture.ts";

afterEach(() => void vi.useRealTimers());

test("orders of six statuses are read, though each list takes 2.5 s", async () => {
  vi.useFakeTimers();
  const read = ((_endpoint: string, _args: unknown, { signal }: { signal: AbortSignal }) =>
    new Promise((resolve) => {
      const failure = { reason: "cancelled", message: "given up" };
      signal.addEventListener("abort", () => resolve({ ok: false, problem: failure }));
      setTimeout(() => resolve({ ok: true, value: [] }), 2_500);
    })) as unknown as Client["read"];
  const spot = ["NEW", "ACCEPTED", "ROUTING", "PARTIALLY_FILLED", "FILLED", "SETTLED"];
  const running = runPoll({
    aggregator: "local",
    poller: ordersPoller,
    client: { read, readings: createReadings() },
    watch: { ...NOTHING_WATCHED, orderStatuses: { spot, futures: [] } },
    statuses: DEFAULT_STATUSES,
    clock: { now: () => Date.now() },
    signal: never,
    origin: "poll",
  });
  await vi.advanceTimersByTimeAsync(20_000);
  expect((await running).parts[0]?.reading).toMatchObject({ ok: true, complete: true });
});

test("an order that moves on between two lists is in both, and not in neither", async () => {
  let status = "ACCEPTED";
  const requested: string[] = [];
  const late: Array<() => void> = [];
  const fixture = await connect(({ url }, response) => {
    const word = new URL(url, "http://host").searchParams.get("status") ?? "";
    const answer = (): void =>
      sendJson(response, word === status ? [{ id: "0x01", status: word }] : []);
    // If the later list is requested meanwhile, this one comes after it.
    if (word === "ACCEPTED" && requested.length > 1) return void late.push(answer);
    answer();
    status = "PARTIALLY_FILLED";
    for (const one of late) one();
  });
  const read = (async (endpoint, args, options) => {
    requested.push(args["status"] ?? "");
    return await fixture.client.read(endpoint, args, options);
  }) as Client["read"];
  const spot = ["ACCEPTED", "PARTIALLY_FILLED"];
  const { parts } = await runPoll({
    aggregator: "local",
    poller: ordersPoller,
    client: { read, readings: fixture.client.readings },
    watch: { ...NOTHING_WATCHED, orderStatuses: { spot, futures: [] } },
    statuses: DEFAULT_STATUSES,
    clock: { now: () => Date.now() },
    signal: never,
    origin: "poll",
  });
  await fixture.close();
  expect(parts[0]?.reading).toMatchObject({
    entities: [{ id: "spot/0x01", facts: { status: "PARTIALLY_FILLED" } }],
    contradictions: [{ id: "spot/0x01" }],
  });
});
