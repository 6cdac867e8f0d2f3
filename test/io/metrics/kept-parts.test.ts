/** Tests src/io/metrics/scrape-reader.ts: what is kept between scrapes. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { State } from "../../../src/core/state.ts";
import { ruleHashes } from "../../../src/core/change/reload.ts";
import { indexRules } from "../../../src/core/policy.ts";
import type { SeenEntity } from "../../../src/domain/entity.ts";
import { toEnd } from "../../../src/domain/slices.ts";
import type { WatchReading } from "../../../src/domain/watch.ts";
import type { MetricsSource, ScrapedMetric } from "../../../src/io/metrics/definition.ts";
import { metrics } from "../../../src/io/metrics/definitions/index.ts";
import { createScrapeReader, type ScrapeReader } from "../../../src/io/metrics/scrape-reader.ts";
import { watchKinds } from "../../../src/pollers/watch-kinds.ts";
import { exchange, order, pair, repair, rule } from "../../core/fixtures.ts";
import { World } from "../../core/world.ts";
import { sourceOf, textOf as pieceText } from "./scrape.ts";

const scraped = metrics.filter((metric): metric is ScrapedMetric => metric.from === "scrape");

const named = (kind: string, id: string, facts: SeenEntity["facts"]): SeenEntity => ({
  kind,
  id,
  facts: { name: id, ...facts },
});
const pool = (pairName: string, base: number): SeenEntity =>
  named("pool", `V2/${pairName}`, {
    factory: "V2",
    pair: pairName,
    base_asset: "ORN",
    quote_asset: "USDT",
    base,
    quote: 2 * base,
  });
const swap = (id: string, alias: string): SeenEntity =>
  named("swap", id, { sender: alias, sender_alias: alias, status: "ACTIVE", active: true });

/** What each poller may list, one of each row or none. */
const LISTED = {
  exchanges: [
    [exchange("A", "enabled"), exchange("A", "disabled")],
    [exchange("B", "enabled"), exchange("B", "disabled")],
    [pair("A", "ORN-USDT")],
    [pair("B", "ORN-BNB")],
  ],
  pools: [[pool("ORN-USDT", 1), pool("ORN-USDT", 2)], [pool("BNB-USDT", 3)]],
  liquidations: [[order("o1", "STUCK"), order("o1", "CANCELED")], [order("o2", "STUCK")]],
  swaps: [
    [named("sender", "s", { alias: "desk", active_swaps: 1 })],
    [swap("w1", "desk"), swap("w1", "other")],
    [swap("w2", "desk")],
  ],
} as const;

type Poller = keyof typeof LISTED;
const poller = fc.constantFrom(...(Object.keys(LISTED) as Poller[]));

/** What may happen between two scrapes, as data, so that a failing run can be shrunk. */
type Doing =
  | {
      readonly do: "see";
      readonly poller: Poller;
      /** Which one of each row; none if there are not so many. */
      readonly picks: readonly number[];
      readonly complete: boolean;
    }
  | { readonly do: "fail"; readonly poller: Poller }
  | { readonly do: "pass"; readonly seconds: number }
  | { readonly do: "restart" | "break_journal" | "reload" | "rewatch" };

const see = fc.record({
  do: fc.constant("see" as const),
  poller,
  picks: fc.array(fc.nat({ max: 2 }), { minLength: 4, maxLength: 4 }),
  complete: fc.boolean(),
});
const fail = fc.record({ do: fc.constant("fail" as const), poller });
const seconds = fc.integer({ min: 1, max: 90 });
const pass = fc.record({ do: fc.constant("pass" as const), seconds });
const other = fc.record({ do: fc.constantFrom("restart", "break_journal", "reload", "rewatch") });
const doing: fc.Arbitrary<Doing> = fc.oneof(
  { weight: 8, arbitrary: see },
  { weight: 2, arbitrary: fail },
  { weight: 3, arbitrary: pass },
  { weight: 2, arbitrary: other },
);

