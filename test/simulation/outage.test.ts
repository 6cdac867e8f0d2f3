/** Tests src/simulation/run.ts: an outage of a whole aggregator under the shipped rules, and what people are sent of it. */
import { afterAll, describe, expect, it } from "vitest";
import { MINUTE, SECOND, type Millis } from "../../src/domain/time.ts";
import type { PollerName } from "../../src/pollers/index.ts";
import type { Plan } from "../../src/simulation/plan.ts";
import { createPool } from "../../src/simulation/pool.ts";
import { planOf } from "../../src/simulation/swarm.ts";
import { shippedCampaign } from "./campaign.ts";

const campaign = shippedCampaign();
const pool = createPool(campaign, 2);
afterAll(pool.close);

const BEGINS: Millis = 3 * MINUTE + 31_300;
const LASTS: Millis = 5 * MINUTE;

type Schedules = Readonly<Partial<Record<PollerName, Millis>>>;

const four = (every: Millis): Schedules => ({
  exchanges: every,
  liquidations: every,
  pools: every,
  swaps: every,
});
const two = (every: Millis): Schedules => ({ exchanges: every, pools: every });

const SHIPPED: Schedules = {
  exchanges: 10 * SECOND,
  liquidations: 15 * SECOND,
  pools: 30 * SECOND,
  swaps: 30 * SECOND,
};

const EVERY: ReadonlyArray<readonly [string, Schedules]> = [
  ["each second", four(SECOND)],
  ["each second, by two pollers", two(SECOND)],
  ["each two seconds", four(2 * SECOND)],
  ["each ten seconds", four(10 * SECOND)],
  ["each ten seconds, by two pollers", two(10 * SECOND)],
  ["each minute", four(MINUTE)],
  ["each minute, by two pollers", two(MINUTE)],
  ["as is usual", SHIPPED],
];

const FAULTS = [{ kind: "down" }, { kind: "hang" }] as const;

describe("an aggregator that is down is one message, and one when it is back", () => {
  const cases = EVERY.flatMap(([name, schedules]) =>
    FAULTS.map((fault) => ({ name, schedules, fault })),
  );
  it.each(cases)("polled $name (fault: $fault.kind)", async (one) => {
    const { violations, narration } = await pool.run({
      of: { plan: planFor(one) },
      withNarration: true,
    });
    const told = narration.flatMap(({ text }) => /^the receiver gets: (.*)$/.exec(text)?.[1] ?? []);
    expect(told).toEqual([
      "alert AggregatorDown|bsc/aggregator/bsc is firing",
      "alert AggregatorDown|bsc/aggregator/bsc is resolved",
    ]);
    expect(violations).toEqual([]);
  });
});

function planFor({
  schedules,
  fault,
}: {
  readonly schedules: Schedules;
  readonly fault: { readonly kind: string };
}): Plan {
  const { fleet, variants, ...plan } = planOf(1, campaign.swarm);
  const [member] = fleet;
  if (member === undefined) throw new Error("a plan without an aggregator");
  const { watched, world } = member;
  const address = `0x${"ab".repeat(20)}`;
  const id = `0x${"11".repeat(32)}`;
  const pollers = Object.entries(schedules).map(([name, every]) => ({
    name: name as PollerName,
    schedule: every === MINUTE ? "0 * * * * *" : `*/${every / SECOND} * * * * *`,
    intervalMs: every,
    staleAfterMs: 3 * every,
  }));
  const watch = { ...watched.watch, senders: [{ address }], liquidations: [{ id }] };
  const control = { do: "control", aggregator: watched.name } as const;
  return {
    ...plan,
    faultsEndAfter: BEGINS + LASTS + 5 * MINUTE,
    endsAfter: BEGINS + LASTS + 6 * MINUTE,
    fleet: [
      {
        watched: { ...watched, pollers, watch },
        world: {
          ...world,
          senders: [address],
          liquidations: [{ id, status: "SETTLED" }],
          background: false,
        },
      },
    ],
    variants: [{ ...variants[0], maintenance: [], rules: {} }],
    events: [
      { at: BEGINS, ...control, command: { do: "set_fault", endpoint: "all", fault } },
      { at: BEGINS + LASTS, ...control, command: { do: "clear_faults" } },
    ],
  };
}
