import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { rulesOf, seriesOf } from "../../test/e2e/prometheus-api.ts";
import { startServerProgram } from "../../test/e2e/server-program.ts";
import { findTool } from "../../test/e2e/tools.ts";
import { until } from "../../test/e2e/until.ts";
import { startToggler } from "./toggler.ts";

export type Programs = { readonly prometheus: string; readonly alertmanager: string };

/** The real Prometheus and Alertmanager in PATH; says what is missing. */
export function findPrograms(): Programs | undefined {
  const needs = "detect-to-act, which is measured beside the real Prometheus and Alertmanager";
  const prometheus = findTool(["prometheus"], needs);
  const alertmanager = findTool(["prometheus-alertmanager", "alertmanager"], needs);
  return prometheus === undefined || alertmanager === undefined
    ? undefined
    : { prometheus, alertmanager };
}

export type Alerting = {
  /** Scrapes and evaluates at another phase from now on; resolves once both are under way. */
  readonly shift: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** How often Prometheus scrapes and evaluates, and how long Alertmanager waits for more of a group. */
export type Pace = {
  readonly scrape: string;
  readonly evaluation: string;
  readonly groupWait: string;
};

/**
 * Prometheus scrapes `scraped`, its rule fires, Alertmanager calls a webhook, and that enables the
 * exchange at the simulator.
 */
export async function startAlerting(
  programs: Programs,
  scraped: string,
  simulatorUrl: string,
  pace: Pace,
): Promise<Alerting> {
  const folder = mkdtempSync(join(tmpdir(), "aggwatch-detect-to-act-"));
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of stops.toReversed()) await end();
    rmSync(folder, { recursive: true });
  };
  try {
    const toggler = await startToggler(simulatorUrl);
    stops.push(toggler.close);
    const path = (name: string): string => join(folder, name);
    writeFileSync(path("alertmanager.yaml"), stringify(routeTo(toggler.url, pace)));
    const alertmanager = await startServerProgram(programs.alertmanager, [
      `--config.file=${path("alertmanager.yaml")}`,
      `--storage.path=${path("alertmanager")}`,
      "--web.listen-address=127.0.0.1:0",
      "--cluster.listen-address=",
    ]);
    stops.push(alertmanager.stop);
    const configure = (phase: number): void => {
      writeFileSync(path("rules.yaml"), stringify(rulesOfPhase(phase)));
      writeFileSync(
        path("prometheus.yaml"),
        stringify(scrapeOf(scraped, alertmanager.url, phase, pace)),
      );
    };
    configure(0);
    const prometheus = await startServerProgram(programs.prometheus, [
      `--config.file=${path("prometheus.yaml")}`,
      `--storage.tsdb.path=${path("data")}`,
      "--web.listen-address=127.0.0.1:0",
      "--web.enable-lifecycle",
    ]);
    stops.push(prometheus.stop);
    let phase = 0;
    const shift = async (): Promise<void> => {
      phase += 1;
      configure(phase);
      await reload(prometheus.url, phase);
    };
    return { shift, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function routeTo(webhook: string, { groupWait }: Pace): unknown {
  return {
    route: {
      receiver: "toggler",
      // Every alert is a group of its own, and a trial's alert is new: only this wait counts.
      group_by: ["..."],
      group_wait: groupWait,
      group_interval: "1s",
      repeat_interval: "1h",
    },
    receivers: [{ name: "toggler", webhook_configs: [{ url: webhook, send_resolved: false }] }],
  };
}

/**
 * Prometheus derives the offset of an evaluation from the group's name, and that of a scrape from the
 * target's labels. So another phase is another name and label, and the trials see many offsets
 * instead of the one that a run happens to have.
 */
function rulesOfPhase(phase: number): unknown {
  const expr = `aggwatch_exchange_disabled{phase="${phase}"} == 1`;
  const rules = [{ alert: "ExchangeDisabled", expr, for: "0s" }];
  return { groups: [{ name: `phase-${phase}`, rules }] };
}

function scrapeOf(
  scraped: string,
  alertmanager: string,
  phase: number,
  { scrape, evaluation }: Pace,
): unknown {
  const targets = [new URL(scraped).host];
  const labels = { phase: String(phase) };
  return {
    global: { scrape_interval: scrape, scrape_timeout: "1s", evaluation_interval: evaluation },
    rule_files: ["rules.yaml"],
    alerting: {
      alertmanagers: [{ static_configs: [{ targets: [new URL(alertmanager).host] }] }],
    },
    scrape_configs: [{ job_name: "aggwatch", static_configs: [{ targets, labels }] }],
  };
}

async function reload(prometheus: string, phase: number): Promise<void> {
  const reply = await fetch(`${prometheus}/-/reload`, { method: "POST" });
  if (!reply.ok) throw new Error(`Prometheus does not reload: ${await reply.text()}`);
  await until(`Prometheus scrapes phase ${phase}`, async () =>
    (await seriesOf(prometheus, `aggwatch_exchange_disabled{phase="${phase}"}`)) > 0
      ? true
      : undefined,
  );
  await until(`Prometheus evaluates phase ${phase}`, async () =>
    (await rulesOf(prometheus)).every(({ health }) => health === "ok") ? true : undefined,
  );
}
