import { describe, expect, test, type TestContext } from "vitest";
import { DEFAULT_LIQUIDATIONS } from "../../src/simulator/model/default-world.ts";
import { startAggregator, type Aggregator } from "./aggregator.ts";
import { makeHome, startDaemon, type Daemon } from "./daemon.ts";
import { cliOf, withPeople } from "./people.ts";
import { ACT_KEY, QUICK_RULES, quickConfig } from "./quick.ts";
import { startReceiver, type Receiver } from "./receiver.ts";

const [ORDER] = DEFAULT_LIQUIDATIONS;
const WATCH = `    watch: { liquidations: [{ id: "${ORDER}", alias: margin-call }] }`;
const PAGE = "https://aggwatch.example";

type Told = {
  readonly state: string;
  readonly text: string;
  readonly link: string;
  readonly command: string | null;
  readonly labels: Readonly<Record<string, string>>;
};

type Story = {
  readonly aggregator: Aggregator;
  readonly daemon: Daemon;
  readonly cli: ReturnType<typeof cliOf>;
  /** The notification of a repair with this word, now or later. */
  readonly told: (word: string) => Promise<Told>;
  /** The words of all notifications of repairs, in order. */
  readonly words: () => string[];
};

/** A daemon that acts, two people with tokens, and a receiver of repairs alone. */
async function begin(
  context: TestContext,
  { watch = "", suppressedAfter = "1m" } = {},
): Promise<Story> {
  const aggregator = await startAggregator(context);
  const hook = await startReceiver(context);
  const config = `${quickConfig({ url: aggregator.url, mode: "act", watch })}
notify:
  suppressed_after: ${suppressedAfter}
  webhooks: [{ name: hook, url_env: HOOK_URL, tells: [remediations] }]
`;
  const home = makeHome(context, config, QUICK_RULES);
  const tokenFile = withPeople(home, config);
  const daemon = await startDaemon(context, home, {
    ...ACT_KEY,
    HOOK_URL: hook.url,
    AGGWATCH_SERVER_EXTERNAL_URL: PAGE,
  });
  return {
    aggregator,
    daemon,
    cli: cliOf(context, daemon.url, tokenFile),
    told: async (word) => {
      await hook.request(({ body }) => body.includes(`"state":"${word}"`));
      const found = toldBy(hook).find(({ state }) => state === word);
      if (found === undefined) throw new Error(`nobody was told: ${word}`);
      return found;
    },
    words: () => toldBy(hook).map(({ state }) => state),
  };
}

function toldBy(hook: Receiver): Told[] {
  return hook.taken.flatMap((body) => (body as { notifications: Told[] }).notifications);
}

describe.concurrent("people are told of repairs", () => {
  test("what is proposed, with the way to decide it; that it was sent, and that it helped", async (context) => {
    const { aggregator, daemon, cli, told, words } = await begin(context, { watch: WATCH });
    aggregator.control({ do: "set_order", id: ORDER, status: "ACCEPTED" });
    aggregator.control({ do: "freeze_order", id: ORDER });
    const proposed = await told("proposed");
    expect(proposed).toMatchObject({
      link: `${PAGE}/#p1`,
      command: expect.stringMatching(
        /^aggwatch approve p1 --digest [0-9a-f]{16} --reason "why"$/,
      ) as unknown,
      text: expect.stringContaining(`forceCancel orderId=${ORDER}; amount `) as unknown,
      labels: { action: "force_cancel_order", proposal: "p1", entity: ORDER },
    });
    // The link leads to it: the page has what it names.
    expect(await (await fetch(`${daemon.url}/plain`)).text()).toContain('id="p1"');
    // What was read is what is approved: the command is given as it came.
    const [, ...typed] = proposed.command?.replaceAll('"', "").split(" ") ?? [];
    expect((await cli("alice", ...typed)).code).toBe(0);
    await told("verified");
    expect(words()).toEqual(["proposed", "sent", "verified"]);
  });

  test("that a proposal was denied, by whom and why", async (context) => {
    const { aggregator, cli, told, words } = await begin(context, { watch: WATCH });
    aggregator.control({ do: "set_order", id: ORDER, status: "ACCEPTED" });
    aggregator.control({ do: "freeze_order", id: ORDER });
    await told("proposed");
    expect((await cli("bob", "deny", "p1", "--reason", "it is filling")).code).toBe(0);
    const { text } = await told("denied");
    expect(text).toContain("p1 was denied by bob: it is filling");
    expect(words()).toEqual(["proposed", "denied"]);
  });

  test.for([
    {
      what: "the aggregator refused",
      fault: { kind: "status", status: 422 },
      word: "rejected",
    },
    {
      what: "the aggregator took, and that did not help",
      fault: { kind: "lie" },
      word: "unverified",
    },
  ])("what $what", async ({ fault, word }, context) => {
    const { aggregator, told, words } = await begin(context);
    aggregator.control({ do: "set_fault", endpoint: "enableExchange", fault });
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    const { text, labels } = await told(word);
    expect(text).toContain("BINANCE");
    expect(labels).toMatchObject({ action: "enable_exchange", entity: "BINANCE" });
    expect(words().slice(0, 2)).toEqual(["sent", word]);
  });

  test("what a guard has held back for long, with its reason", async (context) => {
    const { aggregator, cli, told } = await begin(context, { suppressedAfter: "1s" });
    const hold = ["hold", "exchange/BINANCE", "--for", "1h", "--reason", "their maintenance"];
    expect((await cli("bob", ...hold)).code).toBe(0);
    aggregator.control({ do: "disable_exchange", exchange: "BINANCE" });
    const { text, labels } = await told("suppressed");
    expect(text).toContain("bob holds exchange BINANCE (h1)");
    expect(labels).toMatchObject({ action: "enable_exchange", reason: "held" });
  });
});
