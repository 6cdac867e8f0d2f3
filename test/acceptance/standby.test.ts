import { describe, expect, it } from "vitest";
import { usePostgres } from "../io/postgres/fixture.ts";
import { startAggregator } from "./aggregator.ts";
import { look, type Sent } from "./look.ts";
import { isActing, startPair } from "./pair.ts";

const server = usePostgres();

const ofAlert = ({ event, data }: Sent): boolean =>
  event === "alerts" && data.includes("ExchangeDisabled");

describe("a viewer of a standby", () => {
  it("is sent what changes, is cut when that standby takes over, and goes on there", async (context) => {
    const aggregator = await startAggregator(context);
    const { a, b } = await startPair(context, await server().makeDatabase(), aggregator.url);
    const { events } = await look(context, b.url);
    await events.first(({ event }) => event === "reset");
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    const { data, id } = await events.first(ofAlert);
    expect(data).toContain("BINANCE");
    await a.end("SIGKILL");
    await b.line(isActing);
    await events.first(({ event }) => event === "end");
    const again = await look(context, b.url, id);
    await again.events.first(({ event }) => event === "reset");
    aggregator.control({ do: "disable_exchange", exchange: "KUCOIN" });
    await again.events.first((sent) => ofAlert(sent) && sent.data.includes("KUCOIN"));
  });
});
