/** Tests src/run/replica/clock-check.ts: a replica whose host has a wrong clock. */
import { expect, it } from "vitest";
import { HOUR } from "../../src/domain/time.ts";
import { usePostgres } from "../io/postgres/fixture.ts";
import { startAggregator } from "./aggregator.ts";
import { startPair } from "./pair.ts";

const server = usePostgres();

const AHEAD = `data:text/javascript,const{now}=Date;Date.now=()=>now()+${HOUR}`;

it("says so in its log and on its page before it acts, and the other one does not", async (context) => {
  const aggregator = await startAggregator(context);
  const envOfB = { NODE_OPTIONS: `--import=${AHEAD}` };
  const { a, b } = await startPair(context, await server().makeDatabase(), aggregator.url, {
    envOfB,
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
