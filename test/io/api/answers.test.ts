/** Tests src/io/api: answers. */
import { describe, expect, it } from "vitest";
import { answersOf, fieldsOf, type ApiDocument } from "./answer-paths.ts";
import { busyApp, READER, READERS_GATE } from "./busy-app.ts";

const app = busyApp();
const document = (await (await app.request("/api/v1/openapi.json")).json()) as ApiDocument;
const answers = answersOf(document);

type Asked = {
  readonly path: string;
  /** The caller has a token; without any tokens, the server says why it is read-only. */
  readonly token?: true;
};

const AT_PRESENT = "?at=2026-01-01T00:00:02Z";

/** How each answer that only reads is asked for, until there was something in each of its fields. */
const ASKED: Readonly<Record<string, readonly Asked[]>> = {
  "get /api/v1/status": [{ path: "/status" }],
  "get /api/v1/overview": [{ path: "/overview" }, { path: `/overview${AT_PRESENT}` }],
  "get /api/v1/entities": [{ path: "/entities?limit=1" }, { path: `/entities${AT_PRESENT}` }],
  "get /api/v1/alerts": [{ path: "/alerts?limit=1" }],
  "get /api/v1/pollers": [{ path: "/pollers" }],
  "get /api/v1/remediations": [{ path: "/remediations" }],
  "get /api/v1/scope": [{ path: "/scope" }],
  "get /api/v1/entities/{aggregator}/{kind}/{id}": [
    { path: "/entities/bsc/exchange/A" },
    { path: "/entities/bsc/pair/A%2FORN-USDT" },
  ],
  "get /api/v1/entities/{aggregator}/{kind}/{id}/history": [
    { path: "/entities/bsc/pool/F%2FP/history" },
  ],
  "get /api/v1/alerts/{alertname}/{aggregator}/{kind}/{id}": [
    { path: "/alerts/ExchangeDisabled/bsc/exchange/A" },
    { path: "/alerts/PairDisabled/bsc/pair/A%2FORN-USDT" },
  ],
  "get /api/v1/rules": [{ path: "/rules?coverage=true" }],
  "get /api/v1/timeline": [{ path: "/timeline?limit=2" }],
  "get /api/v1/watch": [{ path: "/watch" }],
  "get /api/v1/token": [{ path: "/token", token: true }],
  "get /api/v1/explain": [{ path: "/explain?rule=R&entity=exchange/A" }],
  "get /api/v1/findings": [{ path: "/findings" }],
};

/** What is always empty there, as there is no such thing. */
const EMPTY: Readonly<Record<string, readonly string[]>> = {
  // A poller belongs to nothing, and has no status.
  "get /api/v1/status": fieldsUnder(".aggregators[].pollers[].parent", "kind", "id"),
  "get /api/v1/pollers": [
    ...fieldsUnder(".pollers[].entity.parent", "kind", "id"),
    ".pollers[].entity.status",
  ],
  // There is one.
  "get /api/v1/remediations": [".next"],
  // What operators do is in the timeline; this is the history of alerts.
  "get /api/v1/entities/{aggregator}/{kind}/{id}": [".history[].by", ".history[].reason"],
  "get /api/v1/alerts/{alertname}/{aggregator}/{kind}/{id}": [".history[].by", ".history[].reason"],
};

function fieldsUnder(path: string, ...names: readonly string[]): readonly string[] {
  return [path, ...names.map((name) => `${path}.${name}`)];
}

async function answerTo({ path, token }: Asked): Promise<unknown> {
  const asked = token === true ? busyApp({ gate: READERS_GATE }) : app;
  const headers = token === true ? READER : {};
  const reply = await asked.request(`/api/v1${path}`, { headers });
  expect(reply.status, await reply.clone().text()).toBe(200);
  return await reply.json();
}

/** What such an answer says depends on the call. */
const isCall = (operation: string): boolean =>
  !operation.startsWith("get ") || operation.endsWith("/backtest");

describe("every field of an answer", () => {
  it("is looked at in each answer of a read", () => {
    const others = [...answers.keys()].filter((one) => !Object.hasOwn(ASKED, one));
    expect(others.filter((one) => !isCall(one))).toEqual([]);
  });

  it.each(Object.entries(ASKED))("has its value: %s", async (operation, asked) => {
    const schema = answers.get(operation);
    if (schema === undefined) throw new Error(`the API has no ${operation}`);
    const fields = fieldsOf(document, schema, await Promise.all(asked.map(answerTo)));
    const empty = [...fields].flatMap(([one, filled]) => (filled ? [] : [one]));
    expect(empty).toEqual(EMPTY[operation] ?? []);
  });
});
