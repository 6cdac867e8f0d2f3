import type { ServerResponse } from "node:http";
import { describe, test, type TestContext } from "vitest";
import { createLog } from "../../src/io/process/log.ts";
import type { ClientSettings } from "../../src/io/aggregator/client.ts";
import { startWatchdog, type Watchdog } from "../../src/run/watchdog.ts";
import { until } from "../e2e/until.ts";
import { sendJson, startServer } from "../io/local-server.ts";
import { temporaryDirectory } from "../io/temporary-directory.ts";
import { TEST_SETTINGS } from "../io/aggregator/client-fixture.ts";
import { aggregatorSetup, EVERY_POLLER, watchdogSetup } from "../run/watchdog-setup.ts";

/** What no log line, page, label or path may hold as it is. */
const MARK = "<script>alert('aggwatch')</script>";
const NAMES = ["BINANCE", "KUCOIN", "OKX", "KRAKEN"];

type Answer = (response: ServerResponse) => void;
const json =
  (value: unknown): Answer =>
  (response) =>
    sendJson(response, value);
const text =
  (body: string | Buffer, headers: Record<string, string> = {}, status = 200): Answer =>
  (response) => {
    response.writeHead(status, headers);
    response.end(body);
  };
/** Bytes as they are, past all that a server would see to. */
const raw =
  (...pieces: readonly string[]): Answer =>
  (response) => {
    const { socket } = response;
    for (const piece of pieces) socket?.write(piece);
  };
const dripping =
  (start: string, drop: string): Answer =>
  (response) => {
    const { socket } = response;
    socket?.write(start);
    const drip = setInterval(() => socket?.write(drop), 20);
    socket?.on("close", () => clearInterval(drip));
  };

/** Longer than any good answer takes on a busy machine, and shorter than a test's time. */
const DRIPS_END = { connectMs: 10_000, responseMs: 1_500, requestMs: 1_500 };

type Case = { readonly what: string; readonly answer: Answer; readonly reason: string };

/** Each is what the list of exchanges answers, after it was well once. */
const hostile: readonly Case[] = [
  { what: "a body that never ends", answer: endless, reason: "too_large" },
  {
    what: "headers that drip",
    answer: dripping("HTTP/1.1 200 OK\r\n", "a: b\r\n"),
    reason: "timeout",
  },
  {
    what: "a body that drips",
    answer: dripping("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", "1\r\n \r\n"),
    reason: "timeout",
  },
  {
    what: "very many headers",
    answer: raw("HTTP/1.1 200 OK\r\n", `a: ${"b".repeat(60)}\r\n`.repeat(2_000), "\r\n[]"),
    reason: "malformed",
  },
  {
    what: "early hints without end",
    answer: dripping("", "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"),
    reason: "timeout",
  },
  { what: "204 without a body", answer: text("", {}, 204), reason: "malformed" },
  { what: "a page", answer: text(MARK, { "content-type": "text/html" }), reason: "malformed" },
  {
    what: "an error with status 200",
    answer: json({ error: { reason: MARK } }),
    reason: "mismatch",
  },
  {
    what: "an error that quotes",
    answer: text(`{"error":{"reason":"${MARK}"}}`, {}, 500),
    reason: "status",
  },
  {
    what: "a redirect",
    answer: text("", { location: "http://127.0.0.1:9/x" }, 302),
    reason: "redirect",
  },
  {
    what: "bytes that are not text",
    answer: text(Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d])),
    reason: "mismatch",
  },
  { what: "NaN", answer: text("[NaN]"), reason: "malformed" },
  { what: "1e400", answer: text("[1e400]"), reason: "mismatch" },
  {
    what: "a text of 400 digits as a number",
    answer: text(`[${"9".repeat(400)}]`),
    reason: "mismatch",
  },
  {
    what: "keys that are prototypes",
    answer: text('{"__proto__": ["BINANCE"]}'),
    reason: "mismatch",
  },
  { what: "nothing but malformed names", answer: json([`../${MARK}`]), reason: "mismatch" },
  { what: "JSON nested without end", answer: text("[".repeat(9_000)), reason: "too_large" },
];

