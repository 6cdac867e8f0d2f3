import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { usePostgres } from "../io/postgres/fixture.ts";
import { askAsAlice as ask } from "./people.ts";
import { alertLine } from "./quick.ts";
import type { LogLine } from "./daemon.ts";
import { look } from "./look.ts";
import { SENDER, SENDERS, of, pollersOf, solePollers, startCluster, until } from "./units.ts";

type Told = {
  readonly state: string;
  readonly starts_at: string;
  readonly labels: Readonly<Record<string, string>>;
};

const toldIn = (body: unknown): readonly Told[] =>
  (body as { readonly notifications: readonly Told[] }).notifications;

const server = usePostgres();

describe("senders spread over units", () => {
  it("are watched, silenced and shown by whichever replica is asked", async (context) => {
    const cluster = await startCluster(context, await server().makeDatabase(), ["a", "b"]);
    const { aggregator, asked, replicas } = cluster;
    const added = `0x${"ab".repeat(20)}`;
    const viewers = await Promise.all(
      [...replicas.values()].map(async ({ url }) => (await look(context, url)).events),
    );
    const owner = of(replicas, (await solePollers(cluster)).get(SENDER));
    const other = [...replicas.values()].find((one) => one !== owner) ?? owner;
    const scope = { kind: "swap", rule: "SwapActive" };
    const silenced = await ask(other, "/api/v1/silences", { scope, for: "1h", reason: "known" });
    expect(silenced).toMatchObject({
      status: 200,
      text: expect.stringContaining('"durable":true'),
    });
    const entry = { aggregator: "sim", kind: "sender", target: added, reason: "asked" };
    for (const one of replicas.values()) {
      const watched = await ask(one, "/api/v1/watch", entry);
      expect(watched).toMatchObject({ status: 200, text: expect.stringContaining("is watched") });
    }
    const from = asked.length;
    await until(
      cluster,
      () => asked.slice(from).filter(({ sender }) => sender === added).length > 2,
    );
    const by = new Set(asked.flatMap((one) => (one.sender === added ? [one.by] : [])));
    expect(by.size).toBe(1);
    for (const one of replicas.values())
      await until(cluster, async () => (await ask(one, "/api/v1/watch")).text.includes(added));
    aggregator.control({ do: "start_swap", sender: SENDER, stuck: true });
    await owner.line(alertLine("SwapActive", "firing"));
    await owner.line(
      ({ msg, subject }) => msg === "notification muted" && String(subject).includes("SwapActive"),
    );
    for (const one of replicas.values())
      await until(cluster, async () =>
        (await ask(one, "/api/v1/alerts")).text.includes("SwapActive"),
      );
    for (const { first } of viewers)
      await first(({ event, data }) => event === "alerts" && data.includes("SwapActive"));
    // Who owns the unit knows it now, and another what the owner has recorded.
    const { entities } = JSON.parse((await ask(owner, "/api/v1/entities?kind=swap")).text) as {
      readonly entities: ReadonlyArray<{ readonly id: string }>;
    };
    const why = `/api/v1/explain?rule=SwapActive&entity=swap/${entities[0]?.id}`;
    for (const [one, how] of [
      [owner, /"It was last read [^"]* ago/],
      [other, /"The condition [^"]*","As recorded at [^"]* before:","It was last read/],
    ] as const)
      expect((await ask(one, why)).text).toMatch(how);
    const pages = await Promise.all([...replicas.values()].map(async (one) => await one.metrics()));
    const active = pages.join("").match(/^aggwatch_swaps_active\{.*unit="senders.* [1-9]/gm);
    expect(active).toHaveLength(1);
    for (const unit of [1, 2, 3, 4]) {
      const owned = pages.map((page) =>
        Number(
          new RegExp(`^aggwatch_replica_owner.unit="senders/${unit}". (.)$`, "m").exec(page)?.[1],
        ),
      );
      expect(owned.toSorted((one, other) => one - other)).toEqual([0, 1]);
    }
  });

  it("are shown with what is wrong at the replica that is asked, as a failed reload", async (context) => {
    const cluster = await startCluster(context, await server().makeDatabase(), ["a", "b"]);
    const acting = [...cluster.replicas.values()].find(({ lines }) =>
      lines.some(({ msg }) => msg === "acting"),
    );
    if (acting === undefined) throw new Error("none acts");
    writeFileSync(join(acting.home.rules, "rules.yaml"), "groups: 3");
    await until(cluster, async () =>
      (await ask(acting, "/api/v1/status")).text.includes('"notices":["The reload at '),
    );
  });

  it("are counted in all units by whoever is asked to silence them; without the database all else is shown", async (context) => {
    const cluster = await startCluster(context, await server().makeDatabase(), ["a", "b"]);
    await pollersOf(cluster, 0);
    // What a replica knows of the units of another may be some seconds old.
    for (const { url } of cluster.replicas.values())
      await until(cluster, async () => {
        const senders = await fetch(`${url}/api/v1/entities?kind=sender`);
        return ((await senders.json()) as { readonly total: number }).total === SENDERS.length;
      });
    for (const [index, one] of [...cluster.replicas.values()].entries()) {
      const asked = { scope: { kind: "sender" }, for: "1h", reason: "known" };
      const silenced = await ask(one, "/api/v1/silences", asked);
      expect(silenced.text).toContain(`it covers ${SENDERS.length} entities now`);
      await until(cluster, async () => {
        const pages = await Promise.all(
          [...cluster.replicas.values()].map(async ({ metrics }) => await metrics()),
        );
        const silences = new RegExp(`^aggwatch_silences\\{unit="senders/.*\\} ${index + 1}$`, "gm");
        return [...pages.join("").matchAll(silences)].length === 4;
      });
    }
    const [any] = cluster.replicas.values();
    const timeline = await fetch(`${any?.url}/api/v1/timeline?types=command`);
    const { rows } = (await timeline.json()) as { readonly rows: readonly unknown[] };
    expect(rows).toHaveLength(2);
    await server().kill();
    context.onTestFinished(async () => await server().restart());
    cluster.aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    const owner = [...cluster.replicas.values()].find(({ lines }) =>
      lines.some(({ msg }) => msg === "acting"),
    );
    await owner?.line(alertLine("ExchangeDisabled", "firing"));
    const status = (await fetch(`${owner?.url}/api/v1/status`)).text();
    expect(await status).toContain('"ExchangeDisabled"');
    expect(await status).toContain("what the units of senders watch is not shown: the database");
  });

  it("that cannot be read are one message with all else, if the aggregator is down", async (context) => {
    const cluster = await startCluster(context, await server().makeDatabase(), ["a", "b"]);
    const { aggregator, receiver } = cluster;
    await pollersOf(cluster, 0);
    const fault = { kind: "status", status: 500 };
    const since = new Date().toISOString();
    aggregator.control({ do: "set_fault", endpoint: "all", fault });
    // On a machine that stood still the requests before may have failed too, and that was told and taken back.
    const isOfFault = ({ labels, starts_at: startsAt }: Told): boolean =>
      labels["alertname"] === "AggregatorDown" && startsAt >= since;
    await receiver.request((seen) => toldIn(JSON.parse(seen.body)).some(isOfFault), {
      atMostMs: 45_000,
    });
    const isMuted =
      (unit: number) =>
      (line: LogLine): boolean =>
        line["msg"] === "notification muted" && line["unit"] === `senders/${unit}`;
    await Promise.all(
      [1, 2, 3, 4].map(
        async (unit) =>
          await Promise.any(
            [...cluster.replicas.values()].map(
              async ({ line }) => await line(isMuted(unit), { atMostMs: 45_000 }),
            ),
          ),
      ),
    );
    const bodies = receiver.seen.map(({ body }) => body);
    // If a replica is slow, the other may take over and deliver once more what the first has delivered.
    const down = receiver.taken.flatMap(toldIn).filter(isOfFault);
    expect(new Set(down.map((one) => `${one.state} ${one.starts_at}`)).size).toBe(1);
    expect(bodies.filter((body) => body.includes("PollFailing: poller swap"))).toEqual([]);
  });

  it("that alone cannot be read are notified of by their units, as home sees nothing of it", async (context) => {
    const cluster = await startCluster(context, await server().makeDatabase(), ["a", "b"]);
    const { aggregator, receiver } = cluster;
    await pollersOf(cluster, 0);
    const fault = { kind: "status", status: 500 };
    for (const endpoint of ["activeSwaps", "swapHistory"])
      aggregator.control({ do: "set_fault", endpoint, fault });
    // In each unit AggregatorDown fires, and waits for home to say so.
    await Promise.all(
      [1, 2, 3, 4].map(
        async (unit) =>
          await receiver.request(
            ({ body }) => body.includes(`PollFailing: poller swaps/${unit} on sim`),
            { atMostMs: 120_000 },
          ),
      ),
    );
  });
});
