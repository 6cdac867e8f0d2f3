/** Tests src/run/replica/clock-check.ts: a replica whose host has a wrong clock. */
import { expect, it } from "vitest";
import { HOUR, MINUTE } from "../../src/domain/time.ts";
import { usePostgres } from "../io/postgres/fixture.ts";
import { startAggregator } from "./aggregator.ts";
import { startPair } from "./pair.ts";
import { askAsAlice } from "./people.ts";

const server = usePostgres();

const clockOff = (offMs: number) => ({
  NODE_OPTIONS: `--import=data:text/javascript,const{now}=Date;Date.now=()=>now()+${offMs}`,
});

it("says so in its log and on its page before it acts, and the other one does not", async (context) => {
  const aggregator = await startAggregator(context);
  const { a, b } = await startPair(context, await server().makeDatabase(), aggregator.url, {
    envOfB: clockOff(HOUR),
  });
  const said = "the clock of this replica is 1h ahead of the database's";
  await b.line(({ level, msg }) => level === "warn" && String(msg).startsWith(said));
  const noticesAt = async (url: string): Promise<unknown> => {
    const { notices } = (await (await fetch(`${url}/api/v1/overview`)).json()) as {
      notices: unknown;
    };
    return notices;
  };
  expect(await noticesAt(b.url)).toContainEqual(expect.stringContaining(said));
  expect(await noticesAt(a.url)).toEqual([]);
  const healthOf = async (): Promise<string> => await (await fetch(`${b.url}/healthz`)).text();
  expect((await healthOf()).split(said)).toHaveLength(2);
  await a.end("SIGKILL");
  await b.line(({ msg }) => msg === "acting");
  await expect.poll(() => noticesAt(b.url)).toContainEqual(expect.stringContaining(said));
  expect((await healthOf()).split(said)).toHaveLength(2);
});

it.for([
  ["ahead", HOUR],
  ["behind", -HOUR],
] as const)(
  "goes by the clock of the one that acts while it stands by, %s",
  async ([, offMs], context) => {
    const aggregator = await startAggregator(context);
    const { b } = await startPair(context, await server().makeDatabase(), aggregator.url, {
      envOfB: clockOff(offMs),
    });
    const asked = { scope: { kind: "exchange", id: "BINANCE" }, for: "10m", reason: "maintenance" };
    expect(await askAsAlice(b, "/api/v1/holds", asked)).toMatchObject({ status: 200 });
    const { at, holds } = await b.status();
    const until = Date.parse(holds[0]?.until ?? "");
    expect(until - Date.now()).toBeGreaterThan(9 * MINUTE);
    expect(until - Date.now()).toBeLessThanOrEqual(10 * MINUTE);
    const { text } = await askAsAlice(b, "/api/v1/timeline?types=hold");
    expect(JSON.parse(text)).toMatchObject({ rows: [{ subject: "h1 (exchange BINANCE)" }] });
    expect(await askAsAlice(b, `/api/v1/alerts?at=${at}`)).toMatchObject({ status: 200 });
  },
);