function endless(response: ServerResponse): void {
  const more = (): void => {
    while (!response.destroyed && response.write(" ".repeat(4_096)));
  };
  response.on("drain", more);
  more();
}

type Run = {
  readonly watchdog: Watchdog;
  readonly text: () => string;
  /** Resolves with the poller's facts once they fit. */
  readonly poller: (
    fits: (facts: Readonly<Record<string, unknown>>) => boolean,
  ) => Promise<Readonly<Record<string, unknown>>>;
  become: (answer: Answer) => void;
};

async function start(
  context: Pick<TestContext, "onTestFinished">,
  timeouts: ClientSettings["timeouts"] = TEST_SETTINGS.timeouts,
): Promise<Run> {
  let current: Answer = json(NAMES);
  const server = await startServer(({ method, url }, response) => {
    if (method !== "GET") sendJson(response, {}, 500);
    else if (url.includes("disabled")) sendJson(response, { exchanges: [], pairs: [] });
    else current(response);
  });
  const directory = temporaryDirectory();
  const written: string[] = [];
  const waiting = new Set<() => void>();
  const log = createLog({ level: "debug", format: "json" }, { isTerminal: false }, (line) => {
    written.push(line);
    for (const look of waiting) look();
  });
  const own = aggregatorSetup(server.baseUrl, {
    pollers: EVERY_POLLER.filter(({ name }) => name === "exchanges"),
  });
  const quick = { ...own, client: { ...own.client, timeouts } };
  const started = await startWatchdog(watchdogSetup(directory.path, [quick], { log }));
  if (!started.ok) throw new Error(started.problem);
  const watchdog = started.value;
  context.onTestFinished(async () => {
    await watchdog.stop();
    await server.close();
    directory.remove();
  });
  return {
    watchdog,
    text: () => written.map((line) => line.trimEnd()).join("\n"),
    become: (answer) => {
      current = answer;
    },
    poller: (fits) =>
      new Promise((resolve) => {
        const look = (): void => {
          const facts = watchdog.loop().state().tables.entity.get("bsc/poller/exchanges")?.facts;
          if (facts === undefined || !fits(facts)) return;
          waiting.delete(look);
          resolve(facts);
        };
        waiting.add(look);
        look();
      }),
  };
}

/** On a busy machine, `/healthz` may rightly say for a while that a poll is late: each is asked until it says 200. */
async function everythingShown({ watchdog, text: logged }: Run): Promise<string[]> {
  const paths = ["/plain", "/metrics", "/healthz"];
  const pages = await Promise.all(
    paths.map(
      async (path) =>
        await until(`${path} says 200`, async () => {
          const reply = await fetch(watchdog.url + path);
          const body = await reply.text();
          return reply.status === 200 ? body : undefined;
        }),
    ),
  );
  return [...pages, logged()];
}

const isWell = (facts: Readonly<Record<string, unknown>>): boolean =>
  facts["up"] === true && facts["error"] === "";

