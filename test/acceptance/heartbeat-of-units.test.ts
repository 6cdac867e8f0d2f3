import { expect, it } from "vitest";
import { until } from "../e2e/until.ts";
import { usePostgres } from "../io/postgres/fixture.ts";
import { startAggregator } from "./aggregator.ts";
import { makeHome, startDaemon } from "./daemon.ts";
import { QUICK_RULES } from "./quick.ts";
import { BACKED_OFF, startSwitch } from "./switch.ts";

const server = usePostgres();

it("the heartbeat is sent for the units of senders, whoever has none, and withheld while one of them reads nothing", async (context) => {
  const aggregator = await startAggregator(context);
  const pinged = await startSwitch(context);
  const config = `
aggregators:
  - name: sim
    base_url: ${aggregator.url}
    stale_after: 3s
    timeout: 1s
    timeouts: { connect: 1s, response: 1s }
    retries: 0
    watch: { senders: [{ address: "0x1" }] }
    schedules:
      swaps: "* * * * * *"
      exchanges: off
      pools: off
      swap_history: off
      liquidations: off
      orders: off
journal: { shards: 2, postgres: { replica: a, lease: 3s } }
notify: { heartbeat: { url_env: HC_URL, every: 1s } }
`;
  const env = { AGGWATCH_DATABASE_URL: await server().makeDatabase(), HC_URL: pinged.url };
  const first = pinged.next();
  const daemon = await startDaemon(context, makeHome(context, config, QUICK_RULES), env);
  // Neither home nor the unit without senders has anything to poll.
  await first;
  const withheld = async (): Promise<readonly string[]> =>
    (await daemon.metrics())
      .split("\n")
      .filter((line) => /^aggwatch_heartbeat_withheld.* 1$/.test(line));
  await until("no unit withholds it", async () => (await withheld()).length === 0 || undefined);
  aggregator.control({ do: "set_fault", endpoint: "all", fault: { kind: "status", status: 500 } });
  const line = await daemon.line(
    ({ msg, unit }) => msg === "heartbeat withheld" && unit === undefined,
  );
  expect(line["reasons"]).toEqual(["poll_overdue"]);
  expect(line["details"]).toEqual([
    expect.stringMatching(
      /^senders\/[12]: sim\/swaps\/[12] has read nothing for longer than its stale_after$/,
    ),
  ]);
  const count = pinged.count();
  await aggregator.next("GET", "");
  expect(pinged.count()).toBe(count);
  aggregator.control({ do: "clear_faults" });
  await pinged.next();
  await daemon.line(({ msg }) => msg === "heartbeat resumed", BACKED_OFF);
});
