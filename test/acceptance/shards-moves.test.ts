import { describe, expect, it } from "vitest";
import { usePostgres } from "../io/postgres/fixture.ts";
import type { Daemon } from "./daemon.ts";
import { alertLine } from "./quick.ts";
import {
  SENDER,
  firstSeen,
  makeCluster,
  of,
  owns,
  pollersOf,
  solePollers,
  startCluster,
  until,
} from "./units.ts";

const server = usePostgres();

describe("senders spread over units", () => {
  it("move to one that joins and back, and keep what is known of them", async (context) => {
    const cluster = await startCluster(context, await server().makeDatabase(), ["a"]);
    const { aggregator, replicas } = cluster;
    const a = of(replicas, "a");
    aggregator.control({ do: "start_swap", sender: SENDER, stuck: true });
    await a.line(alertLine("SwapActive", "firing"));
    const seen = await firstSeen(a);
    const b = await cluster.start("b");
    await until(cluster, () => [1, 2, 3, 4].filter((unit) => b.lines.some(owns(unit))).length >= 2);
    const shared = await solePollers(cluster);
    expect([...new Set(shared.values())].toSorted()).toEqual(["a", "b"]);
    expect(await firstSeen(b)).toEqual(seen);
    expect(await b.end("SIGTERM")).toBe(0);
    const back = await solePollers(cluster);
    expect([...new Set(back.values())]).toEqual(["a"]);
    expect(await firstSeen(a)).toEqual(seen);
    expect(
      [a, b].flatMap(({ lines }) => lines.filter(alertLine("SwapActive", "pending"))),
    ).toHaveLength(1);
    expect(
      [a, b].flatMap(({ lines }) => lines.filter(alertLine("SwapActive", "resolved"))),
    ).toEqual([]);
  });

  it("are put into units and back when shards are set, and keep what is known of them", async (context) => {
    const cluster = await makeCluster(context, await server().makeDatabase());
    const { aggregator, asked, start } = cluster;
    const whole = await start("a", 0);
    aggregator.control({ do: "start_swap", sender: SENDER, stuck: true });
    await whole.line(alertLine("SwapActive", "firing"));
    const seen = await firstSeen(whole);
    await expect(start("b")).rejects.toThrow(/runs with 0: stop all replicas before you change it/);
    expect(await whole.end("SIGTERM")).toBe(0);
    const spread = await start("a");
    expect([...(await solePollers(cluster)).values()]).not.toContain("b");
    expect(await firstSeen(spread)).toEqual(seen);
    expect(await spread.end("SIGTERM")).toBe(0);
    const back = await start("b", 0);
    await pollersOf(cluster, asked.length);
    expect(await firstSeen(back)).toEqual(seen);
    const alerts = [whole, spread, back].flatMap(({ lines }) =>
      lines.filter(({ msg, alertname }) => msg === "alert" && alertname === "SwapActive"),
    );
    const changes = new Set(alerts.map(({ change }) => change));
    expect([...changes].filter((change) => change !== "unknown" && change !== "known")).toEqual([
      "pending",
      "firing",
    ]);
    expect(alerts.filter(({ change }) => change === "firing")).toHaveLength(1);
  });

  it("are in other units when a replica comes back that was asleep: it says why it stands by", async (context) => {
    const cluster = await makeCluster(context, await server().makeDatabase());
    const late = await cluster.start("a");
    await late.line(({ msg }) => msg === "acting");
    late.process.kill("SIGSTOP");
    // Refused until the lease of the one that sleeps has run out.
    let next: Daemon | undefined;
    while (next === undefined) next = await cluster.start("b", 2).catch(() => undefined);
    await next.line(({ msg }) => msg === "acting");
    late.process.kill("SIGCONT");
    const told = await late.line(({ msg }) => msg === "the database cannot be used");
    expect(told["detail"]).toMatch(/^journal.shards is 4 here, and 2 in the database/);
    const ready = await fetch(`${late.url}/readyz`);
    expect(ready.status).toBe(503);
    expect(await ready.text()).toContain("journal.shards is 4 here, and 2 in the database");
    expect(await late.metric("aggwatch_replica_database_up")).toBe(0);
    expect(await late.end("SIGTERM")).toBe(0);
  });
});
