import { describe, expect, it } from "vitest";
import { openJournal, type Journal } from "../../src/io/journal/journal.ts";
import type { Entity } from "../../src/domain/entity.ts";
import type { Change } from "../../src/domain/step.ts";
import { makeHome, startDaemon } from "./daemon.ts";
import { configOf, NEW_NAMES, RULES, startFlood } from "./flood.ts";
import { ACT_KEY, alertLine, remediationLine } from "./quick.ts";
import { startReceiver, type Receiver } from "./receiver.ts";

/** A heap that so many new names a poll fill in a dozen polls, if all are kept. */
const SMALL_HEAP = { ...ACT_KEY, NODE_OPTIONS: "--max-old-space-size=112" };
const LIMIT = 2_000;
const WAIT = { atMostMs: 120_000 };
const LEFT_OUT =
  'aggwatch_entities_left_out_total{aggregator="flood",kind="exchange",why="listed"}';

describe("an aggregator that names 10 000 new exchanges at every poll", () => {
  it("fills no memory: it alerts, and after a restart another aggregator is repaired as before", async (context) => {
    const flood = await startFlood(context, "NEW");
    const sound = await startFlood(context, "OTHER");
    const config = `${configOf({ flood: flood.url, sound: sound.url })}
limits: { entities: ${LIMIT} }
`;
    const home = makeHome(context, config, RULES);
    const daemon = await startDaemon(context, home, SMALL_HEAP);
    await flood.polls.first((count) => count === 2, WAIT);
    flood.world.floods = true;
    const from = flood.polls.all.length;
    await flood.polls.first((count) => count >= from + 13, WAIT);
    await daemon.line(alertLine("TooManyEntities", "firing"), WAIT);
    expect(await daemon.metric('aggwatch_entities{aggregator="flood",kind="exchange"}')).toBe(
      LIMIT,
    );
    // What was served is judged a while later.
    const leftOut = async (): Promise<number> => (await daemon.metric(LEFT_OUT)) ?? 0;
    for (let polls = from + 14; (await leftOut()) <= 10 * NEW_NAMES; polls += 1)
      await flood.polls.first((count) => count >= polls, WAIT);
    expect(await daemon.end("SIGTERM")).toBe(0);
    sound.world.disabled.add("BINANCE");
    const next = await startDaemon(context, home, SMALL_HEAP);
    await next.line(remediationLine("verified"), WAIT);
    expect(sound.world.disabled.size).toBe(0);
    expect(await next.end("SIGTERM")).toBe(0);
  });
});

/** So many exchanges vanished, and so few are allowed. */
const OLD_NAMES = 20_000;
const FEW = 500;

describe("a journal with far more than the limits allow, as an older version wrote it", () => {
  it("is brought back within them at the start, and what is needed stays", async (context) => {
    const sound = await startFlood(context, "OTHER");
    const hook = await startReceiver(context);
    const config = `${configOf({ sound: sound.url })}
limits: { entities: ${FEW} }
notify: { webhooks: [{ name: hook, url_env: HOOK_URL }] }
`;
    const home = makeHome(context, config, RULES);
    const env = { ...ACT_KEY, HOOK_URL: hook.url };
    sound.world.disabled.add("KUCOIN");
    const before = await startDaemon(context, home, env);
    await before.line(
      ({ msg, outcome }) => msg === "notification" && outcome === "delivered",
      WAIT,
    );
    expect(await before.end("SIGTERM")).toBe(0);
    expect(toldOfKucoin(hook)).toEqual(["firing"]);
    poison(home.data);
    sound.world.disabled.add("BINANCE");
    const daemon = await startDaemon(context, home, env);
    // Beside the old names there were two, and all but the most that are allowed went.
    const count = OLD_NAMES + 2 - FEW;
    const line = await daemon.line(({ why }) => why === "restored", WAIT);
    expect(line).toMatchObject({ aggregator: "sound", kind: "exchange", count, level: "warn" });
    expect(
      await daemon.metric(
        'aggwatch_entities_left_out_total{aggregator="sound",kind="exchange",why="restored"}',
      ),
    ).toBe(count);
    // Nothing was known for sure of it for longest, so it was left out; it is repaired all the same.
    await daemon.line(remediationLine("verified"), WAIT);
    expect(sound.world.disabled).toEqual(new Set(["KUCOIN"]));
    expect(
      await daemon.metric('aggwatch_entities{aggregator="sound",kind="exchange"}'),
    ).toBeLessThanOrEqual(FEW);
    const status = await daemon.status();
    expect(status.holds.map(({ id }) => id)).toEqual(["h1"]);
    // People were told that it fires: it still did, and its end is told once it is enabled, not before.
    expect(toldOfKucoin(hook)).toEqual(["firing"]);
    sound.world.disabled.delete("KUCOIN");
    await daemon.line(alertLine("KucoinDisabled", "resolved"), WAIT);
    await hook.request(() => toldOfKucoin(hook).length > 1, WAIT);
    expect(toldOfKucoin(hook)).toEqual(["firing", "resolved"]);
    expect(await daemon.end("SIGTERM")).toBe(0);
    const left = exchangesIn(home.data);
    expect(left.length).toBeLessThanOrEqual(FEW);
    // It was held, and so it was not left out.
    expect(left).toContain("sound/exchange/OLD-7");
  });
});

