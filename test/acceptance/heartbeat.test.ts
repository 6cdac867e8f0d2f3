import { describe, expect, test, type TestContext } from "vitest";
import { until } from "../e2e/until.ts";
import { SOURCE } from "../made-once.ts";
import { startAggregator, type Aggregator } from "./aggregator.ts";
import { MAIN, makeHome, startDaemon, type Daemon } from "./daemon.ts";
import { hasPrlimit, limitFiles, WITHOUT_PRLIMIT } from "./limit-files.ts";
import { QUICK_RULES } from "./quick.ts";
import { accept, refuseWith, startReceiver } from "./receiver.ts";
import { MAKES, STUCK_HOOK } from "./stuck-signals.ts";
import { BACKED_OFF, startSwitch, type Switch } from "./switch.ts";

type Beating = {
  readonly aggregator: Aggregator;
  readonly pinged: Switch;
  readonly daemon: Daemon;
  /** Waits until it is withheld for just this reason, and gives what /healthz says then. */
  readonly withheldFor: (reason: string, beside?: string) => Promise<string>;
  /** Waits until it is pinged again. */
  readonly goesOn: () => Promise<void>;
};

/** A daemon that polls every second, and has pinged. */
async function startBeating(
  context: TestContext,
  options: {
    staleAfter: string;
    notify?: string;
    env?: Record<string, string>;
    program?: string;
  },
): Promise<Beating> {
  const aggregator = await startAggregator(context);
  const pinged = await startSwitch(context);
  const config = [
    "notify:",
    "  heartbeat: { url_env: HC_URL, every: 1s, needs_notifier: true }",
    ...(options.notify === undefined ? [] : [options.notify]),
    "aggregators:",
    "  - name: sim",
    `    base_url: ${aggregator.url}`,
    `    stale_after: ${options.staleAfter}`,
    "    timeout: 1s",
    "    timeouts: { connect: 1s, response: 1s }",
    "    retries: 0",
    "    schedules:",
    '      exchanges: "* * * * * *"',
    ...["pools", "swaps", "swap_history", "liquidations", "orders"].map(
      (name) => `      ${name}: off`,
    ),
    "",
  ].join("\n");
  const home = makeHome(context, config, QUICK_RULES);
  const first = pinged.next();
  const env = { HC_URL: pinged.url, ...options.env };
  const { program = MAIN } = options;
  const daemon = await startDaemon(context, home, env, { program });
  await first;
  return {
    aggregator,
    pinged,
    daemon,
    withheldFor: async (reason, beside) => {
      const only = JSON.stringify([reason]);
      const others = (reasons: unknown): string =>
        JSON.stringify(Array.isArray(reasons) ? reasons.filter((one) => one !== beside) : reasons);
      // A busy machine may have withheld it for a moment before.
      await until(`it is withheld: ${reason}`, async () => {
        const isNow = await daemon.metric(`aggwatch_heartbeat_withheld{reason="${reason}"}`);
        return isNow === 1 ? true : undefined;
      });
      await daemon.line(
        ({ msg, reasons }) => msg === "heartbeat withheld" && others(reasons) === only,
      );
      return healthOf(daemon);
    },
    goesOn: async () => {
      await pinged.next();
      await daemon.line((line) => line["msg"] === "heartbeat resumed", BACKED_OFF);
    },
  };
}

async function healthOf(daemon: Daemon): Promise<string> {
  const reply = await fetch(`${daemon.url}/healthz`);
  return `${reply.status} ${await reply.text()}`;
}

describe.concurrent("the heartbeat of a real daemon", () => {
  test.for([
    { what: "fail", fault: { kind: "status", status: 500 } },
    { what: "hang", fault: { kind: "hang" } },
  ])(
    "is sent while polls read, withheld while they $what, and goes on",
    async ({ fault }, context) => {
      const { aggregator, pinged, daemon, withheldFor, goesOn } = await startBeating(context, {
        staleAfter: "3s",
      });
      await pinged.next();
      aggregator.control({ do: "set_fault", endpoint: "all", fault });
      const health = await withheldFor("poll_overdue");
      expect(health, "a restart would not mend the aggregator").toMatch(/^200 ok\n/);
      expect(health).toContain("sim/exchanges has read nothing for");
      expect(await daemon.metric('aggwatch_heartbeat_withheld{reason="poll_overdue"}')).toBe(1);
      const count = pinged.count();
      await aggregator.next("GET", "/exchange/list");
      expect(pinged.count()).toBe(count);
      aggregator.control({ do: "clear_faults" });
      await goesOn();
      expect(JSON.stringify(daemon.lines)).not.toContain("secret-of-the-switch");
      expect(await daemon.end("SIGTERM")).toBe(0);
    },
  );

  test.skipIf(!hasPrlimit)(
    `is withheld while the journal cannot be written, and goes on${WITHOUT_PRLIMIT}`,
    async (context) => {
      const { daemon, withheldFor, goesOn } = await startBeating(context, { staleAfter: "1h" });
      limitFiles(daemon, "0");
      expect(await withheldFor("journal_failing")).toMatch(
        /^200 ok\n(.*\n)*the journal cannot be written/,
      );
      const goneOn = goesOn();
      limitFiles(daemon, "unlimited");
      await goneOn;
    },
  );

  test("is withheld while no notifier takes what is to be told, and goes on", async (context) => {
    const hook = await startReceiver(context);
    hook.answers = refuseWith(503);
    const { aggregator, daemon, withheldFor, goesOn } = await startBeating(context, {
      staleAfter: "1h",
      notify: "  webhooks: [{ name: hook, url_env: HOOK_URL }]",
      env: { ...STUCK_HOOK, HOOK_URL: hook.url },
    });
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    await hook.request(({ body }) => body.includes("BINANCE"));
    daemon.process.kill(MAKES.wallClockLeap);
    expect(await withheldFor("notifier_silent")).toMatch(
      /^200 ok\n(.*\n)*no notifier has taken what waits for/,
    );
    const goneOn = goesOn();
    hook.answers = accept;
    await goneOn;
  });

  test("is withheld when the schedules have stopped, and a restart is asked for", async (context) => {
    const { daemon, withheldFor } = await startBeating(context, {
      staleAfter: "1h",
      env: STUCK_HOOK,
      // The hook knows the timers of schedules by the file that sets them.
      program: SOURCE,
    });
    await until("the first poll is done", async () =>
      (await daemon.metric('aggwatch_up{aggregator="sim",poller="exchanges"}')) === 1
        ? true
        : undefined,
    );
    daemon.process.kill(MAKES.schedulesStop);
    daemon.process.kill(MAKES.wallClockHurry);
    // If the clock makes it resume, it waits for first polls as well, which no schedule begins.
    expect(await withheldFor("schedule_silent", "starting")).toMatch(
      /^503 .*the schedule of sim\/exchanges has not fired for/s,
    );
  });

  test("is not sent when the loop has stopped, and a restart is asked for", async (context) => {
    const { daemon } = await startBeating(context, { staleAfter: "1h", env: STUCK_HOOK });
    daemon.process.kill(MAKES.ticksStop);
    daemon.process.kill(MAKES.wallClockLeap);
    const health = await until("/healthz asks for a restart", async () => {
      const said = await healthOf(daemon);
      return said.startsWith("503") ? said : undefined;
    });
    expect(health).toContain("the loop has not turned for");
    expect(await daemon.metric('aggwatch_heartbeat_withheld{reason="loop_still"}')).toBe(1);
  });
});
