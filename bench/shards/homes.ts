import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { addressesOf } from "../poll.ts";

/** How the senders of an aggregator are spread over processes. */
export type Spread = {
  readonly url: string;
  readonly shards: number;
  readonly lease: string;
  /** Of which the units of senders get seven tenths. */
  readonly perSecond: number;
};

/** A list over this is not read in one file. */
const PER_FILE = 100_000;

export function writeLists(folder: string, senders: number): void {
  const addresses = addressesOf(senders);
  for (let from = 0; from < senders; from += PER_FILE) {
    const list = [{ targets: addresses.slice(from, from + PER_FILE), labels: { kind: "sender" } }];
    writeFileSync(join(folder, `list-${from}.json`), JSON.stringify(list));
  }
}

export function homeOf(
  folder: string,
  name: string,
  { url, shards, lease, perSecond }: Spread,
): string[] {
  const home = join(folder, name);
  const config = {
    aggregators: [
      {
        name: "large",
        base_url: url,
        timeout: "2s",
        rate: { requests_per_second: perSecond, concurrency: 256 },
        schedules: { swaps: "* * * * * *", swap_history: "off", pools: "off" },
        watch: { files: [join(folder, "list-*.json")] },
      },
    ],
    journal: { shards, postgres: { url_file: join(folder, "database-url"), replica: name, lease } },
    log: { level: "info", format: "json" },
  };
  mkdirSync(join(home, "data"), { recursive: true });
  writeFileSync(join(home, "aggwatch.yaml"), stringify(config));
  const rules = join(import.meta.dirname, "../../rules");
  return ["--config", join(home, "aggwatch.yaml"), "--data", join(home, "data"), "--rules", rules];
}
