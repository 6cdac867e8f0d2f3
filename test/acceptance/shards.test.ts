import { describe, expect, it } from "vitest";
import { usePostgres } from "../io/postgres/fixture.ts";
import { alertLine } from "./quick.ts";
import {
  CUT_OFF_PER_SECOND,
  PER_SECOND,
  SENDER,
  SENDERS,
  firstSeen,
  mostBeyond,
  of,
  owns,
  pollersOf,
  solePollers,
  startCluster,
  unitOf,
  until,
} from "./units.ts";

/** What the limiters of four units let through at once, and some more. */
const BURST = 20;

const server = usePostgres();

describe("senders spread over units", () => {
  it("are each polled by one replica, and by another within the lease once it is killed", async (context) => {
    const cluster = await startCluster(context, await server().makeDatabase(), ["a", "b", "c"]);
    const { aggregator, asked, replicas } = cluster;
    const before = await solePollers(cluster);
    for (const [sender, by] of before) {
      const sameUnit = SENDERS.find((one) => unitOf(one) === unitOf(sender)) ?? "";
      expect(by).toBe(before.get(sameUnit));
    }
    expect([...new Set(before.values())].toSorted()).toEqual(["a", "b", "c"]);
    const owner = of(replicas, before.get(SENDER));
    const others = [...replicas.values()].filter((one) => one !== owner);
    aggregator.control({ do: "start_swap", sender: SENDER, stuck: true });
    await owner.line(alertLine("SwapActive", "pending"));
    const [other] = others;
    if (other === undefined) throw new Error("there are three");
    let seen: readonly unknown[] = [];
    await until(cluster, async () => (seen = await firstSeen(other)).length === 1);
    // As the units were spread, another one may have had this one for a while.
    const linesBefore = others.map(({ lines }) => lines.length);
    const killedAt = performance.now();
    await owner.end("SIGKILL");
    const isTakenOver = owns(unitOf(SENDER));
    const next = await Promise.race(
      others.map(async (one, index) => {
        const from = linesBefore[index] ?? 0;
        await one.line((line) => isTakenOver(line) && one.lines.indexOf(line) >= from);
        return one;
      }),
    );
    const fired = await next.line(alertLine("SwapActive", "firing"));
    expect(fired["entity"]).toContain("swap");
    // It was pending before, and is not new: what was waited for counts.
    expect(next.lines.filter(alertLine("SwapActive", "pending"))).toEqual([]);
    expect(await firstSeen(next)).toEqual(seen);
    const after = await solePollers(cluster);
    expect(after.size).toBe(SENDERS.length);
    expect([...after.values()]).not.toContain(before.get(SENDER));
    for (const by of after.values()) expect(by).toMatch(/^[abc]$/);
    // Who is alive polls on as before: only what the dead one had has moved.
    for (const [sender, by] of before)
      if (by !== before.get(SENDER)) expect(after.get(sender)).toBe(by);
    expect(killedAt).toBeGreaterThan(0);
    // Who polls all that it owns has no reason to be silent.
    const overdue = /^aggwatch_heartbeat_withheld\{.*reason="poll_overdue".*\} 1$/m;
    await until(cluster, async () => {
      const all = await Promise.all(others.map(async (one) => await one.metrics()));
      return !all.some((metrics) => overdue.test(metrics));
    });
    expect(mostBeyond(asked)).toBeLessThan(PER_SECOND);
  });

  it("are left by one that stood still beyond its lease, and the rate holds when it wakes", async (context) => {
    const cluster = await startCluster(context, await server().makeDatabase(), ["a", "b"]);
    const { asked, replicas } = cluster;
    const [a, b] = [of(replicas, "a"), of(replicas, "b")];
    await pollersOf(cluster, asked.length);
    a.process.kill("SIGSTOP");
    context.onTestFinished(() => void a.process.kill("SIGCONT"));
    await until(cluster, () => [1, 2, 3, 4].every((unit) => b.lines.some(owns(unit))));
    const alone = await solePollers(cluster);
    expect([...new Set(alone.values())]).toEqual(["b"]);
    const woken = a.lines.length;
    a.process.kill("SIGCONT");
    await a.line(({ msg, unit }) => msg === "standing by: the lease is lost" && unit !== undefined);
    await until(
      cluster,
      () => [1, 2, 3, 4].filter((unit) => a.lines.slice(woken).some(owns(unit))).length >= 2,
    );
    const shared = await solePollers(cluster);
    expect([...new Set(shared.values())].toSorted()).toEqual(["a", "b"]);
    expect(mostBeyond(asked)).toBeLessThan(PER_SECOND);
  });

  it("are polled on without the database, but slowly, and at full speed when it is back", async (context) => {
    const cluster = await startCluster(context, await server().makeDatabase(), ["a", "b"]);
    const { asked } = cluster;
    await pollersOf(cluster, asked.length);
    await server().kill();
    context.onTestFinished(async () => await server().restart());
    const ofSenders = (from: number) => asked.slice(from).filter(({ sender }) => sender !== "");
    // Two sweeps take longer than the lease lasts, at any speed; what follows is slow.
    for (let sweep = 0; sweep < 2; sweep += 1) await pollersOf(cluster, asked.length);
    const later = asked.length;
    await until(cluster, () => ofSenders(later).length > 2 * BURST);
    expect(mostBeyond(ofSenders(later), CUT_OFF_PER_SECOND)).toBeLessThan(BURST);
    await server().start();
    await until(cluster, () =>
      [...cluster.replicas.values()].every(({ lines }) => lines.length > 0),
    );
    const back = asked.length;
    await until(cluster, () => mostBeyond(ofSenders(back), CUT_OFF_PER_SECOND) > BURST);
  });
});