/** A world that changes, and a reader that has read it before each change. */
class Scraping {
  readonly world = new World({ rules: rules("critical") });
  readonly reader = createScrapeReader();
  private watched: readonly WatchReading[] = [];

  constructor() {
    const watch = { kinds: watchKinds, given: new Map() };
    this.world.policy = { ...this.world.policy, watch };
    // Also between the reading of the journal and the first event.
    this.world.witness = ({ type }) => void (type === "restarted" && this.expectAsReadAgain());
    this.world.onStep = (_, { changes }) => this.reader.changed(changes);
    this.world.starts();
  }

  does(what: Doing): void {
    if (what.do === "see") this.world.sees(what.poller, seen(what), { complete: what.complete });
    else if (what.do === "fail") this.world.fails(what.poller);
    else if (what.do === "pass") this.world.passes(`${what.seconds}s`);
    else if (what.do === "restart") this.restarts();
    else if (what.do === "break_journal") this.world.journal.broken = true;
    else if (what.do === "reload") this.reloads();
    else this.rewatches();
  }

  /** Whatever was kept, all of it is as if it were read for the first time. */
  expectAsReadAgain(): void {
    const { world, watched } = this;
    const own = sourceOf(world.policy);
    const source = { ...own, state: world.state, watched: () => watched };
    expect(textOf(this.reader, source)).toBe(textOf(createScrapeReader(), source));
    expect(world.state.unknownCounts).toEqual(unknownIn(world.state));
  }

  /** What a broken journal did not keep is as it was before. */
  private restarts(): void {
    this.world.journal.broken = false;
    this.world.restarts();
  }

  private reloads(): void {
    const { world } = this;
    const rulesBefore = ruleHashes(world.policy.rules);
    const { severity } = world.policy.rules.get("ExchangeDisabled") ?? {};
    const next = rules(severity === "critical" ? "warning" : "critical");
    world.policy = { ...world.policy, ...indexRules(next) };
    world.tell({ type: "policy_changed", rulesBefore, moved: [] });
  }

  /** The same entry comes from another source, which changes nothing that is polled. */
  private rewatches(): void {
    const source = this.watched[0]?.entries[0]?.source === "file" ? "config" : "file";
    const entry = { kind: "sender", target: "0x1", key: "0x1", origins: [], source } as const;
    this.watched = [
      { aggregator: "bsc", entries: [entry], sources: [], conflicts: [], sweeps: [] },
    ];
  }
}

function seen({ poller: of, picks }: Extract<Doing, { readonly do: "see" }>): SeenEntity[] {
  const rows: ReadonlyArray<readonly SeenEntity[]> = LISTED[of];
  return rows.flatMap((row, index) => row[picks[index] ?? 0] ?? []);
}

/** By going through all entities. */
function unknownIn({ tables }: State): ReadonlyMap<string, number> {
  const unknown = [...tables.entity.values()].filter((one) => one.unknownSince !== undefined);
  const byGroup = Map.groupBy(unknown, ({ aggregator, kind }) => `${aggregator}/${kind}`);
  return new Map([...byGroup].map(([group, entities]) => [group, entities.length]));
}

function rules(severity: "critical" | "warning") {
  return [
    rule({ severity, hash: severity, forMs: 5_000, act: repair() }),
    rule({ alert: "PoolDrained", kind: "pool", severity: "warning", keepFiringForMs: 10_000 }),
  ];
}

function textOf(reader: ScrapeReader, source: MetricsSource): string {
  return scraped
    .map((metric) => toEnd(reader.read(metric, source)))
    .map(({ text, dropped }) => `${pieceText(text)}# ${dropped} dropped\n`)
    .join("");
}

it("is byte for byte what is read again, whatever changes", () => {
  fc.assert(
    fc.property(fc.array(doing, { minLength: 10, maxLength: 30, size: "max" }), (happened) => {
      const scraping = new Scraping();
      for (const each of happened) {
        scraping.does(each);
        scraping.expectAsReadAgain();
      }
    }),
    { numRuns: 40, seed: 42 },
  );
});
