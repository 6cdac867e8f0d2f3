import type { CoreMutant } from "./mutant.ts";

/** Mistakes in how the watched senders are spread over units, and units over replicas. */
export const unitMutants: readonly CoreMutant[] = [
  {
    name: "rate-not-shared",
    file: "src/config/rate-shares.ts",
    find: "(1 - HOME_SHARE - CUT_OFF_SHARE) / shards;",
    replace: "1 - HOME_SHARE - CUT_OFF_SHARE;",
    means: "Each unit polls as if it had the whole rate.",
    replicas: 2,
    shards: 3,
  },
  {
    name: "senders-of-other-units",
    file: "src/run/units/unit-setup.ts",
    find: "unitOfSender(identifierKey(address), shards) === number;",
    replace: "unitOfSender(identifierKey(address), shards) >= number;",
    means: "A unit reads senders of another unit.",
    replicas: 2,
    shards: 2,
  },
  {
    name: "senders-in-home-too",
    file: "src/run/units/unit-setup.ts",
    find: "    pollers: all.filter(({ name }) => !SENDER_POLLERS.has(name)),\n    watch: { ...watch, senders: [] },\n",
    replace: "    pollers: all,\n    watch,\n",
    means: "The owner of `home` reads the senders of all units as well.",
    replicas: 2,
    shards: 2,
  },
  {
    name: "unit-goes-on-after-its-lease",
    file: "src/run/replica/replica.ts",
    find: "      ended?.abandon();\n",
    replace: "",
    means: "A replica that lost a unit's lease goes on polling that unit.",
    replicas: 2,
    shards: 2,
  },
  {
    name: "unit-moves-without-its-rows",
    file: "src/run/commit/unit-journal.ts",
    find: "    rows: () => rows,\n",
    replace: "    rows: () => (epoch === 1 ? rows : []),\n",
    means:
      "The next owner of a unit begins with nothing, so first-seen instants of its senders' swaps are lost.",
    replicas: 2,
    shards: 2,
  },
  {
    name: "unit-is-never-given-up",
    file: "src/run/units/units.ts",
    find: "      if (!isOurs && own !== undefined) endings.begin(unit, own, left.logWhy);\n      // One",
    replace: "      if (!isOurs && own !== undefined) continue;\n      // One",
    means: "A replica keeps more than its share of units, so that a new replica gets none.",
    replicas: 2,
    shards: 3,
  },
  {
    name: "unit-is-not-stopped",
    file: "src/run/units/units.ts",
    find: "const ended = own.stop().finally",
    replace: "const ended = Promise.resolve(own).then(() => undefined).finally",
    means: "A unit that is given up goes on, and its share of the rate is never returned.",
    replicas: 2,
    shards: 3,
  },
  {
    name: "cut-off-at-full-speed",
    file: "src/config/rate-shares.ts",
    find: "cutOffSlowdown: Math.ceil(share / cutOff),",
    replace: "cutOffSlowdown: 1,",
    means:
      "A replica that is cut off from the database polls on as fast as before, beside the next owner.",
    replicas: 2,
    shards: 3,
  },
];