function toldOfKucoin({ taken }: Receiver): string[] {
  type Told = { readonly state: string; readonly labels: Readonly<Record<string, string>> };
  return taken
    .flatMap((body) => (body as { readonly notifications: Told[] }).notifications)
    .filter(({ labels }) => labels["alertname"] === "KucoinDisabled")
    .map(({ state }) => state);
}

function open(directory: string): Journal {
  const journal = openJournal(directory);
  if (!journal.ok) throw new Error(journal.problem);
  return journal.value;
}

function exchangesIn(directory: string): string[] {
  const journal = open(directory);
  const rows = [...journal.rows()];
  journal.close();
  return rows
    .filter(({ table, key }) => table === "entity" && key.startsWith("sound/exchange/"))
    .map(({ key }) => key);
}

/**
 * Adds exchanges that vanished, each with an alert that fires and has no receiver. All others have
 * been unknown for longer, so that theirs is the oldest evidence.
 */
function poison(directory: string): void {
  const journal = open(directory);
  const now = Date.now();
  const scope = { kind: "exchange", id: "OLD-7" };
  const until = now + 3_600_000;
  const hold = { id: "h1", owner: "alice", reason: "hers", scope, from: now, until };
  const unknown = [...journal.rows()]
    .filter(({ table, key }) => table === "entity" && key.startsWith("sound/exchange/"))
    .map((row) => ({ ...row, value: { ...(row.value as Entity), unknownSince: now - 60_000 } }));
  const done = journal.commit({
    at: now,
    changes: [
      ...unknown,
      ...Array.from({ length: OLD_NAMES }, (_, index) => vanished(index, now)).flat(),
      { table: "hold", key: "h1", value: hold },
    ],
    findings: [],
  });
  journal.close();
  if (!done.ok) throw new Error(done.problem);
}

function exchange(id: string, status: string, since: number) {
  const facts = { name: id, status, listed: status === "enabled", disabled: false };
  const surface = "sound/exchanges/all";
  return { aggregator: "sound", kind: "exchange", id, surface, facts, firstSeen: since, since };
}

function vanished(index: number, now: number): Change[] {
  const since = now - OLD_NAMES + index;
  const entity = exchange(`OLD-${index}`, "missing", since);
  const key = `ExchangeMissing|sound/exchange/OLD-${index}`;
  const alert = {
    key,
    rule: "ExchangeMissing",
    severity: "",
    entity: { aggregator: "sound", kind: "exchange", id: entity.id },
    state: "firing",
    startedAt: since,
    activeAt: since,
    firedAt: since,
    labels: { alertname: "ExchangeMissing" },
    annotations: { summary: "An exchange that an older version remembers." },
    facts: entity.facts,
    attempts: 0,
  };
  return [
    { table: "entity", key: `sound/exchange/OLD-${index}`, value: entity },
    { table: "alert", key, value: alert },
  ];
}
