import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { startProgram } from "../../test/e2e/start-demo.ts";
import { until } from "../../test/e2e/until.ts";

export type RunningWatchdog = {
  readonly url: string;
  readonly stop: () => Promise<void>;
};

/**
 * Starts aggwatch as a program of its own and waits until it is ready. It polls the exchanges every
 * second and nothing else. In mode `act` it repairs; in mode `shadow` it only serves /metrics.
 */
export async function startWatchdog(
  simulatorUrl: string,
  mode: "act" | "shadow",
): Promise<RunningWatchdog> {
  const folder = mkdtempSync(join(tmpdir(), "aggwatch-detect-to-act-"));
  mkdirSync(join(folder, "rules"));
  writeFileSync(join(folder, "rules", "exchanges.yaml"), stringify(RULES));
  writeFileSync(join(folder, "aggwatch.yaml"), stringify(configFor(simulatorUrl, mode)));
  const at = (name: string): string => join(folder, name);
  const paths = ["--config", at("aggwatch.yaml"), "--data", at("data"), "--rules", at("rules")];
  const program = startProgram(["run", "--listen", "127.0.0.1:0", ...paths]);
  const stop = async (): Promise<void> => {
    await program.stop();
    rmSync(folder, { recursive: true });
  };
  try {
    const url = await program.address;
    await until("aggwatch is ready", async () =>
      (await fetch(`${url}/readyz`)).ok ? true : undefined,
    );
    return { url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** More than the trials need: the guards are asked, and none of them is to object. */
const BUDGET = { max: 1_000, per: "1h" };

const RULES = {
  groups: [
    {
      name: "exchanges",
      rules: [
        {
          alert: "ExchangeDisabled",
          each: "exchange",
          when: 'exchange.status == "disabled"',
          for: "0s",
          labels: { severity: "critical" },
          annotations: { summary: "The exchange {{ exchange.name }} is disabled." },
          act: {
            action: "enable_exchange",
            mode: "act",
            cooldown: "1s",
            verify_within: "10s",
            budget: BUDGET,
          },
        },
      ],
    },
  ],
};

function configFor(simulatorUrl: string, mode: "act" | "shadow"): unknown {
  const schedules = {
    exchanges: "* * * * * *",
    liquidations: "off",
    pools: "off",
    swaps: "off",
    swap_history: "off",
    orders: "off",
  };
  return {
    aggregators: [{ name: "simulated", base_url: simulatorUrl, schedules }],
    actions: {
      mode,
      budget: BUDGET,
      settle_after_start: "0s",
      // Each exchange is disabled again within minutes of its repair, which is a tug of war, and is
      // quarantined at the second time by default. No exchange is disabled so often as this.
      undo_limit: 100,
    },
  };
}
