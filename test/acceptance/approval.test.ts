import { describe, expect, test, type TestContext } from "vitest";
import { DEFAULT_LIQUIDATIONS } from "../../src/simulator/model/default-world.ts";
import { startAggregator, type Aggregator } from "./aggregator.ts";
import { makeHome, startDaemon, type Daemon } from "./daemon.ts";
import { withPeople } from "./people.ts";
import { ACT_KEY, QUICK_RULES, quickConfig, remediationLine } from "./quick.ts";

const [ORDER] = DEFAULT_LIQUIDATIONS;
const WATCH = `    watch: { liquidations: [{ id: "${ORDER}", alias: margin-call }] }`;
const READ = "/order/liquidation";

type Shown = {
  readonly id: string;
  readonly digest: string;
  readonly state: string;
  readonly because: string | null;
  readonly approvals: readonly object[];
  readonly facts: { readonly amount: number };
};
type Reply = { readonly status: number; readonly body: { error?: string; proposal?: Shown } };

type Story = {
  readonly aggregator: Aggregator;
  readonly daemon: Daemon;
  /** The proposal with this id, once it is there. */
  readonly shown: (id: string) => Promise<Shown>;
  readonly amount: (amount: number) => void;
  readonly post: (path: string, body: object, by?: string) => Promise<Reply>;
};

/** A daemon that proposes to cancel an order with the amount 10. */
async function begin(
  context: TestContext,
  options: {
    readonly rules?: string;
    readonly settings?: (config: string) => string;
    readonly before?: (request: { readonly path: string }) => void;
  } = {},
): Promise<Story> {
  const { rules = QUICK_RULES, settings = (config) => config, before = () => {} } = options;
  const aggregator = await startAggregator(context, { before });
  const amount = (to: number) => aggregator.control({ do: "set_amount", id: ORDER, amount: to });
  aggregator.control({ do: "set_order", id: ORDER, status: "ACCEPTED" });
  aggregator.control({ do: "freeze_order", id: ORDER });
  amount(10);
  const config = settings(quickConfig({ url: aggregator.url, mode: "act", watch: WATCH }));
  const home = makeHome(context, config, rules);
  withPeople(home, config);
  const daemon = await startDaemon(context, home, ACT_KEY);
  return {
    aggregator,
    daemon,
    amount,
    shown: async (id) => {
      await daemon.line((line) => line["msg"] === "proposed" && line["proposal"] === id);
      const { proposals } = (await daemon.status()) as unknown as { proposals: readonly Shown[] };
      const found = proposals.find((one) => one.id === id);
      if (found === undefined) throw new Error(`${id} does not wait any more`);
      return found;
    },
    post: async (path, body, by = "alice") => {
      const reply = await fetch(`${daemon.url}/api/v1/${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${by}-token`, "content-type": "application/json" },
        body: JSON.stringify({ reason: "checked", ...body }),
      });
      return { status: reply.status, body: (await reply.json()) as Reply["body"] };
    },
  };
}

/** Two more polls, in which nothing is cancelled. */
async function nothingIsSent({ aggregator }: Story): Promise<void> {
  await aggregator.next("GET", READ);
  await aggregator.next("GET", READ);
  expect(aggregator.count("DELETE", ORDER)).toBe(0);
}

/** Approves what is shown now, which is then sent once. */
async function approveAgain(story: Story, id: string): Promise<void> {
  const { digest, facts, because, approvals } = await story.shown(id);
  expect({ facts, because, approvals }).toMatchObject({
    facts: { amount: 10_000 },
    because: "p1 was withdrawn: amount was 10, is 10000; remaining_amount was 10, is 10000",
    approvals: [],
  });
  expect(await story.post(`proposals/${id}/approve`, { digest })).toMatchObject({ status: 200 });
  await story.daemon.line(remediationLine("verified"));
  expect(story.aggregator.count("DELETE", ORDER)).toBe(1);
}

describe.concurrent("an approval is for what was shown", () => {
  test("an amount that changed before the approval is not cancelled by it", async (context) => {
    const story = await begin(context);
    const { digest, facts } = await story.shown("p1");
    expect(facts.amount).toBe(10);
    story.amount(10_000);
    await story.shown("p2");
    const refused = await story.post("proposals/p1/approve", { digest });
    expect(refused).toMatchObject({
      status: 409,
      body: { proposal: { id: "p2", facts: { amount: 10_000 } } },
    });
    expect(refused.body.error).toContain("p2 took its place (p1 was withdrawn: amount was 10");
    expect(await story.post("proposals/p2/approve", {})).toMatchObject({ status: 409 });
    expect(await story.post("proposals/p2/approve", { digest })).toMatchObject({ status: 409 });
    await nothingIsSent(story);
    await approveAgain(story, "p2");
  });

  test("an amount that changes after the approval, while a hold stands, is not cancelled", async (context) => {
    const story = await begin(context);
    const { digest } = await story.shown("p1");
    const held = await story.post("holds", { scope: { kind: "liquidation" }, for: "1h" });
    expect(held.status).toBe(200);
    expect(await story.post("proposals/p1/approve", { digest })).toMatchObject({ status: 200 });
    story.amount(10_000);
    await story.daemon.line((line) => line["msg"] === "withdrawn" && line["proposal"] === "p1");
    const released = await fetch(`${story.daemon.url}/api/v1/holds/h1`, {
      method: "DELETE",
      headers: { authorization: "Bearer alice-token", "content-type": "application/json" },
      body: JSON.stringify({ reason: "over" }),
    });
    expect(released.status).toBe(200);
    await story.shown("p2");
    await nothingIsSent(story);
    await approveAgain(story, "p2");
  });

  test("an amount that changes after one of two approvals needs two new ones", async (context) => {
    const rules = QUICK_RULES.replace("action: force_cancel_order", "$&, approvals: 2");
    const story = await begin(context, { rules });
    const { digest } = await story.shown("p1");
    expect(await story.post("proposals/p1/approve", { digest })).toMatchObject({ status: 200 });
    story.amount(10_000);
    const { digest: now } = await story.shown("p2");
    const bobs = await story.post("proposals/p2/approve", { digest: now }, "bob");
    expect(bobs.status).toBe(200);
    await nothingIsSent(story);
    expect(await story.shown("p2")).toMatchObject({ state: "waiting", approvals: [{ by: "bob" }] });
    const alices = await story.post("proposals/p2/approve", { digest: now });
    expect(alices.status).toBe(200);
    await story.daemon.line(remediationLine("verified"));
    expect(story.aggregator.count("DELETE", ORDER)).toBe(1);
  });

  test("an amount that changes between the approval and the reading before the request", async (context) => {
    let isArmed = false;
    const before = ({ path }: { readonly path: string }): void => {
      if (!isArmed || !path.endsWith(READ)) return;
      isArmed = false;
      story.amount(10_000);
    };
    // The poll after the first is most of a minute away, so the reading before the request is the first to see it.
    const second = (new Date().getUTCSeconds() + 58) % 60;
    const settings = (config: string): string =>
      config
        .replace('liquidations: "* * * * * *"', `liquidations: "${second} * * * * *"`)
        .replace("settle_after_start: 0s", "$&, max_age: 10m");
    const story = await begin(context, { settings, before });
    const { digest } = await story.shown("p1");
    isArmed = true;
    expect(await story.post("proposals/p1/approve", { digest })).toMatchObject({ status: 200 });
    await story.shown("p2");
    expect(isArmed).toBe(false);
    expect(story.aggregator.count("DELETE", ORDER)).toBe(0);
    await approveAgain(story, "p2");
  });
});
