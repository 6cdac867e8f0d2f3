import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pollers } from "../../src/pollers/index.ts";
import { knownMetrics } from "../deploy/known-metrics.ts";
import { EVERY_POLLER } from "./every-poller.ts";
import { startDemo } from "./start-demo.ts";
import type { Demo } from "./start-demo.ts";
import { findTool } from "./tools.ts";
import { until } from "./until.ts";

const promtool = findTool(["promtool"], "the metrics by promtool");

/** Nothing listens there, and there is nothing to tell. */
const ALERTMANAGER = 'notify: { alertmanagers: ["http://127.0.0.1:9"] }';

describe("the daemon from the command line", () => {
  let demo: Demo;

  beforeAll(async () => {
    demo = await startDemo({ ...EVERY_POLLER, config: [ALERTMANAGER] });
  });

  afterAll(async () => {
    await demo?.stop();
  });

  const metrics = async (headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${demo.url}/metrics`, { headers });

  /** The page once every poller has read something. */
  const fullPage = async (): Promise<string> =>
    until("every poller has read something", async () => {
      const text = await (await metrics()).text();
      const read = text.match(/^aggwatch_up\{.*\} 1$/gm) ?? [];
      return read.length === pollers.length ? text : undefined;
    });

  it.skipIf(promtool === undefined)("exports metrics that promtool accepts", async () => {
    const text = await fullPage();
    const check = spawnSync(promtool ?? "", ["check", "metrics"], {
      input: text,
      encoding: "utf8",
    });
    expect(check.stderr + check.stdout).toBe("");
    expect(check.status).toBe(0);
  });

  it("shows every metric, except for what has to happen first", async () => {
    const own = [...knownMetrics.keys()].filter((name) => /^aggwatch_[a-z_]+$/.test(name));
    let absent: string[] = [];
    const shows = until("every metric is there", async () => {
      const text = await fullPage();
      absent = own.filter((name) => !new RegExp(`^${name}[ {]`, "m").test(text));
      return absent.every((name) => NOT_YET.test(name)) ? true : undefined;
    });
    await expect(
      shows.catch(() => absent),
      "these are absent",
    ).resolves.toBe(true);
  });

  it("answers in OpenMetrics, and packed, if that is asked for", async () => {
    const open = await metrics({ accept: "application/openmetrics-text;version=1.0.0" });
    expect(open.headers.get("content-type")).toMatch(/^application\/openmetrics-text; version=1/);
    expect(await open.text()).toMatch(/\n# EOF\n$/);
    const packed = await metrics({ "accept-encoding": "gzip" });
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    expect(await packed.text()).toContain("\naggwatch_build_info{");
  });

  it("ends with exit code 0 on SIGTERM", async () => {
    expect(await demo.stop()).toEqual([0, 0]);
  });
});

/**
 * Nothing was notified or left out, no replica shares the journal, nothing is on hold, no swap was seen to its end, and
 * no heartbeat is configured.
 */
const NOT_YET =
  /^aggwatch_(lease|replica|takeovers|entities_left_out|notification|outbox_oldest|hold_next_expiry|swap_duration|heartbeat_last_success|oldest_active_swap)/;
