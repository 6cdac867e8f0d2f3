import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { startProgram } from "../../test/e2e/start-demo.ts";
import { serve } from "../loopback.ts";
import { WATCHED } from "./lying-world.ts";

export type SoakedDaemon = {
  readonly url: string;
  /** Resolves if it ends by itself. */
  readonly ended: Promise<number | null>;
  readonly stop: () => Promise<void>;
};

/** Two receivers are down, each in its own way; nothing listens on the port of the third. */
type Receivers = { readonly urls: readonly string[]; readonly close: () => void };

/** A daemon in act mode with the shipped rules, and every receiver down. */
export async function startSoakedDaemon(
  aggregatorUrl: string,
  heapMb: number | undefined,
): Promise<SoakedDaemon> {
  const folder = mkdtempSync(join(tmpdir(), "aggwatch-soak-"));
  const receivers = await startReceivers();
  const at = (name: string): string => join(folder, name);
  mkdirSync(at("data"));
  writeFileSync(at("key"), "soak");
  for (const [index, url] of receivers.urls.entries()) writeFileSync(at(`receiver-${index}`), url);
  writeFileSync(at("aggwatch.yaml"), stringify(configFor(aggregatorUrl, receivers.urls)));
  const nodeOptions = heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`];
  const paths = ["--config", at("aggwatch.yaml"), "--data", at("data"), "--rules", "rules"];
  const program = startProgram(["run", "--listen", "127.0.0.1:0", ...paths], nodeOptions);
  const stop = async (): Promise<void> => {
    await program.stop();
    receivers.close();
    rmSync(folder, { recursive: true });
  };
  try {
    return { url: await program.address, ended: program.ended, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startReceivers(): Promise<Receivers> {
  const refusing = await serve((request, response) => {
    request.resume();
    response.writeHead(503).end();
  });
  const hanging = await serve((request) => void request.resume());
  const ended = await serve(() => undefined);
  await ended.close();
  return {
    urls: [refusing, hanging, ended].map(({ url }) => `${url}/`),
    close: () => {
      for (const { close } of [refusing, hanging]) void close();
    },
  };
}

function configFor(aggregatorUrl: string, [, , none]: readonly string[]): unknown {
  const schedules = {
    exchanges: "*/5 * * * * *",
    liquidations: "*/5 * * * * *",
    pools: "*/5 * * * * *",
    swaps: "*/10 * * * * *",
    swap_history: "*/30 * * * * *",
    orders: "*/10 * * * * *",
  };
  const auth = { act: { type: "header", name: "X-API-KEY", value_file: "key" } };
  const watch = { ...WATCHED, senders: WATCHED.senders.map((address) => ({ address })) };
  return {
    aggregators: [
      {
        name: "soaked",
        base_url: aggregatorUrl,
        auth,
        schedules,
        watch,
        retries: 1,
        timeout: "5s",
      },
    ],
    actions: { mode: "act", settle_after_start: "5s" },
    notify: {
      alertmanagers: [none],
      webhooks: [{ name: "refusing", url_file: "receiver-0" }],
      slack: [{ name: "hanging", url_file: "receiver-1" }],
    },
    log: { level: "info", format: "json" },
  };
}
