import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { sendJson, startServer } from "../io/local-server.ts";
import { createEvents } from "./events.ts";
import { makeHome, runCli, startDaemon, type Daemon } from "./daemon.ts";
import { ACT_KEY, alertLine, QUICK_RULES, quickConfig, remediationLine } from "./quick.ts";

/** What the disabled listing, or the list, answers with while BINANCE is disabled. */
type Attack = {
  readonly what: string;
  readonly reason: string;
  /** The list of accessible exchanges; by default without BINANCE. */
  readonly list?: readonly string[];
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body of the disabled listing. */
  readonly body?: string;
};

/** What the guard `starting` may say first, right after the start. */
const UNCHECKED = "the journal is not checked for damage since the start";

const DISABLED = { exchanges: ["BINANCE"], pairs: [] };
const beside = (fields: object): string => JSON.stringify({ ...DISABLED, ...fields });

const attacks: readonly Attack[] = [
  { what: "in both listings", reason: "contradiction", list: ["BINANCE", "OKX"] },
  { what: "status 206", reason: "partial_content", status: 206 },
  { what: "a range", reason: "partial_content", headers: { "content-range": "items 0-0/9" } },
  { what: "success", reason: "error_beside_data", body: beside({ success: false }) },
  { what: "an error", reason: "error_beside_data", body: beside({ error: { reason: "down" } }) },
  { what: "has_more", reason: "more_elsewhere", body: beside({ has_more: true }) },
  { what: "next", reason: "more_elsewhere", headers: { link: '</2>; rel="next"' } },
  { what: "total", reason: "total_not_reached", body: beside({ total: 9 }) },
  { what: "X-Total-Count", reason: "total_not_reached", headers: { "x-total-count": "9" } },
  {
    what: "a key twice",
    reason: "duplicate_key",
    body: '{"exchanges":[],"pairs":[],"exchanges":["BINANCE"]}',
  },
];

describe("a real daemon and evidence that contradicts itself or is a part only", () => {
  test("alerts, sends nothing, and says why; and repairs once the evidence is whole", async (context) => {
    const acted = createEvents<string>(context, "action");
    let now: State = "well";
    const stateFor = oneForEachReading(() => now);
    const server = await startServer(({ method, url }, response) => {
      if (method !== "GET") {
        acted.add(`${method} ${url}`);
        now = "well";
        sendJson(response, {});
      } else answer(stateFor(url), url, response);
    });
    context.onTestFinished(server.close);
    const config = quickConfig({ url: server.baseUrl, mode: "act" }).replace(
      'pools: "* * * * * *"',
      "pools: off",
    );
    const home = makeHome(context, config, QUICK_RULES);
    const daemon = await startDaemon(context, home, ACT_KEY);
    await daemon.line((line) => line["entity"] === "sim/exchange/BINANCE");
    for (const attack of attacks) {
      const line = following(daemon);
      now = attack;
      await line(alertLine("ExchangeDisabled", "firing"));
      const { detail } = await line(
        ({ msg, detail: said }) => msg === "suppressed" && said !== UNCHECKED,
      );
      expect(detail, attack.what).toMatch(new RegExp(`^${attack.reason}: `));
      await line(
        ({ poller, detail: said }) =>
          poller === "exchanges" && String(said).startsWith(`${attack.reason}: `),
      );
      const why = await runCli(context, ["explain", "ExchangeDisabled", "exchange/BINANCE"], {
        AGGWATCH_URL: daemon.url,
      });
      expect(why.out, attack.what).toContain(
        `enable_exchange is not sent (stale): ${attack.reason}: `,
      );
      expect(await daemon.metric(doubted(attack.reason))).toBeGreaterThan(0);
      expect(acted.all).toStrictEqual([]);
      now = "well";
      await line(alertLine("ExchangeDisabled", "resolved"));
    }
    const line = following(daemon);
    now = "disabled";
    await line(remediationLine("verified"));
    expect(acted.all).toStrictEqual(["POST /api/v1/exchange/toggle/BINANCE"]);
  });
});

/** Waits for lines that are written from now on. */
function following({ lines, line }: Daemon): Daemon["line"] {
  const from = lines.length;
  return (fits, options) => line((one) => lines.indexOf(one) >= from && fits(one), options);
}

type State = Attack | "well" | "disabled";

/**
 * Gives both requests of a reading, the list and the disabled listing, the same state: one that changes between the two
 * would be a contradiction. A request that was already made in a state begins the next reading.
 */
function oneForEachReading(now: () => State): (url: string) => State {
  const asked = new Set<string>();
  let state = now();
  return (url) => {
    if (asked.size === 0 || asked.has(url)) {
      asked.clear();
      state = now();
    }
    asked.add(url);
    return state;
  };
}

function answer(state: State, url: string, response: ServerResponse): void {
  if (state === "well") {
    const well = url.includes("disabled") ? { exchanges: [], pairs: [] } : ["BINANCE", "OKX"];
    return sendJson(response, well);
  }
  const attack: Partial<Attack> = state === "disabled" ? {} : state;
  const { list = ["OKX"], status = 200, headers = {}, body = JSON.stringify(DISABLED) } = attack;
  if (!url.includes("disabled")) return sendJson(response, list);
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(body);
}

function doubted(reason: string): string {
  return `aggwatch_readings_doubted_total{aggregator="sim",poller="exchanges",reason="${reason}"}`;
}
