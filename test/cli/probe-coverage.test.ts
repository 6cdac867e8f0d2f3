/** Tests src/cli/probe: which rules can judge what was read. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Json } from "../../src/domain/result.ts";
import { DEFAULT_SENDERS } from "../../src/simulator/model/default-world.ts";
import type { LocalServer } from "../io/local-server.ts";
import { commandLine } from "./command-line.ts";
import { configFor, startDeployment, type Dialect } from "./deployments.ts";

let directory = "";
let server: LocalServer | undefined;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "aggwatch-coverage-"));
});
afterEach(async () => {
  rmSync(directory, { recursive: true });
  await server?.close();
  server = undefined;
});

/** An active swap of the watched sender, as the default shape has it. */
const SWAP = {
  sender: DEFAULT_SENDERS[0],
  status: "ACTIVE",
  creationTime: 1_700_000_000_000,
  lockOrder: {
    secretHash: "0xcd",
    asset: "ETH",
    amount: 1.5,
    expiration: 4_000_000_000_000,
    used: false,
    sourceNetworkCode: "ETH",
  },
  redeemOrder: { asset: "BNB", amount: 8 },
};

async function probed(
  swaps: readonly Json[],
  { dialect = {}, more = "" }: { readonly dialect?: Dialect; readonly more?: string } = {},
) {
  server = await startDeployment({
    ...dialect,
    say: (body, path) => (path.includes("history/current") ? swaps : body),
  });
  const file = join(directory, "aggwatch.yaml");
  writeFileSync(file, configFor(server.baseUrl, more));
  return {
    text: async () => await commandLine(["probe", "--config", file]),
    json: async () => {
      const { printed, exitCode } = await commandLine(["probe", "--config", file, "--json"]);
      const { ok, aggregators } = reportSchema.parse(JSON.parse(printed));
      const { rules, facts } = aggregators[0];
      return { ok, exitCode, rules, facts };
    },
  };
}

const reportSchema = z.object({
  ok: z.boolean(),
  aggregators: z.tuple([
    z.object({
      rules: z.array(
        z.object({
          alertname: z.string(),
          kind: z.string(),
          read: z.number(),
          judged: z.number(),
          undecided: z.number(),
          verdict: z.string(),
          why: z.string(),
        }),
      ),
      facts: z.array(
        z.object({
          kind: z.string(),
          fact: z.string(),
          given: z.number(),
          rules: z.array(z.string()),
          metrics: z.array(z.string()),
          field: z.string().nullable(),
          change: z.string(),
        }),
      ),
    }),
  ]),
});

