import { stringify } from "yaml";
import { pollers } from "../../src/pollers/index.ts";
import { DEFAULT_LIQUIDATIONS, DEFAULT_SENDERS } from "../../src/simulator/model/default-world.ts";
import type { DemoOptions } from "./start-demo.ts";

/** A watch list, in the config's folder. */
export const WATCH_FILE = "watch/desks.yaml";

/** Every poller is on, every second, and has something to watch: the simulator's own. */
export const EVERY_POLLER: Required<Pick<DemoOptions, "aggregator" | "files">> = {
  aggregator: {
    schedules: Object.fromEntries(pollers.map(({ name }) => [name, "* * * * * *"])),
    watch: {
      senders: [{ address: DEFAULT_SENDERS[0], alias: "desk-a" }],
      liquidations: [...DEFAULT_LIQUIDATIONS],
      order_statuses: { spot: ["ACCEPTED"] },
      files: ["watch/*.yaml"],
    },
  },
  files: {
    [WATCH_FILE]: stringify([{ targets: DEFAULT_SENDERS.slice(1), labels: { kind: "sender" } }]),
  },
};
