import { describe, expect, it } from "vitest";
import { DAY, SECOND } from "../../../src/domain/time.ts";
import { DEFAULT_SENDERS } from "../../../src/simulator/model/default-world.ts";
import { hashSecret } from "../../../src/simulator/model/hash.ts";
import { drive, type Driver } from "../driver.ts";

const SECRET = `0x${"5e".repeat(32)}`;
const HASH = hashSecret(SECRET);
const SENDER = DEFAULT_SENDERS[0];
const LOCK = "/api/v1/atomic-swap";
const quiet = { name: "quiet", world: { background: false }, steps: [] };
const lock = { secretHash: HASH, sourceNetworkCode: "ETH" };

function swapOf(driver: Driver, secretHash = HASH) {
  const swaps: Array<{ status: string; lockOrder: { used: boolean; secretHash: string } }> =
    driver.get("/atomic-swap/api/v1/history/all");
  return swaps.find((swap) => swap.lockOrder.secretHash === secretHash);
}

/** What the brokers have of an asset, all together. */
function liquidity(driver: Driver, asset = "BNB"): number {
  const balances: Array<{ asset: string; amount: number }> = driver.ask(
    "POST",
    "/api/v1/atomic-swap/balances",
    {},
  ).body;
  return balances
    .filter((balance) => balance.asset === asset)
    .reduce((sum, { amount }) => sum + amount, 0);
}