describe("which rules can judge what aggwatch probe has read", () => {
  it("says all is right only with every enabled rule judged, and names what cannot be tried", async () => {
    const { text } = await probed([SWAP]);
    const { exitCode, printed } = await text();
    expect(printed).toMatch(/SwapExpired +swap +1 +1 +can be judged/);
    expect(printed).toMatch(/SwapSlow +swap +1 +0 +not yet: .*slow_after/);
    expect(printed).toMatch(/PairDisabled +pair +0 +0 +cannot be tried: there is no pair now/);
    expect(printed).toMatch(
      /MarketMissing .*cannot be tried: the poller markets is off: schedules.markets turns it on/,
    );
    expect(printed).toMatch(
      /PoolEstimateDeparts +pool +[1-9]\d* +0 +cannot be tried: the poller estimations is off: schedules.estimations turns it on/,
    );
    expect(printed).toContain("no enabled rule is blind to it.");
    expect(printed).toMatch(/Not tried, .*: .*PairDisabled.*MarketMissing/);
    expect(exitCode).toBe(0);
  });

  it("does not say that all is well if SwapExpired is unknown, as a deployment names its fields otherwise", async () => {
    const { expiration, ...lock } = SWAP.lockOrder;
    const swaps = [{ ...SWAP, lockOrder: { ...lock, validUntilBlockTime: expiration } }];
    const { text, json } = await probed(swaps);
    const { exitCode, printed } = await text();
    expect(exitCode).toBe(1);
    expect(printed).toMatch(/SwapExpired +swap +1 +0 +BLIND: not known: expires \(1 of 1\)/);
    expect(printed).toContain("swap.expires: given by none of 1\n  needed by SwapExpired\n");
    expect(printed).toContain("wire.activeSwaps.map: lockOrder.expiration says nothing");
    expect(printed).toMatch(/Blind: SwapExpired can neither .* Set wire\.activeSwaps\.map\./);
    expect(printed).not.toContain("All that the pollers need is read right");
    const report = await json();
    expect(report).toMatchObject({ ok: false, exitCode: 1 });
    expect(report.rules.filter(({ verdict }) => verdict === "blind")).toMatchObject([
      { alertname: "SwapExpired", read: 1, judged: 0, undecided: 1 },
    ]);
    expect(report.facts).toContainEqual(
      expect.objectContaining({
        kind: "swap",
        fact: "expires",
        given: 0,
        field: "lockOrder.expiration",
      }),
    );
  });

  it("names a status word that has no known meaning, and how to give it one", async () => {
    const { text } = await probed([
      SWAP,
      { ...SWAP, status: "Redeeming", lockOrder: { ...SWAP.lockOrder, secretHash: "0xee" } },
    ]);
    const { exitCode, printed } = await text();
    expect(exitCode).toBe(0);
    expect(printed).toMatch(/SwapStuck +swap +2 +2 +can be judged/);
    expect(printed).toMatch(/swap\.final: given by 1 of 2\n/);
    expect(printed).toContain("swap_statuses: say what Redeeming means");
  });

  it("names the metrics that have nothing to show for a fact that no entity gives", async () => {
    const { json } = await probed([SWAP], {
      more: '    schedules: { markets: "0 * * * * *" }',
      dialect: {},
    });
    const whole = await json();
    expect(whole.facts).toStrictEqual([]);
    await server?.close();
    server = await startDeployment({
      say: (body, path) =>
        path.endsWith("detailed")
          ? (body as { name: string }[]).map(({ name }) => ({ name }))
          : body,
    });
    const file = join(directory, "aggwatch.yaml");
    writeFileSync(file, configFor(server.baseUrl, '    schedules: { markets: "0 * * * * *" }'));
    const { printed } = await commandLine(["probe", "--config", file]);
    expect(printed).toContain(
      "market.price: given by none of 10\n  needed by aggwatch_market_price\n  change   wire.pairsDetailed.map",
    );
  });

  it("names the setting of the endpoint that is asked, which depends on what is watched", async () => {
    const changeWith = async (watch: string): Promise<string> => {
      server = await startDeployment({
        say: (body, path) =>
          path.includes("pools/reservations")
            ? JSON.parse(JSON.stringify(body).replaceAll("indicativePrice", "price"))
            : body,
      });
      const file = join(directory, "aggwatch.yaml");
      const config = `aggregators: [{ base_url: "${server.baseUrl}", watch: { ${watch} } }]`;
      writeFileSync(file, config);
      const { printed } = await commandLine(["probe", "--config", file]);
      await server.close();
      return /pool\.price: .*\n.*\n +change +(\S+):/.exec(printed)?.[1] ?? printed;
    };
    expect(await changeWith("")).toBe("wire.reserves.map");
    expect(await changeWith("pools: [OrionV2/ORN-USDT]")).toBe("wire.poolReserves.map");
  });

  it("takes no reply for right that says that it is a part", async () => {
    server = await startDeployment({
      say: (body, path) => (path.endsWith("reservations") ? { data: body, has_more: true } : body),
    });
    const file = join(directory, "aggwatch.yaml");
    writeFileSync(file, configFor(server.baseUrl, "    wire: { reserves: { map: data } }"));
    const { printed, exitCode } = await commandLine(["probe", "--config", file]);
    expect(printed).toMatch(/pools +CANNOT READ: not whole: .*has_more says that there is more/);
    expect(printed).toMatch(/PoolDrained .*not read: the poller pools cannot read/);
    expect(exitCode).toBe(1);
  });
});
