import type { Facts, SeenEntity } from "../src/domain/entity.ts";
import { HOUR, MINUTE, type Instant } from "../src/domain/time.ts";

/**
 * The least that could do the same comparisons: one map, facts compared field by field, and the
 * shipped conditions as closures. It has no surfaces, no alert's life, no three-valued logic, no
 * record of changes and no guards, so its time is a floor and not a rival.
 */
export type Loop = {
  /** Compares what is listed with what is known, and judges what differs. */
  readonly poll: (listed: readonly SeenEntity[], at: Instant) => void;
  /** Judges again whatever reads time. */
  readonly tick: (at: Instant) => void;
  /** How many pairs of entity and rule are bad. */
  readonly bad: () => number;
  readonly size: () => number;
};

type Known = { facts: Facts; readonly firstSeen: Instant; basePeak: number; quotePeak: number };
type Judge = { readonly name: string; readonly isBad: (known: Known, at: Instant) => boolean };

const numberOf = (facts: Facts, name: string): number => Number(facts[name]);

const JUDGES: Readonly<Record<string, readonly Judge[]>> = {
  exchange: [
    { name: "ExchangeDisabled", isBad: ({ facts }) => facts["status"] === "disabled" },
    { name: "ExchangeMissing", isBad: ({ facts }) => facts["status"] === "missing" },
  ],
  pair: [{ name: "PairDisabled", isBad: ({ facts }) => facts["status"] === "disabled" }],
  pool: [
    {
      name: "PoolDrained",
      isBad: ({ facts }) => numberOf(facts, "base") <= 0 || numberOf(facts, "quote") <= 0,
    },
    {
      name: "PoolReserveDropped",
      isBad: ({ facts, basePeak, quotePeak }) =>
        numberOf(facts, "base") < 0.5 * basePeak || numberOf(facts, "quote") < 0.5 * quotePeak,
    },
  ],
  swap: [
    {
      name: "SwapStuck",
      isBad: ({ facts, firstSeen }, at) => facts["active"] === true && at - firstSeen > HOUR / 4,
    },
    {
      name: "SwapExpired",
      isBad: ({ facts }, at) => facts["active"] === true && numberOf(facts, "expires") < at,
    },
  ],
};

export function createLoop(): Loop {
  const known = new Map<string, Map<string, Known>>();
  const bad = new Set<string>();
  const judge = (kind: string, id: string, one: Known, at: Instant): void => {
    for (const { name, isBad } of JUDGES[kind] ?? []) {
      if (isBad(one, at)) bad.add(`${name}|${id}`);
      else if (bad.size > 0) bad.delete(`${name}|${id}`);
    }
  };
  return {
    poll: (listed, at) => {
      for (const { kind, id, facts } of listed) {
        const ofKind = known.get(kind) ?? new Map<string, Known>();
        known.set(kind, ofKind);
        const one = ofKind.get(id) ?? { facts: {}, firstSeen: at, basePeak: 0, quotePeak: 0 };
        if (kind === "pool") {
          one.basePeak = Math.max(one.basePeak, numberOf(facts, "base"));
          one.quotePeak = Math.max(one.quotePeak, numberOf(facts, "quote"));
        }
        if (sameFacts(one.facts, facts)) continue;
        one.facts = facts;
        ofKind.set(id, one);
        judge(kind, id, one, at);
      }
    },
    tick: (at) => {
      for (const [id, one] of known.get("swap") ?? []) judge("swap", id, one, at);
    },
    bad: () => bad.size,
    size: () => [...known.values()].reduce((sum, { size }) => sum + size, 0),
  };
}

function sameFacts(one: Facts, other: Facts): boolean {
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => Object.is(one[name], other[name]));
}

/** The baseline that has watched for as long as the core has. */
export function watchWithLoop(listed: readonly SeenEntity[], start: Instant): Loop {
  const loop = createLoop();
  for (let minute = 1; minute <= 5; minute += 1) loop.poll(listed, start + minute * MINUTE);
  return loop;
}