describe("the atomic swap area", () => {
  it("hashes secrets with keccak256, not with sha3-256 or sha256", () => {
    expect(hashSecret(`0x${"00".repeat(32)}`)).toBe(
      "0x290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e563",
    );
  });

  it("starts a swap from a lock order, of native tokens, and reserves the broker's", () => {
    const driver = drive({ scenario: quiet });
    const before = liquidity(driver);
    const { status, body } = driver.ask("POST", LOCK, lock);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      secretHash: HASH,
      redeemOrder: { asset: "BNB", secretHash: HASH },
    });
    expect(liquidity(driver)).toBeCloseTo(before - body.redeemOrder.amount, 6);
    expect(swapOf(driver)).toMatchObject({
      status: "ACTIVE",
      sender: body.sender,
      lockOrder: { asset: "ETH", used: false, sourceNetworkCode: "ETH" },
    });
  });

  it("refuses wrong hashes, wrong networks, and a second lock of the same hash", () => {
    const { ask } = drive({ scenario: quiet });
    const refused = (change: object): number => {
      const { status, body } = ask("POST", LOCK, { ...lock, ...change });
      return status === 200 ? 200 : body.error.code;
    };
    expect(refused({ secretHash: HASH.slice(2) })).toBe(1000);
    expect(refused({ secretHash: `${HASH.slice(0, -1)}g` })).toBe(1000);
    expect(refused({ sourceNetworkCode: "eth" })).toBe(4001);
    expect(refused({ sourceNetworkCode: "BASE" })).toBe(4001);
    expect(refused({ sourceNetworkCode: "BSC" })).toBe(4001);
    expect(refused({ sourceNetworkCode: "DOGE" })).toBe(4001);
    expect(refused({})).toBe(200);
    expect(refused({ secretHash: `0x${HASH.slice(2).toUpperCase()}` })).toBe(4002);
  });

  it("delivers here before it releases there, and settles only by the right secret", () => {
    const driver = drive({ scenario: quiet });
    driver.ask("POST", LOCK, lock);
    driver.wait(DAY);
    expect(swapOf(driver)).toMatchObject({ status: "ACTIVE", lockOrder: { used: false } });
    const wrong = { do: "redeem_swap", secret_hash: HASH, secret: HASH };
    expect(driver.simulator.control(wrong)).toMatchObject({ ok: false });
    const redeemed = driver.control({ ...wrong, secret: SECRET });
    expect(redeemed.phase).toBe("delivered");
    expect(swapOf(driver)).toMatchObject({ status: "ACTIVE", lockOrder: { used: false } });
    const before = liquidity(driver, "ETH");
    driver.wait(30 * SECOND);
    expect(swapOf(driver)).toMatchObject({ status: "SETTLED", lockOrder: { used: true } });
    expect(liquidity(driver, "ETH")).toBeGreaterThan(before);
    expect(driver.ask("POST", LOCK, lock).status).toBe(409);
  });

  it("expires a swap that nobody redeems, and gives the broker's tokens back", () => {
    const driver = drive({ scenario: quiet });
    const before = liquidity(driver);
    driver.ask("POST", LOCK, lock);
    driver.wait(3 * DAY);
    const late = { do: "redeem_swap", secret_hash: HASH, secret: SECRET };
    expect(driver.simulator.control(late)).toMatchObject({ ok: false });
    expect(swapOf(driver)?.status).toBe("ACTIVE");
    driver.wait(DAY);
    expect(swapOf(driver)?.status).toBe("EXPIRED");
    expect(liquidity(driver)).toBeCloseTo(before, 6);
  });

  it("is bounded by the brokers' balances", () => {
    const driver = drive({ scenario: quiet });
    const order = {
      do: "lock_on_source",
      secret_hash: HASH,
      sender: SENDER,
      source_network: "ETH",
    };
    driver.control({ ...order, amount: 1_000 });
    expect(driver.ask("POST", LOCK, lock).body.error.code).toBe(4003);
    driver.control({ ...order, amount: 2 });
    expect(driver.ask("POST", LOCK, lock).body.redeemOrder.amount).toBeCloseTo(10.66666667, 8);
  });

  it("refuses a lock order until its lock was seen, if it was told to", () => {
    const driver = drive({
      scenario: { ...quiet, world: { background: false, needs_source_lock: true } },
    });
    expect(driver.ask("POST", LOCK, lock).body.error.code).toBe(4004);
    driver.control({
      do: "lock_on_source",
      secret_hash: HASH,
      sender: SENDER,
      source_network: "ETH",
      amount: 1,
    });
    expect(driver.ask("POST", LOCK, { ...lock, sourceNetworkCode: "AVAX" }).status).toBe(404);
    expect(driver.ask("POST", LOCK, lock).body.sender).toBe(SENDER);
  });

  it("lists a sender's active swaps, and everybody's history up to a limit", () => {
    const { ask, control, get, wait } = drive({ scenario: quiet });
    control({ do: "start_swap", sender: SENDER });
    wait(2 * 60 * SECOND);
    control({ do: "start_swap", sender: SENDER, stuck: true });
    control({ do: "start_swap", sender: DEFAULT_SENDERS[1] });
    const history = "/api/v1/atomic-swap/history";
    const statuses = (path: string): string[] =>
      get(`${history}${path}`).map((swap: { status: string }) => swap.status);
    expect(statuses(`/all?sender=${SENDER}`)).toEqual(["ACTIVE", "SETTLED"]);
    expect(statuses("/all")).toHaveLength(3);
    expect(statuses("/all?limit=2")).toEqual(["ACTIVE", "ACTIVE"]);
    expect(statuses(`/current?sender=${SENDER}`)).toEqual(["ACTIVE"]);
    expect(statuses("/current?sender=nobody")).toEqual([]);
    expect(ask("GET", `${history}/current`).status).toBe(400);
    for (const limit of ["0", "-1", "x", "1.5"])
      expect(ask("GET", `${history}/all?limit=${limit}`).status).toBe(400);
  });

  it("forgets the oldest swap that is over, once there are more than 1 000", () => {
    const { ask, control, get } = drive({ scenario: quiet });
    const secretOf = (number: number): string => `0x${String(number).padStart(64, "0")}`;
    const start = (number: number): void =>
      control({ do: "start_swap", sender: SENDER, secret: secretOf(number), amount: 0.001 });
    const known = (): Set<string> => {
      const swaps: Array<{ lockOrder: { secretHash: string } }> = get(
        "/api/v1/atomic-swap/history/all?limit=2000",
      );
      return new Set(swaps.map(({ lockOrder }) => lockOrder.secretHash));
    };
    start(0);
    for (let number = 1; number < 1_000; number += 1) {
      start(number);
      control({ do: "settle_swap", secret_hash: hashSecret(secretOf(number)) });
    }
    expect(known().size).toBe(1_000);
    start(1_000);
    const left = known();
    expect(left.size).toBe(1_000);
    // The first is older and active, so that it stays.
    expect([0, 1, 2, 1_000].map((number) => left.has(hashSecret(secretOf(number))))).toEqual([
      true,
      false,
      true,
      true,
    ]);
    const active = ask("GET", `/api/v1/atomic-swap/history/current?sender=${SENDER}`).body;
    expect(active).toHaveLength(2);
  });

  it("keeps a stuck swap active until it is released, settled or expired", () => {
    const driver = drive({ scenario: quiet });
    const start = () =>
      driver.control({ do: "start_swap", sender: SENDER, stuck: true }).secret_hash;
    const [released, settled, expired] = [start(), start(), start()];
    driver.wait(DAY);
    expect(swapOf(driver, released)?.status).toBe("ACTIVE");
    driver.control({ do: "release_swap", secret_hash: released });
    driver.control({ do: "settle_swap", secret_hash: settled });
    driver.control({ do: "expire_swap", secret_hash: expired });
    driver.wait(60 * SECOND);
    expect(swapOf(driver, released)?.status).toBe("SETTLED");
    expect(swapOf(driver, settled)?.status).toBe("SETTLED");
    expect(swapOf(driver, expired)?.status).toBe("EXPIRED");
  });
});
