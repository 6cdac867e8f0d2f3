import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { stringify } from "yaml";
import { read, yamlFilesIn } from "../deploy/rule-files.ts";
import { startPeople } from "./people.ts";
import type { People } from "./people.ts";
import { startServerProgram } from "./server-program.ts";
import type { ServerProgram } from "./server-program.ts";

/** The real Prometheus and Alertmanager, as quick as they can be, with our rules. */

export type Tools = { readonly prometheus: string; readonly alertmanager: string };

export type Alerting = {
  readonly people: People;
  readonly url: string;
  /** Takes Alertmanager down, and brings it back with what it kept, at the same address. */
  readonly goDown: () => Promise<void>;
  readonly comeBack: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** Alertmanager, and people whom it tells. */
export async function startAlerting(tools: Tools): Promise<Alerting> {
  const folder = mkdtempSync(join(tmpdir(), "aggwatch-e2e-"));
  const people = await startPeople();
  const config = join(folder, "alertmanager.yaml");
  writeFileSync(config, alertmanagerConfig(people.url));
  const start = (address: string): Promise<ServerProgram> =>
    startServerProgram(tools.alertmanager, [
      `--config.file=${config}`,
      `--storage.path=${join(folder, "alertmanager")}`,
      `--web.listen-address=${address}`,
      "--cluster.listen-address=",
    ]);
  let running = await start("127.0.0.1:0");
  const { url } = running;
  return {
    people,
    url,
    goDown: () => running.stop(),
    comeBack: async () => {
      running = await start(new URL(url).host);
    },
    stop: async () => {
      await running.stop();
      await people.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function alertmanagerConfig(webhook: string): string {
  return stringify({
    route: {
      receiver: "people",
      // Each alert is told on its own, at once.
      group_by: ["..."],
      group_wait: "0s",
      group_interval: "1s",
      repeat_interval: "1h",
    },
    receivers: [{ name: "people", webhook_configs: [{ url: webhook, send_resolved: true }] }],
  });
}

/** Prometheus that scrapes a daemon every second. */
export async function startPrometheus(
  tools: Tools,
  scraped: string,
  alertmanager: string,
): Promise<ServerProgram> {
  const folder = mkdtempSync(join(tmpdir(), "aggwatch-e2e-"));
  mkdirSync(join(folder, "rules"));
  for (const path of yamlFilesIn("deploy/prometheus/rules"))
    writeFileSync(join(folder, "rules", basename(path)), quick(read(path)));
  const config = join(folder, "prometheus.yaml");
  writeFileSync(
    config,
    stringify({
      global: { scrape_interval: "1s", scrape_timeout: "1s", evaluation_interval: "1s" },
      rule_files: ["rules/*.yaml"],
      alerting: {
        alertmanagers: [{ static_configs: [{ targets: [new URL(alertmanager).host] }] }],
      },
      scrape_configs: [
        { job_name: "aggwatch", static_configs: [{ targets: [new URL(scraped).host] }] },
      ],
    }),
  );
  const program = await startServerProgram(tools.prometheus, [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(folder, "data")}`,
    "--web.listen-address=127.0.0.1:0",
    // An alert that stands is told again this often, as to an Alertmanager that was away.
    "--rules.alert.resend-delay=1s",
  ]);
  const stop = async (): Promise<void> => {
    await program.stop();
    rmSync(folder, { recursive: true });
  };
  return { url: program.url, stop };
}

/** The rules as they are, except for how long they wait. How long that is, promtool tests. */
export function quick(rules: string): string {
  return rules.replaceAll(/^(\s+(?:for|keep_firing_for)): .*$/gm, "$1: 1s");
}