describe.concurrent("a hostile aggregator", () => {
  test.for(hostile)(
    "$what: unknown ($reason), shown nowhere as it is, and it goes on",
    async ({ answer, reason }, context) => {
      const { expect } = context;
      const run = await start(context, reason === "timeout" ? DRIPS_END : undefined);
      await run.poller(isWell);
      run.become(answer);
      const facts = await run.poller(({ up }) => up === false);
      expect([facts["reason"], facts["error"]]).toEqual([reason, expect.any(String)]);
      expect(String(facts["error"]).length).toBeLessThanOrEqual(400);
      expect(String(facts["error"])).not.toMatch(/\p{Cc}/u);
      const { entity, alert } = run.watchdog.loop().state().tables;
      for (const name of NAMES) {
        const known = entity.get(`bsc/exchange/${name}`);
        expect(known?.facts["status"]).toBe("enabled");
        expect(known?.unknownSince).toBeDefined();
      }
      expect(alert.size).toBe(0);
      const [page, metrics, , lines] = await everythingShown(run);
      expect(page).not.toContain(MARK);
      expect(metrics).not.toContain("<script");
      for (const line of (lines ?? "").trimEnd().split("\n")) {
        expect(line.length).toBeLessThan(4_000);
        expect(() => JSON.parse(line) as unknown).not.toThrow();
      }
      run.become(json(NAMES));
      await run.poller(isWell);
      expect(entity.get("bsc/exchange/OKX")?.unknownSince).toBeUndefined();
    },
  );

  const odd = [
    "../../order",
    "a\u0000b",
    "a\nb",
    "\u202Egnp",
    "x".repeat(10_000),
    "half \uD800 of a sign",
    MARK,
  ];

  test("malformed names among others: the others are read, and nothing is concluded from absence", async (context) => {
    const { expect } = context;
    const run = await start(context);
    await run.poller(isWell);
    run.become(json([...NAMES.slice(1), ...odd]));
    const facts = await run.poller(({ truncated_surfaces: cut }) => cut === 1);
    expect(facts).toMatchObject({ up: true, reason: "malformed_names" });
    expect(facts["error"]).toMatch(/^7 entries have malformed names and are left out: /);
    expect(facts["error"]).not.toMatch(/\p{Cc}/u);
    const { entity } = run.watchdog.loop().state().tables;
    expect([...entity.keys()].filter((key) => key.includes("/exchange/")).length).toBe(4);
    expect(entity.get("bsc/exchange/KUCOIN")?.unknownSince).toBeUndefined();
    expect(entity.get("bsc/exchange/BINANCE")?.unknownSince).toBeDefined();
    const [page] = await everythingShown(run);
    expect(page).not.toContain(MARK);
  });

  test("a byte order mark and another content type change nothing", async (context) => {
    const run = await start(context);
    await run.poller(isWell);
    const body = `\uFEFF${JSON.stringify([...NAMES, "BITMART"])}`;
    run.become(text(body, { "content-type": "text/html; charset=latin1" }));
    await run.poller(() => run.watchdog.loop().state().tables.entity.has("bsc/exchange/BITMART"));
  });

  test("names that mean something in a path or a label stay names", async (context) => {
    const { expect } = context;
    const run = await start(context);
    await run.poller(isWell);
    const names = ["..", "%2e%2e", "%2f", "__proto__", "constructor", '"} 1', "a\\b", "order"];
    run.become(json([...NAMES, ...names]));
    const { entity } = run.watchdog.loop().state().tables;
    await run.poller(() => entity.has("bsc/exchange/order"));
    for (const name of names) expect(entity.get(`bsc/exchange/${name}`)?.facts["name"]).toBe(name);
    const [, metrics = ""] = await everythingShown(run);
    expect(metrics).toContain('exchange="\\"} 1"} 0');
    expect(metrics).toContain('exchange="a\\\\b"} 0');
  });

  test("a listing that shrinks to nothing is not believed at once, and believed the second time", async (context) => {
    const { expect } = context;
    const run = await start(context);
    await run.poller(isWell);
    run.become(json([]));
    const doubted = await run.poller(({ truncated_surfaces: cut }) => cut === 1);
    expect(doubted["error"]).toMatch(/^4 of 4 entities of the kind exchange are absent at once/);
    const { entity } = run.watchdog.loop().state().tables;
    expect(entity.get("bsc/exchange/OKX")).toMatchObject({ facts: { status: "enabled" } });
    await run.poller(isWell);
    expect(entity.get("bsc/exchange/OKX")).toMatchObject({ facts: { status: "missing" } });
  });
});
