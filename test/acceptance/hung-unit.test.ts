import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { sendersUnit } from "../../src/domain/lease.ts";
import { usePostgres } from "../io/postgres/fixture.ts";
import type { LogLine } from "./daemon.ts";
import { makeCluster, owns, pollersOf, SENDERS, SHARDS, unitOf, until } from "./units.ts";

const server = usePostgres();

/** One that a first replica keeps when a second joins. */
const UNIT = 1;
const HOOK = {
  file: pathToFileURL(join(import.meta.dirname, "hung-commits-hook.mjs")).href,
  env: { HUNG_UNIT: sendersUnit(UNIT) },
};
/** It is dropped after a minute of its own time; a busy machine gives it less than that. */
const LEFT = { what: "that the unit is left to the other", atMostMs: 200_000 };

it("a unit whose commits hang at one replica goes to the other, and is not taken back", async (context) => {
  const cluster = await makeCluster(context, await server().makeDatabase());
  const a = await cluster.start("a", SHARDS, HOOK);
  await until(cluster, () => a.lines.some(owns(UNIT)));
  // By the third poll of the unit at least one tick has passed, so that what hangs is no beginning.
  const ofUnit = ({ msg, unit, poller }: LogLine): boolean =>
    msg === "polled" && unit === sendersUnit(UNIT) && poller === "swaps";
  await until(cluster, () => a.lines.filter(ofUnit).length >= 3);
  const b = await cluster.start("b");
  await until(cluster, () => b.lines.some(({ msg }) => msg === "watching senders"));
  expect(b.lines.some(owns(UNIT))).toBe(false);

  a.process.kill("SIGUSR2");
  const left = await a.line(
    ({ msg, unit }) => String(msg).startsWith("it failed here") && unit === sendersUnit(UNIT),
    LEFT,
  );
  expect(left["detail"]).toMatch(/^what it does as the owner has done nothing for /);
  await b.line(owns(UNIT), { what: "that it watches these senders", atMostMs: 60_000 });
  // All the others are polled on by whoever has them, in two sweeps at least.
  for (let sweep = 0; sweep < 3; sweep += 1) {
    const pollers = await pollersOf(cluster, cluster.asked.length);
    for (const sender of SENDERS.filter((one) => unitOf(one) === UNIT))
      expect([...(pollers.get(sender) ?? [])]).toEqual(["b"]);
  }
  expect((await fetch(`${a.url}/healthz`)).status).toBe(200);
}, 400_000);
